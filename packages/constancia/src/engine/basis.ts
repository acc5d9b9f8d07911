import type { Head, StreamId } from '../journal/index.js'

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
