import { type Head, nothingSeen, type StreamId, seenOf } from '../journal/index.js'

/**
 * What decisions are made from: a stream, as far as this process knows it. A decision is stored only while the stream still
 * ends there; otherwise this catches up, and it is decided anew.
 */
export interface Basis {
  readonly stream: StreamId
  readonly head: Head
  /** Reads on. Rejects with faults of the store. */
  catchUp(): Promise<void>
}

/** What an event says was known when it was written; see `seenOf`. */
export function seenBy(basis: Basis | undefined): string {
  return basis === undefined ? nothingSeen : seenOf(basis.head)
}

/** Where the basis ends that an append was decided from, as the store compares it. */
export function decidedFrom(basis: Basis | undefined): {
  readonly basis?: { readonly stream: StreamId; readonly head: Head }
} {
  return basis === undefined ? {} : { basis: { stream: basis.stream, head: basis.head } }
}
