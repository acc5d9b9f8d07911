import type { ClaimedFlow } from '../index.js'
import type { DueRecord } from './claim-table.js'
import { beyond } from './held-back.js'
import type { DueRun } from './queue-table.js'
import type { Room } from './room.js'
import type { Session } from './session.js'

/** What one claim looks through its lanes with. */
export interface Search {
  readonly session: Session
  readonly room: Room
  readonly nowMs: number
  /** Streams that were taken meanwhile. */
  readonly taken: ReadonlySet<number>
  /** So many runs are wanted of all lanes together. */
  readonly limit: number
}

// So many runs are looked at in the order of their times before the keys at their limits are passed over all at once.
const windowMin = 64

/**
 * The due runs of one flow, in the order of their times. Runs that a limit holds back are passed over; those whose time has not
 * come are not asked for their limits, for who knows what holds then.
 */
export class Lane {
  readonly flow: ClaimedFlow
  readonly #search: Search
  readonly #isLimited: boolean
  #rows: readonly DueRun[]
  #place = 0
  /** Whether there is nothing behind the rows at hand. */
  #isLast: boolean

  constructor(search: Search, flow: ClaimedFlow) {
    this.flow = flow
    this.#search = search
    this.#isLimited = flow.runningMax !== undefined || flow.runningPerKeyMax !== undefined
    // One more than can be taken: the first that is left over tells when to come again.
    const limit = this.#isLimited ? Math.max(search.limit + 1, windowMin) : search.limit + 1
    const { claims, queue } = search.session
    this.#rows = (this.#isLimited ? queue : claims).due({ ...flow, limit })
    this.#isLast = this.#rows.length < limit
  }

  /** Moves on to the next run that may be taken now. */
  next(): DueRecord | undefined {
    const row = this.#first()
    if (row === undefined || row.due_at > this.#search.nowMs) return undefined
    this.#place++
    return 'id' in row ? (row as DueRecord) : this.#search.session.claims.record(row.stream)
  }

  /** When the first of those that were not taken is due, UTC milliseconds since 1970; infinity if there is none. */
  get dueAtMs(): number {
    return this.#first()?.due_at ?? Number.POSITIVE_INFINITY
  }

  #first(): DueRun | undefined {
    for (;;) {
      const row = this.#rows[this.#place]
      if (row === undefined && this.#isLast) return undefined
      if (row === undefined) this.#refill()
      else if (!this.#holdsBack(row)) return row
      else this.#place++
    }
  }

  #holdsBack({ due_at: dueAtMs, key }: DueRun): boolean {
    const { room, nowMs } = this.#search
    if (!this.#isLimited || dueAtMs > nowMs) return false
    return room.ofFlow(this.flow) <= 0 || room.ofKey(this.flow, key) <= 0
  }

  #refill(): void {
    const { session, limit, taken } = this.#search
    this.#place = 0
    if (this.#isLimited) {
      const due = this.#search.room.ofFlow(this.flow) <= 0 ? [] : beyond(this.#search, this.flow)
      this.#isLast = due.length <= limit
      this.#rows = this.#isLast ? [...due, ...this.#later()] : due
      return
    }
    const query = { ...this.flow, limit: limit + 1 + taken.size }
    const rows = session.claims.due(query)
    this.#isLast = rows.length < query.limit
    this.#rows = rows.filter(({ stream }) => !taken.has(stream))
  }

  // The first whose time is to come; what was taken just now is of no interest.
  #later(): DueRun[] {
    const { session, nowMs, taken } = this.#search
    const rows = session.queue.after({ ...this.flow, nowMs, limit: 1 + taken.size })
    return rows.filter(({ stream }) => !taken.has(stream)).slice(0, 1)
  }
}
