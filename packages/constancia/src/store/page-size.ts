import type { StoredEvent } from '../journal/index.js'

const bytesWanted = 4 * 2 ** 20
const countMax = 512

/**
 * How many events are read at once, so that a page is a few megabytes whatever events hold. It grows slowly: one page of events
 * that are suddenly large is at most some times that.
 */
export class PageSize {
  #count = 32

  get count(): number {
    return this.#count
  }

  /** Learns from a page that was read. */
  learn(events: readonly StoredEvent[]): void {
    if (events.length === 0) return
    const length = events.reduce((sum, { body, data }) => sum + body.length + (data?.length ?? 0) + overhead, 0)
    const fitting = Math.floor((bytesWanted * events.length) / length)
    this.#count = Math.max(1, Math.min(fitting, this.#count * 2, countMax))
  }
}

// Hashes, salts and the rest of an event.
const overhead = 300
