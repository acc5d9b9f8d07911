import type { RunId } from '../../journal/index.js'
import {
  type OpenRuns,
  type RunStatus,
  type WorkerNote,
  type WorkerRow,
  workerForgottenMs,
  workerRowOf,
} from '../index.js'
import type { Database } from './driver.js'

/** Who is alive, and who holds what. */
export interface WorkerTable {
  /** Notes that a worker is there until a moment, and forgets those that are long gone. */
  announce(note: WorkerNote, when: { readonly nowMs: number; readonly untilMs: number }): void
  depart(id: string): void
  /** See `Store.workers`. */
  list(nowMs: number): WorkerRow[]
  /** See `Store.openRuns`. */
  openRuns(nowMs: number): OpenRuns[]
}

interface WorkerRecord {
  readonly since: number
  readonly announced_at: number
  readonly alive_until: number
  readonly note: string
}

interface OpenRecord {
  readonly flow: string
  readonly version: number
  readonly status: RunStatus
  readonly runCount: number
  readonly worker: string | null
  readonly workerId: string | null
  readonly leaseUntilMs: number | null
  readonly id: RunId
  readonly sinceMs: number | null
}

// Where a query asks for one minimum alone, its other columns are of the row that has it.
const selectOpen = `
  SELECT flow, version, status, worker, held_by AS workerId, sum(count) AS runCount, max(lease_until) AS leaseUntilMs, id,
    nullif(min(held_since), 9e15) AS sinceMs
  FROM (
    SELECT flow, version, status, 1 AS count, id, CASE WHEN claim_id IS NOT NULL THEN worker END AS worker,
      CASE WHEN claim_id IS NOT NULL AND held_epoch = epoch THEN held_by END AS held_by,
      CASE WHEN claim_id IS NOT NULL AND held_epoch = epoch THEN held_since ELSE 9e15 END AS held_since,
      CASE WHEN claim_id IS NOT NULL THEN due_at END AS lease_until
    FROM runs WHERE status IN ('ready', 'running', 'waiting', 'paused', 'stuck'))
  GROUP BY flow, version, status, worker, held_by`

/** Prepares the statements of the registry of workers. */
export function workerTable(database: Database): WorkerTable {
  const forget = database.prepare('DELETE FROM workers WHERE alive_until <= ?')
  const announce = database.prepare(`
    INSERT INTO workers (id, since, announced_at, alive_until, note) VALUES (?1, ?2, ?2, ?3, ?4)
    ON CONFLICT (id) DO UPDATE SET announced_at = ?2, alive_until = ?3, note = ?4`)
  const depart = database.prepare('DELETE FROM workers WHERE id = ?')
  const list = database.prepare('SELECT since, announced_at, alive_until, note FROM workers ORDER BY since, id')
  const open = database.prepare(selectOpen)
  return {
    announce: (note, { nowMs, untilMs }) => {
      forget.run(nowMs - workerForgottenMs)
      announce.run(note.id, nowMs, untilMs, JSON.stringify(note))
    },
    depart: (id) => void depart.run(id),
    list: (nowMs) =>
      (list.all() as unknown as WorkerRecord[])
        .map((record) => workerRowOf(announcedOf(record), nowMs))
        .filter((row) => row !== undefined),
    openRuns: (nowMs) => (open.all() as unknown as OpenRecord[]).map((record) => openRunsOf(record, nowMs)),
  }
}

function announcedOf(record: WorkerRecord) {
  const { since: sinceMs, announced_at: announcedAtMs, alive_until: untilMs } = record
  return { note: JSON.parse(record.note) as WorkerNote, sinceMs, announcedAtMs, untilMs }
}

function openRunsOf(record: OpenRecord, nowMs: number): OpenRuns {
  const { flow, version, status, runCount, worker, workerId, leaseUntilMs, id, sinceMs } = record
  const holder =
    worker === null
      ? undefined
      : {
          worker,
          workerId: workerId ?? undefined,
          isAlive: (leaseUntilMs ?? 0) > nowMs,
          oldestRun: id,
          sinceMs: sinceMs ?? undefined,
        }
  return { flow, version, status, runCount, holder }
}
