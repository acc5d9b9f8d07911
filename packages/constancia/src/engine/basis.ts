import { type Head, nothingSeen, type StreamId, seenOf } from '../journal/index.js'
import type { AppendBasis, Facts } from '../store/index.js'

/**
 * What decisions are made from: a stream, as far as this process knows it, and the time. A decision is stored only while the stream
 * still ends there; otherwise this catches up, and it is decided anew.
 */
export interface Basis {
  readonly stream: StreamId
  readonly head: Head
  /** What time it is by all that this process knows: its own clock may lag behind the database's. UTC milliseconds since 1970. */
  readonly nowMs: number
  /** What time it is by the database's clock, as far as this process knows: its own may also run ahead. UTC milliseconds since 1970. */
  readonly databaseMs: number
  /** Reads on. Rejects with faults of the store. */
  catchUp(): Promise<void>
  /** Takes note of what time it was by the database's clock just now. */
  noteTime(nowMs: number): void
  /** When what the stream says changes next by itself, because something in it ends, UTC milliseconds since 1970; Infinity if never. */
  readonly untilMs: number
  /** Decides from the stream and the time as a transaction of the store has them. Undefined where more has to be read first. */
  asOf<T>(facts: Pick<Facts, 'basisHead' | 'news' | 'nowMs'>, decide: () => T): T | undefined
}

/** What an event says was known when it was written; see `seenOf`. */
export function seenBy(basis: Basis | undefined): string {
  return basis === undefined ? nothingSeen : seenOf(basis.head)
}

/** Where the basis ends that an append was decided from, as the store compares it, when it was decided, and until when that holds. */
export function decidedFrom(basis: Basis | undefined): {
  readonly basis?: AppendBasis
} {
  if (basis === undefined) return {}
  const { stream, head, nowMs: atMs, untilMs } = basis
  return { basis: { stream, head, atMs, ...(untilMs === Infinity ? {} : { untilMs }) } }
}
