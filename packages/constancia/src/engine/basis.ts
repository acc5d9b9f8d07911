import { type Head, nothingSeen, type StreamId, seenOf } from '../journal/index.js'
import type { Facts } from '../store/index.js'

/**
 * What decisions are made from: a stream, as far as this process knows it, and the time. A decision is stored only while the stream
 * still ends there; otherwise this catches up, and it is decided anew.
 */
export interface Basis {
  readonly stream: StreamId
  readonly head: Head
  /** What time it is by all that this process knows: its own clock may lag behind the database's. UTC milliseconds since 1970. */
  readonly nowMs: number
  /** Reads on. Rejects with faults of the store. */
  catchUp(): Promise<void>
  /** Takes note of what time it was by the database's clock just now. */
  noteTime(nowMs: number): void
  /** Whether what the stream says changes by itself within so many milliseconds, because something in it ends. */
  changesWithin(ms: number): boolean
  /** Decides from the stream and the time as a transaction of the store has them. Undefined where more has to be read first. */
  asOf<T>(facts: Pick<Facts, 'basisHead' | 'news' | 'nowMs'>, decide: () => T): T | undefined
}

/** What an event says was known when it was written; see `seenOf`. */
export function seenBy(basis: Basis | undefined): string {
  return basis === undefined ? nothingSeen : seenOf(basis.head)
}

/** Where the basis ends that an append was decided from, as the store compares it, and when it was decided. */
export function decidedFrom(basis: Basis | undefined): {
  readonly basis?: { readonly stream: StreamId; readonly head: Head; readonly atMs: number }
} {
  return basis === undefined ? {} : { basis: { stream: basis.stream, head: basis.head, atMs: basis.nowMs } }
}
