import type { RunId } from '../../journal/index.js'
import {
  type OpenRuns,
  type RunStatus,
  type WorkerNote,
  type WorkerRow,
  workerForgottenMs,
  workerRowOf,
} from '../index.js'
import type { Session } from './session.js'

const announceSql = `
  WITH forgotten AS (DELETE FROM {schema}.workers WHERE id <> $1 AND alive_until <= {schema}.now_ms() - $4::bigint)
  INSERT INTO {schema}.workers AS w (id, since, announced_at, alive_until, note)
  SELECT $1, c.ms, c.ms, c.ms + $2::bigint, $3 FROM (SELECT {schema}.now_ms() AS ms) AS c
  ON CONFLICT (id) DO UPDATE SET announced_at = excluded.announced_at, alive_until = excluded.alive_until, note = excluded.note`

/** Notes that a worker is there; see `Store.announce`. */
export async function announce(session: Session, note: WorkerNote, forMs: number): Promise<void> {
  const values = [note.id, Math.ceil(forMs), JSON.stringify(note), workerForgottenMs]
  await session.connections.query(session.sql(announceSql), values)
}

/** Strikes a worker off; see `Store.depart`. */
export async function depart(session: Session, id: string): Promise<void> {
  await session.connections.query(session.sql('DELETE FROM {schema}.workers WHERE id = $1'), [id])
}

const select = `
  SELECT w.since, w.announced_at, w.alive_until, w.note, {schema}.now_ms() AS now_ms FROM {schema}.workers AS w
  ORDER BY w.since, w.id`

/** Those that are there; see `Store.workers`. */
export async function workers(session: Session): Promise<WorkerRow[]> {
  const records = await session.connections.query(session.sql(select))
  const rows = records.map((record) => {
    const moments = { sinceMs: Number(record['since']), announcedAtMs: Number(record['announced_at']) }
    const note = JSON.parse(String(record['note'])) as WorkerNote
    return workerRowOf({ note, ...moments, untilMs: Number(record['alive_until']) }, Number(record['now_ms']))
  })
  return rows.filter((row) => row !== undefined)
}

interface OpenRecord {
  readonly flow: string
  readonly version: number
  readonly status: RunStatus
  readonly run_count: number
  readonly worker: string | null
  readonly worker_id: string | null
  readonly is_alive: boolean | null
  readonly oldest: RunId
  readonly since: number | null
}

const selectOpen = `
  SELECT o.flow, o.version, o.status, count(*)::integer AS run_count, o.worker, o.worker_id,
    max(o.lease_until) > {schema}.now_ms() AS is_alive, min(o.since) AS since,
    (array_agg(o.id ORDER BY o.since, o.id) FILTER (WHERE o.worker IS NOT NULL))[1] AS oldest
  FROM (
    SELECT r.flow, r.version, r.status, r.id, CASE WHEN r.claim_id IS NOT NULL THEN r.worker END AS worker,
      CASE WHEN r.claim_id IS NOT NULL AND r.held_epoch = r.epoch THEN r.held_by END AS worker_id,
      CASE WHEN r.claim_id IS NOT NULL AND r.held_epoch = r.epoch THEN r.held_since END AS since,
      CASE WHEN r.claim_id IS NOT NULL THEN r.due_at END AS lease_until
    FROM {schema}.runs AS r WHERE r.status IN ('ready', 'running', 'waiting', 'paused', 'stuck')) AS o
  GROUP BY o.flow, o.version, o.status, o.worker, o.worker_id`

/** Open runs, counted; see `Store.openRuns`. */
export async function openRuns(session: Session): Promise<OpenRuns[]> {
  const records = (await session.connections.query(session.sql(selectOpen))) as unknown as OpenRecord[]
  return records.map(({ flow, version, status, run_count: runCount, worker, worker_id: workerId, ...held }) => {
    const { is_alive: isAlive, oldest: oldestRun, since } = held
    const holder =
      worker === null
        ? undefined
        : { worker, workerId: workerId ?? undefined, isAlive: isAlive === true, oldestRun, sinceMs: since ?? undefined }
    return { flow, version, status, runCount, holder }
  })
}
