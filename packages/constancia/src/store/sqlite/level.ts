import type { DueRecord } from './due.js'
import { beyond } from './held-back.js'
import type { DueRun } from './queue-table.js'
import type { LevelOfFlow, Search } from './search.js'

// So many runs are looked at in the order of their times before the keys at their limits are passed over all at once.
const windowMin = 64

/**
 * The due runs of one flow and priority, in the order of their times. Runs that a limit holds back are passed over; those whose
 * time has not come are not asked for their limits, for who knows what holds then.
 */
export class Level {
  readonly #flow: LevelOfFlow
  readonly #search: Search
  readonly #isLimited: boolean
  #rows: readonly DueRun[]
  #place = 0
  /** Whether there is nothing behind the rows at hand. */
  #isLast: boolean

  constructor(search: Search, flow: LevelOfFlow) {
    this.#flow = flow
    this.#search = search
    this.#isLimited = flow.runningMax !== undefined || flow.runningPerKeyMax !== undefined
    // One more than can be taken: the first that is left over tells when to come again.
    const limit = this.#isLimited ? Math.max(search.limit + 1, windowMin) : search.limit + 1
    this.#rows = this.#look(limit)
    this.#isLast = this.#rows.length < limit
  }

  /** Moves on to the next run that may be taken now. */
  next(): DueRecord | undefined {
    const row = this.#first()
    if (row === undefined || row.dueAtMs > this.#search.nowMs) return undefined
    this.#place++
    return 'fold' in row ? (row as DueRecord) : this.#search.session.due.record(row.streamNo)
  }

  /** When the first of those that were not taken is due, UTC milliseconds since 1970; infinity if there is none. */
  get dueAtMs(): number {
    return this.#first()?.dueAtMs ?? Number.POSITIVE_INFINITY
  }

  // Without limits what is due is taken, so all that a claim needs is read at once; of what sleeps only the first matters.
  #look(limit: number): readonly DueRun[] {
    const { nowMs, session } = this.#search
    if (this.#isLimited || this.#search.limit === 0) return session.queue.due({ ...this.#flow, limit })
    const due = session.due.list({ ...this.#flow, nowMs, limit })
    return due.length < limit ? [...due, ...this.#later()] : due
  }

  #first(): DueRun | undefined {
    let row = this.#nextOfRows()
    while (row === undefined && !this.#isLast) {
      this.#refill()
      row = this.#nextOfRows()
      // What comes after the first rows was chosen by the limits, so it holds one that may be taken; else nothing does.
      if (this.#isLimited && row === undefined) this.#isLast = true
    }
    return row
  }

  #nextOfRows(): DueRun | undefined {
    let row = this.#rows[this.#place]
    while (row !== undefined && this.#holdsBack(row)) row = this.#rows[++this.#place]
    return row
  }

  #holdsBack({ dueAtMs, key }: DueRun): boolean {
    const { room, nowMs } = this.#search
    if (!this.#isLimited || dueAtMs > nowMs) return false
    return room.ofFlow(this.#flow) <= 0 || room.ofKey(this.#flow, key) <= 0
  }

  #refill(): void {
    const { limit, taken } = this.#search
    this.#place = 0
    if (this.#isLimited) {
      const due = this.#search.room.ofFlow(this.#flow) <= 0 ? [] : beyond(this.#search, this.#flow)
      this.#isLast = due.length <= limit
      this.#rows = this.#isLast ? [...due, ...this.#later()] : due
      return
    }
    const rows = this.#look(limit + 1 + taken.size)
    this.#isLast = rows.length < limit + 1 + taken.size
    this.#rows = rows.filter(({ streamNo }) => !taken.has(streamNo))
  }

  // The first whose time is to come; what was taken just now is of no interest.
  #later(): DueRun[] {
    const { session, nowMs, taken } = this.#search
    const rows = session.queue.after({ ...this.#flow, nowMs, limit: 1 + taken.size })
    return rows.filter(({ streamNo }) => !taken.has(streamNo)).slice(0, 1)
  }
}
