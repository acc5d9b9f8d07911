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
    WHERE r.flow = $1 AND r.version = $2 AND r.due_at <= $3 AND r.stream <> ALL ($4::bigint[])
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

/** The due runs of one flow, in the order of their times, each locked. Runs that a limit holds back are passed over. */
export class DueRuns {
  readonly flow: ClaimedFlow
  readonly #search: Search
  #rows: RunRecord[] = []
  #isLast = false

  constructor(search: Search, flow: ClaimedFlow) {
    this.flow = flow
    this.#search = search
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
    if (room.isFull(this.flow)) {
      this.#isLast = true
      return
    }
    const values = [flow, version, nowMs, arrayOf(seen), arrayOf(room.fullKeys(this.flow)), limit]
    this.#rows = (await on.query(session.sql(selectDue), values)) as unknown as RunRecord[]
    this.#isLast = this.#rows.length < limit
    seen.push(...this.#rows.map(({ stream }) => stream))
  }
}

const selectNext = `
  SELECT l.place::integer AS place, {schema}.now_ms() AS now_ms, (
    SELECT r.due_at FROM {schema}.runs AS r
    WHERE r.flow = l.flow AND r.version = l.version AND r.due_at IS NOT NULL AND r.stream <> ALL ($3::bigint[])
    ORDER BY r.due_at LIMIT 1) AS due_at
  FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS l (flow, version, place)`

const selectNextLimited = `
  SELECT least((
    SELECT r.due_at FROM {schema}.runs AS r
    WHERE r.flow = $1 AND r.version = $2 AND r.due_at > $3 AND r.stream <> ALL ($4::bigint[])
    ORDER BY r.due_at LIMIT 1), (
    SELECT r.due_at FROM {schema}.runs AS r
    WHERE NOT $6::boolean AND r.flow = $1 AND r.version = $2 AND r.due_at <= $3 AND r.stream <> ALL ($4::bigint[])
      AND (r.key IS NULL OR r.key <> ALL ($5::text[]))
    ORDER BY r.due_at LIMIT 1)) AS due_at`

/** When the first run of flows without limits is due that is none of those passed over, and what time it is. */
export async function nextOfUnlimited(
  session: Session,
  on: Connection,
  { flows, passed }: { readonly flows: readonly ClaimedFlow[]; readonly passed: readonly number[] },
): Promise<{ readonly dueAtMs: number; readonly nowMs: number }> {
  const open = flows.filter((flow) => !isLimited(flow))
  // Without any flow it is asked for the time alone.
  const asked = open.length === 0 ? [{ flow: '', version: -1 }] : open
  const values = [arrayOf(asked.map(({ flow }) => flow)), arrayOf(asked.map(({ version }) => version)), arrayOf(passed)]
  const rows = await on.query(session.sql(selectNext), values)
  const dueAtMs = Math.min(...rows.map(({ due_at: due }) => (due === null ? Number.POSITIVE_INFINITY : Number(due))))
  return { dueAtMs, nowMs: Number(rows[0]?.['now_ms']) }
}

/** The same of flows with limits; what a limit holds back now does not count, what comes later does. */
export async function nextOfLimited(search: Search, flows: readonly ClaimedFlow[]): Promise<number> {
  const { session, on, room, nowMs, seen } = search
  let first = Number.POSITIVE_INFINITY
  for (const flow of flows.filter(isLimited)) {
    const values = [flow.flow, flow.version, nowMs, arrayOf(seen), arrayOf(room.fullKeys(flow)), room.isFull(flow)]
    const [row] = await on.query(session.sql(selectNextLimited), values)
    if (row !== undefined && row['due_at'] !== null) first = Math.min(first, Number(row['due_at']))
  }
  return first
}
