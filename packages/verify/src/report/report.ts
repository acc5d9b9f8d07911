import type { Scope } from '../bundle/index.js'
import type { AuditAnswer } from './answers.js'
import type { ReceiptReport } from './receipt.js'

/** The checks of docs/evidence-format.md, section 6, in the order in which they are listed. `witnesses` applies where keys of witnesses were given. */
export const checkNames = [
  'format',
  'digest',
  'origin',
  'chain',
  'genesis',
  'end',
  'keys',
  'checkpoints',
  'consistency',
  'tokens',
  'leaves',
  'coverage',
  'witnesses',
  'seen',
  'epochs',
  'claim',
  'law',
  'actions',
  'approvals',
  'resumes',
  'once',
] as const

/** One of them. */
export type CheckName = (typeof checkNames)[number]

/** The checks of a receipt. */
export const receiptCheckNames: readonly CheckName[] = [
  'format',
  'digest',
  'origin',
  'chain',
  'checkpoints',
  'consistency',
  'tokens',
  'leaves',
  'coverage',
  'witnesses',
]

/** Those of the replay of the governance, by which the four questions are answered. */
export const replayCheckNames: readonly CheckName[] = ['law', 'actions', 'approvals', 'resumes', 'once']

/** What all of it comes to; the worst that applies, in this order. */
export type VerdictOfFile = 'unreadable' | 'forged' | 'unverifiable' | 'incomplete' | 'unsealed' | 'proven'

/** Why a check did not pass. */
export interface Reason {
  readonly message: string
  /** The stream that it is about, if it is about one. */
  readonly stream: string | undefined
  /** The event that it is about, if it is about one. */
  readonly seq: number | undefined
}

/** What one check came to. */
export interface CheckResult {
  readonly name: CheckName
  readonly result: 'passed' | 'failed' | 'not_evaluated'
  /** The first twenty; empty where it passed. */
  readonly reasons: readonly Reason[]
  /** How many there are. */
  readonly reasonCount: number
}

/** What a file has of one witness. */
export interface WitnessReport {
  /** Its whole key. */
  readonly key: string
  readonly name: string
  /** Leaves of the greatest checkpoint in the file that it cosigned; undefined where it cosigned none. */
  readonly size: number | undefined
  /** When it cosigned that one, by its own clock, in seconds since 1970. */
  readonly seconds: number | undefined
}

/** A witness that has cosigned a checkpoint over something, and when at the latest that was there, by the witness's clock, in seconds since 1970. */
export interface WitnessedBy {
  readonly name: string
  readonly seconds: number
}

/** What a file says about one run. */
export interface RunReport {
  readonly run: string
  readonly eventCount: number
  /** Up to which event a checkpoint covers it; undefined where nothing is. Only up to there anything is proven. */
  readonly sealedSeq: number | undefined
  /** UTC milliseconds since 1970, by the operator's clock. */
  readonly beganAt: number
  /** The kind of the event that ended it; undefined while it goes on. */
  readonly ended: string | undefined
  /** By the operator's cosignature, in seconds since 1970: when the first checkpoint of the file was made that covers all that is sealed. */
  readonly sealedSeconds: number | undefined
  /** Which of the witnesses that were given have cosigned a checkpoint over all of it that is sealed. */
  readonly witnessed: readonly WitnessedBy[]
  /** Texts that were left out of the file. */
  readonly withheldCount: number
  /** Texts that no longer exist. */
  readonly erasedCount: number
  /** To the four questions of an auditor; empty for a receipt, and for runs beyond the first thousand. */
  readonly answers: readonly AuditAnswer[]
}

/** The checkpoint that everything rests on. */
export interface SealReport {
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly root: string
  /** The verifier key that it is signed by; undefined where no known one signed it. */
  readonly key: string | undefined
  /** By the operator's cosignature, in seconds since 1970. */
  readonly seconds: number | undefined
}

/** What a token of a time-stamping authority says of a checkpoint. */
export interface TokenReport {
  /** Of the checkpoint. */
  readonly size: number
  /** `valid`: the authority says that the checkpoint, and all that it seals, was there at `atMs`. */
  readonly result: 'valid' | 'refused' | 'not_evaluated'
  /** Why it is not valid. */
  readonly why: string | undefined
  /** As its certificate names it; undefined unless it is valid. */
  readonly authority: string | undefined
  /** By the authority's clock, UTC milliseconds since 1970, and how far that may be off, where it says so. */
  readonly atMs: number | undefined
  readonly accuracyMs: number | undefined
}

/** What a verifier says about a file. */
export interface Report {
  readonly verdict: VerdictOfFile
  /** Whether it is a bundle or a receipt; undefined where it could not even be seen. */
  readonly kind: 'bundle' | 'receipt' | undefined
  /** The origin that was asked for. */
  readonly origin: string
  readonly scope: Scope | undefined
  readonly checks: readonly CheckResult[]
  readonly runs: readonly RunReport[]
  /** What a receipt is about; undefined for a bundle. */
  readonly receipt: ReceiptReport | undefined
  /** Decisions that are recorded in it and were computed anew: of the law, of people, about actions and resumptions. */
  readonly decisionCount: number
  /** The last checkpoint; undefined where the file could not be read up to there. */
  readonly seal: SealReport | undefined
  /** What time-stamping authorities say of its checkpoints; the first thousand. */
  readonly tokens: readonly TokenReport[]
  /** Of each witness whose key was given, in that order. */
  readonly witnesses: readonly WitnessReport[]
  /** Who else has signed a checkpoint, as `<name>+<key id>`: it says nothing, because nobody gave the key. The first sixteen. */
  readonly unknownSigners: readonly string[]
  /** What even a proven file does not prove, and what of this one was not evaluated or is not sealed. */
  readonly notProven: readonly string[]
}
