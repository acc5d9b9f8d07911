import type { Head, StreamId } from '../journal/index.js'

/** What an append was decided from. */
export interface AppendBasis {
  readonly stream: StreamId
  readonly head: Head
  /** When it was decided, UTC milliseconds since 1970: its events are dated no earlier, whatever clock dates them. */
  readonly atMs?: number
}
