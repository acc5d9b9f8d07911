import { emptyHead, type Head, type StreamId } from '../../journal/index.js'
import type { Database, Statement } from './driver.js'

/**
 * Where streams that belong to no run end, remembered from transaction to transaction as {@link Tips} are. Only for use within
 * one.
 */
export class StreamHeads {
  readonly #last: Statement
  readonly #heads = new Map<StreamId, Head>()

  constructor(database: Database) {
    this.#last = database.prepare(`
      SELECT e.seq, lower(hex(e.hash)) AS hash, e.at FROM events AS e
      WHERE e.stream = (SELECT no FROM streams WHERE name = ?) ORDER BY e.seq DESC LIMIT 1`)
  }

  get(stream: StreamId): Head {
    const known = this.#heads.get(stream)
    if (known !== undefined) return known
    const head = { ...((this.#last.get(stream) as Head | undefined) ?? emptyHead(stream)) }
    this.#heads.set(stream, head)
    return head
  }

  /** Remembers what the transaction under way adds. */
  set(stream: StreamId, head: Head): void {
    this.#heads.set(stream, head)
  }

  /** Forgets everything: it was not committed, or somebody else committed. */
  forgetAll(): void {
    this.#heads.clear()
  }
}
