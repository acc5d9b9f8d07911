import type { StoredRun } from './stored-run.js'

/** A run and when it is due. */
export interface Due {
  /** UTC milliseconds since 1970. */
  readonly dueAtMs: number
  readonly run: StoredRun
}

/** Runs in the order of their due times; of the same time, older runs first. */
export class DueList {
  readonly #entries: Due[] = []

  /** The run at a place, from 0 for the first that is due. */
  at(index: number): Due | undefined {
    return this.#entries[index]
  }

  add(due: Due): void {
    this.#entries.splice(this.#placeOf(due), 0, due)
  }

  /** Removes what was added with the same run and time. */
  delete(due: Due): void {
    const place = this.#placeOf(due)
    if (this.#entries[place]?.run === due.run) this.#entries.splice(place, 1)
  }

  // Where it is, or would be.
  #placeOf(due: Due): number {
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      const entry = this.#entries[middle]
      if (entry !== undefined && isBefore(entry, due)) low = middle + 1
      else high = middle
    }
    return low
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.dueAtMs === other.dueAtMs ? one.run.no < other.run.no : one.dueAtMs < other.dueAtMs
}
