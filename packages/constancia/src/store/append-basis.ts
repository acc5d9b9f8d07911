import type { Head, StreamId } from '../journal/index.js'

/** What an append was decided from. */
export interface AppendBasis {
  readonly stream: StreamId
  readonly head: Head
  /** When it was decided, UTC milliseconds since 1970: its events are dated no earlier, whatever clock dates them. */
  readonly atMs?: number
  /**
   * When what it was decided from says something else by itself, UTC milliseconds since 1970: from then on, by the store's clock, the append
   * is refused as one whose basis has moved. Never unless set.
   */
  readonly untilMs?: number
}
