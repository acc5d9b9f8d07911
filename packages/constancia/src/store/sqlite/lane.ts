import type { ClaimedFlow } from '../index.js'
import type { DueRecord } from './due.js'
import { Level } from './level.js'
import type { Search } from './search.js'

/** The due runs of one flow, those of the highest priority first; see {@link Level}. */
export class Lane {
  readonly flow: ClaimedFlow
  readonly #search: Search
  /** Highest first. */
  readonly #priorities: readonly number[]
  readonly #reached: Level[] = []
  readonly #peeked = new Map<number, Level>()

  constructor(search: Search, flow: ClaimedFlow) {
    this.flow = flow
    this.#search = search
    this.#priorities = search.session.queue.priorities(flow.flow, flow.version)
  }

  /** Moves on to the next run that may be taken now. */
  next(): DueRecord | undefined {
    for (;;) {
      const record = this.#reached.at(-1)?.next()
      const priority = this.#priorities[this.#reached.length]
      if (record !== undefined || priority === undefined) return record
      this.#reached.push(new Level(this.#search, { ...this.flow, priority }))
    }
  }

  /** When the first of those that were not taken is due, UTC milliseconds since 1970; infinity if there is none. */
  get dueAtMs(): number {
    return Math.min(
      ...this.#priorities.map((priority, index) => (this.#reached[index] ?? this.#peek(priority)).dueAtMs),
    )
  }

  // Nothing of it is taken, so little of it is read.
  #peek(priority: number): Level {
    const level = this.#peeked.get(priority) ?? new Level({ ...this.#search, limit: 0 }, { ...this.flow, priority })
    this.#peeked.set(priority, level)
    return level
  }
}
