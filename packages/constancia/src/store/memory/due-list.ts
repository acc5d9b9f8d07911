import type { StoredRun } from './stored-run.js'

/** A run and when it is due. */
export interface Due {
  /** UTC milliseconds since 1970. */
  readonly dueAtMs: number
  readonly run: StoredRun
}

/** The runs of a flow that have a due time: a list for each priority, the highest first. */
export class DueLists {
  readonly #levels: { readonly priority: number; readonly list: DueList }[] = []

  /** Those of the highest priority first; lists may be empty. */
  get lists(): readonly DueList[] {
    return this.#levels.map(({ list }) => list)
  }

  /** The list of a priority. */
  of(priority: number): DueList {
    const known = this.#levels.find((level) => level.priority === priority)
    if (known !== undefined) return known.list
    const list = new DueList()
    const place = this.#levels.findIndex((level) => level.priority < priority)
    this.#levels.splice(place < 0 ? this.#levels.length : place, 0, { priority, list })
    return list
  }
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
