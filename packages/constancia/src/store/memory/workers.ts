import type { OpenRuns, WorkerNote, WorkerRow } from '../index.js'
import { workerRowOf } from '../index.js'
import type { Handle } from './handle.js'
import type { StoredRun } from './stored-run.js'

/** Notes that a worker is there; see `Store.announce`. */
export function announce({ disk, parts }: Handle, note: WorkerNote, forMs: number): void {
  const nowMs = parts.clock.now()
  for (const [id, announced] of disk.workers) if (workerRowOf(announced, nowMs) === undefined) disk.workers.delete(id)
  const sinceMs = disk.workers.get(note.id)?.sinceMs ?? nowMs
  disk.workers.set(note.id, { note, sinceMs, announcedAtMs: nowMs, untilMs: nowMs + forMs })
}

/** Those that are there; see `Store.workers`. */
export function workers({ disk, parts }: Handle): WorkerRow[] {
  const rows = [...disk.workers.values()].map((announced) => workerRowOf(announced, parts.clock.now()))
  return rows.filter((row) => row !== undefined).sort((one, other) => one.sinceMs - other.sinceMs)
}

/** Open runs, counted; see `Store.openRuns`. */
export function openRuns({ disk, parts }: Handle): OpenRuns[] {
  const groups = new Map<string, StoredRun[]>()
  for (const run of disk.all()) {
    const { flow, version, status, outcome, claim } = run.row
    if (outcome !== 'open') continue
    const key = JSON.stringify([flow, version, status, claim?.worker, claim?.workerId])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [run])
    else group.push(run)
  }
  return [...groups.values()].map((group) => countOf(group, parts.clock.now()))
}

function countOf(group: readonly StoredRun[], nowMs: number): OpenRuns {
  const [first] = group.toSorted((one, other) => sinceOf(one) - sinceOf(other) || one.no - other.no) as [StoredRun]
  const { id, flow, version, status, claim } = first.row
  const holder = claim && {
    worker: claim.worker,
    workerId: claim.workerId,
    isAlive: group.some(({ row }) => (row.claim?.leaseUntilMs ?? 0) > nowMs),
    oldestRun: id,
    sinceMs: claim.sinceMs,
  }
  return { flow, version, status, runCount: group.length, holder }
}

function sinceOf({ row }: StoredRun): number {
  return row.claim?.sinceMs ?? 0
}
