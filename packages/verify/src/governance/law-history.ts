import { hexOf, utf8Of } from '../bytes.js'
import type { Sha256 } from '../crypto.js'
import { canonicalText, type Json } from './canonical.js'
import type { DeclaredContract } from './contract.js'
import { Law, type LawEntry } from './law.js'

/** The law as it was at a position, or why that is not known. */
export type LawThen = { readonly kind: 'law'; readonly law: Law } | { readonly kind: 'unknown'; readonly why: string }

const snapshotCountMax = 32
// Things in all laws that are kept: some 50 bytes each.
const snapshotSizeMax = 500_000

interface Snapshot {
  readonly eventCount: number
  readonly law: Law
}

/**
 * All laws that there ever were: the law after each event of the governance stream. Folded once; a law of the past is made from the nearest one
 * that is kept, so that neighbouring positions cost nothing. Kept are what the events say (not their texts), and a bounded number of laws.
 */
export class LawHistory {
  /** The hash function that it was given. */
  readonly sha256: Sha256
  readonly #entries: LawEntry[] = []
  readonly #moments: number[] = []
  readonly #contracts = new Map<string, DeclaredContract>()
  readonly #schemas = new WeakMap<DeclaredContract, Map<string, string>>()
  readonly #last = new Law()
  #snapshots: Snapshot[] = [{ eventCount: 0, law: new Law() }]
  #spacing = 64
  #cursor = new Law()
  #unknown: { readonly seq: number; readonly why: string } | undefined

  constructor(sha256: Sha256) {
    this.sha256 = sha256
  }

  /** How many events there are. */
  get eventCount(): number {
    return this.#entries.length
  }

  /** Takes the next event, and its moment in UTC milliseconds since 1970. */
  add(entry: LawEntry, atMs: number): void {
    const shared = this.#shared(entry)
    this.#entries.push(shared)
    this.#moments.push(atMs)
    if (this.#unknown !== undefined) return
    this.#last.take(shared)
    if (this.#entries.length % this.#spacing === 0) this.#keep()
  }

  /** From this event on nobody can tell what the law was. */
  lose(seq: number, why: string): void {
    this.#unknown ??= { seq, why }
  }

  /** The law after the event at this position; before the first for -1. It is good until the next call. */
  at(seq: number): LawThen {
    const unknown = this.#unknown
    if (unknown !== undefined && seq >= unknown.seq) return { kind: 'unknown', why: unknown.why }
    if (seq >= this.#entries.length) return { kind: 'unknown', why: `event ${seq} of governance is not in the file` }
    const count = seq + 1
    const kept = this.#snapshots.findLast(({ eventCount }) => eventCount <= count) as Snapshot
    const isFarther = this.#cursor.eventCount > count || this.#cursor.eventCount < kept.eventCount
    if (isFarther) this.#cursor = kept.law.copy()
    for (let next = this.#cursor.eventCount; next < count; next++) this.#cursor.take(this.#entries[next] as LawEntry)
    return { kind: 'law', law: this.#cursor }
  }

  /** The moment of an event, UTC milliseconds since 1970; undefined where there is none. */
  momentOf(seq: number): number | undefined {
    return this.#moments[seq]
  }

  /** The digest of the schema that a contract has for the input of an action; null where it has no such action. */
  readonly schemaDigestOf = (contract: DeclaredContract | undefined, action: string): string | null => {
    const declared = contract?.actions.find(({ name }) => name === action)
    if (contract === undefined || declared === undefined) return null
    const known = this.#schemas.get(contract) ?? new Map<string, string>()
    this.#schemas.set(contract, known)
    const digest = known.get(action) ?? this.digestOf(canonicalText(declared.input as Json))
    known.set(action, digest)
    return digest
  }

  /** The SHA-256 of a text as UTF-8, lower-case hex. */
  digestOf(text: string): string {
    return hexOf(this.sha256(utf8Of(text)))
  }

  // A contract that is proposed and then put in force, or put in force again, is kept once.
  #shared(entry: LawEntry): LawEntry {
    const { declared, body } = entry
    if (declared === undefined || body === undefined || !('digest' in body)) return entry
    const known = this.#contracts.get(body.digest) ?? declared
    this.#contracts.set(body.digest, known)
    return { ...entry, declared: known }
  }

  #keep(): void {
    this.#snapshots.push({ eventCount: this.#entries.length, law: this.#last.copy() })
    const isSmall = this.#snapshots.length * this.#last.size <= snapshotSizeMax
    if (this.#snapshots.length <= (isSmall ? snapshotCountMax : 2)) return
    this.#snapshots = this.#snapshots.filter((_, index) => index % 2 === 0)
    this.#spacing *= 2
  }
}
