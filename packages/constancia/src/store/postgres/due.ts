import type { ClaimedFlow } from '../index.js'
import type { Connection } from './driver.js'
import { arrayOf } from './literals.js'
import { isLimited, type Room } from './room.js'
import { type RunRecord, recordColumns } from './run-record.js'
import type { Session } from './session.js'

// Rows that another claim looks at just now are passed over. The rows are chosen once and for all before anything is done with
// them: a planner that ran the choice again for each row would take more than were asked for.
const selectDue = `
  WITH picked AS MATERIALIZED (
    SELECT r.* FROM {schema}.runs AS r
    WHERE r.flow = $1 AND r.version = $2 AND r.priority = $7 AND r.due_at <= $3 AND r.stream <> ALL ($4::bigint[])
      AND (r.key IS NULL OR r.key <> ALL ($5::text[]))
    ORDER BY r.due_at, r.stream LIMIT $6
    FOR NO KEY UPDATE SKIP LOCKED)
  SELECT ${recordColumns} FROM picked AS r ORDER BY r.due_at, r.stream`

/** What one claim looks through its flows with. */
export interface Search {
  readonly session: Session
  readonly on: Connection
  readonly room: Room
  readonly nowMs: number
  /** Streams that were looked at. */
  readonly seen: number[]
  /** So many runs are wanted of all flows together. */
  readonly limit: number
}

/**
 * The due runs of one flow, those of the highest priority first, then in the order of their times, each locked. Runs that a limit
 * holds back are passed over.
 */
export class DueRuns {
  readonly flow: ClaimedFlow
  readonly #search: Search
  /** Those that are still to be asked for, highest first. */
  readonly #priorities: number[]
  #rows: RunRecord[] = []
  #isLast = false

  constructor(search: Search, flow: ClaimedFlow, priorities: readonly number[]) {
    this.flow = flow
    this.#search = search
    this.#priorities = [...priorities]
  }

  /** Moves on to the next run that may be taken now. */
  async next(): Promise<RunRecord | undefined> {
    for (;;) {
      const row = this.#rows.shift()
      if (row === undefined && this.#isLast) return undefined
      if (row === undefined) await this.#refill()
      else if (!this.#search.room.holdsBack(this.flow, row.key)) return row
    }
  }

  async #refill(): Promise<void> {
    const { session, on, room, nowMs, seen, limit } = this.#search
    const { flow, version } = this.flow
    const [priority] = this.#priorities
    if (priority === undefined || room.isFull(this.flow)) {
      this.#isLast = true
      return
    }
    const values = [flow, version, nowMs, arrayOf(seen), arrayOf(room.fullKeys(this.flow)), limit, priority]
    this.#rows = (await on.query(session.sql(selectDue), values)) as unknown as RunRecord[]
    if (this.#rows.length < limit) this.#priorities.shift()
    seen.push(...this.#rows.map(({ stream }) => stream))
  }
}

// Functions, so that their plans are kept: to plan them takes longer than what they do.
const selectNext = 'SELECT * FROM {schema}.next_due($1, $2, $3)'
const selectNextLimited = 'SELECT {schema}.next_due_limited($1, $2, $3, $4, $5, $6) AS due_at'

/** When runs of some flows are due, and what time it is. UTC milliseconds since 1970. */
export interface Next {
  /** The first of them; infinity if there is none. */
  readonly dueAtMs: number
  readonly nowMs: number
  /** Of each flow, by its place: the priorities of which something is due now, highest first. */
  readonly due: ReadonlyMap<number, readonly number[]>
}

/** When the first run of these flows is due that is none of those passed over, whatever their limits. */
export async function nextOf(
  session: Session,
  on: Connection,
  { flows, passed }: { readonly flows: readonly ClaimedFlow[]; readonly passed: readonly number[] },
): Promise<Next> {
  // Without any flow it is asked for the time alone.
  const asked = flows.length === 0 ? [{ flow: '', version: -1 }] : flows
  const values = [arrayOf(asked.map(({ flow }) => flow)), arrayOf(asked.map(({ version }) => version)), arrayOf(passed)]
  const rows = await on.query(session.sql(selectNext), values)
  const nowMs = Number(rows[0]?.['next_now_ms'])
  const due = new Map<number, number[]>()
  let dueAtMs = Number.POSITIVE_INFINITY
  for (const { next_place: place, next_priority: priority, next_due_at: at } of rows) {
    if (at === null) continue
    dueAtMs = Math.min(dueAtMs, Number(at))
    const index = Number(place) - 1
    if (Number(at) <= nowMs) due.set(index, [...(due.get(index) ?? []), Number(priority)])
  }
  return { dueAtMs, nowMs, due }
}

/** The same of flows without limits. */
export function nextOfUnlimited(
  session: Session,
  on: Connection,
  { flows, passed }: { readonly flows: readonly ClaimedFlow[]; readonly passed: readonly number[] },
): Promise<Next> {
  return nextOf(session, on, { flows: flows.filter((flow) => !isLimited(flow)), passed })
}

/** When the first of flows with limits is due; what a limit holds back now does not count, what comes later does. */
export async function nextOfLimited(search: Search, flows: readonly ClaimedFlow[]): Promise<number> {
  const { session, on, room, nowMs, seen } = search
  let first = Number.POSITIVE_INFINITY
  for (const flow of flows.filter(isLimited)) {
    const held = [arrayOf(seen), arrayOf(room.fullKeys(flow)), room.isFull(flow)]
    const values = [flow.flow, flow.version, nowMs, ...held]
    const [row] = await on.query(session.sql(selectNextLimited), values)
    if (row !== undefined && row['due_at'] !== null) first = Math.min(first, Number(row['due_at']))
  }
  return first
}
