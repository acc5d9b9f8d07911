import type { AskedApproval } from '../asked.js'
import type { Law } from '../law.js'
import type { LawHistory } from '../law-history.js'
import type { Intent } from '../limits.js'
import type { RunBodies } from '../run-bodies.js'
import type { Findings, ReplayEvent } from './finding.js'

/** What a run began with. */
export interface Started {
  readonly flow: string
  readonly version: number
  readonly actor: string | null
  /** The digest of the contract that it is bound to. */
  readonly contract: string | null
  /** UTC milliseconds since 1970. */
  readonly atMs: number
}

/** The last event about the effect of an op, and what of it matters. */
export interface EffectEvent {
  readonly kind: string
  readonly attempt: number
  readonly code: string | undefined
  readonly outcome: RunBodies['OutcomeStated']['outcome'] | undefined
  /** What a statement carried. */
  readonly said: ReplayEvent['data']
}

/** What the journal has told of one op so far. */
export interface OpState {
  readonly verb: string
  readonly name: string
  asked: AskedApproval | undefined
  requestedSeq: number
  /** Whether what is shown, and what votes want instead, is known. */
  isShownKnown: boolean
  isAmendmentKnown: boolean
  isEscalated: boolean
  /** Voters and deliveries of all votes, withdrawn ones as well; voters of votes that were withdrawn. */
  votes: ReadonlySet<string>
  withdrawn: readonly string[]
  last: EffectEvent | undefined
  attempt: number
  isOver: boolean
  /** The SHA-256 of the input of the first authorization; undefined where it is withheld. */
  inputDigest: string | undefined
  authorizedAtMs: number | undefined
  /** Whether an attempt has failed since somebody spoke that may have landed. */
  isInDoubt: boolean
  statements: ReadonlySet<string>
  lastPause: 'ApprovalResolved' | 'OutcomeStated' | 'ResumeAuthorized' | undefined
  lastDecision: 'ApprovalResolved' | 'OutcomeStated' | undefined
  isDeferred: boolean
}

/** A resolution that a vote has brought: the next event has to say it. */
export interface ExpectedResolution {
  readonly vote: ReplayEvent
  readonly op: string
  readonly outcome: 'approved' | 'rejected'
  /** The amended input; undefined where there is none, null where nobody can tell. */
  readonly amendedText: string | undefined | null
}

/** What the journal of a run has told so far. */
export class RunState {
  readonly run: string
  readonly history: LawHistory
  readonly findings: Findings
  readonly #ops = new Map<string, OpState>()
  /** Ops whose child has ended after people decided something in it. */
  readonly restricted = new Set<string>()
  /** Which op has used an approval, by the op of the approval. */
  readonly uses = new Map<string, string>()
  /** The last intent of each op. */
  readonly intents = new Map<string, Intent>()
  started: Started | undefined
  cancelSeq: number | undefined
  /** The latest position in the governance stream that any event so far has seen. */
  seenSeq = -1
  expected: ExpectedResolution | undefined

  constructor(run: string, history: LawHistory, findings: Findings) {
    this.run = run
    this.history = history
    this.findings = findings
  }

  /** An op that something was told of; undefined before. */
  peek(op: string): OpState | undefined {
    return this.#ops.get(op)
  }

  /** The op that an event is about. */
  op(op: string, { verb, name }: { readonly verb: string; readonly name: string }): OpState {
    const known = this.#ops.get(op)
    if (known !== undefined) return known
    const made = newOp(verb, name)
    this.#ops.set(op, made)
    return made
  }
}

// Shared until there is something: most ops are neither voted on nor stated.
const nothing: ReadonlySet<string> = new Set()
const noOne: readonly string[] = []

/** A set with one more in it; only one that is not shared is added to. */
export function withOne(set: ReadonlySet<string>, one: string): ReadonlySet<string> {
  return set === nothing ? new Set([one]) : (set as Set<string>).add(one)
}

function newOp(verb: string, name: string): OpState {
  return {
    verb,
    name,
    asked: undefined,
    requestedSeq: -1,
    isShownKnown: true,
    isAmendmentKnown: true,
    isEscalated: false,
    votes: nothing,
    withdrawn: noOne,
    last: undefined,
    attempt: 0,
    isOver: false,
    inputDigest: undefined,
    authorizedAtMs: undefined,
    isInDoubt: false,
    statements: nothing,
    lastPause: undefined,
    lastDecision: undefined,
    isDeferred: false,
  }
}

/** An event about an op, read, with the state before it and, for decisions, the law that it was decided by. */
export interface Told<K extends keyof RunBodies = keyof RunBodies> {
  readonly event: ReplayEvent
  readonly body: RunBodies[K]
  readonly op: OpState
  readonly run: RunState
  readonly started: Started
}

/** A decision, and the law by which it was made. */
export interface Decision<K extends keyof RunBodies = keyof RunBodies> extends Told<K> {
  readonly law: Law
}

/** Whether two lists of roles are the same, in their order. */
export function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index])
}

/** Roles in a message. */
export function listed(roles: readonly string[]): string {
  return roles.length === 0 ? 'none' : roles.join(', ')
}
