import { type ApprovalFold, approvalChangeOf, foldApproval, type StoredEvent } from '../../journal/index.js'
import {
  type ApprovalPlace,
  type ApprovalQuery,
  type ApprovalRow,
  approvalCursor,
  approvalPlaceOf,
  type Page,
} from '../index.js'
import type { MemoryDisk } from './disk.js'
import { limitOf } from './page.js'
import type { StoredRun } from './stored-run.js'

/** Keeps what new events do to the approvals of their run. */
export function keepApprovals(run: StoredRun, events: readonly StoredEvent[]): void {
  for (const event of events) {
    const change = approvalChangeOf(event)
    if (change === undefined) continue
    run.approvals ??= new Map()
    const fold = foldApproval(run.approvals.get(change.op), change)
    if (fold !== undefined) run.approvals.set(change.op, fold)
  }
}

/** Approvals, oldest first; see `Store.approvals`. */
export function approvals(disk: MemoryDisk, query: ApprovalQuery): Page<ApprovalRow> {
  const limit = limitOf(query.limit)
  const after = query.after === undefined ? undefined : approvalPlaceOf(query.after)
  const runs = query.run === undefined ? disk.all() : [disk.find(query.run)]
  const rows = runs
    .flatMap((run) => [...(run?.approvals?.values() ?? [])].map((fold) => rowOf(run as StoredRun, fold)))
    .filter((row) => fits(row, query) && (after === undefined || compare(row, after) > 0))
    .sort(compare)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? approvalCursor(last) : undefined }
}

function rowOf({ row: { id: run, flow, actor, outcome } }: StoredRun, fold: ApprovalFold): ApprovalRow {
  const status = fold.status === 'open' && outcome !== 'open' ? 'closed' : fold.status
  return { ...fold, run, flow, actor, status }
}

function fits({ roles, status }: ApprovalRow, query: ApprovalQuery): boolean {
  if (query.role !== undefined && !roles.includes(query.role)) return false
  return query.status === undefined || status === query.status
}

function compare(one: ApprovalPlace, other: ApprovalPlace): number {
  if (one.requestedAtMs !== other.requestedAtMs) return one.requestedAtMs - other.requestedAtMs
  if (one.run !== other.run) return one.run < other.run ? -1 : 1
  return one.op === other.op ? 0 : one.op < other.op ? -1 : 1
}
