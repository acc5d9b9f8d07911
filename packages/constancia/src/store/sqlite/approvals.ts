import { type ApprovalChange, approvalChangeOf, type RunId, type StoredEvent } from '../../journal/index.js'
import {
  type ApprovalQuery,
  type ApprovalRecord,
  type ApprovalRow,
  approvalCursor,
  approvalPlaceOf,
  approvalRowOf,
  type Page,
} from '../index.js'
import type { Database, Value } from './driver.js'
import { limitOf } from './run-list.js'

/** The projection `approvals`. */
export interface ApprovalTable {
  /** Keeps what events of a run do to its approvals; for most events that is nothing, and costs nothing. */
  keep(streamNo: number, run: RunId, events: readonly StoredEvent[]): void
  /** See `Store.approvals`. */
  list(query: ApprovalQuery): Page<ApprovalRow>
  /** Deletes those of a run. */
  remove(streamNo: number): void
  /** Empties the table. */
  clear(): void
}

/** Prepares the statements. */
export function approvalTable(database: Database): ApprovalTable {
  const change = changer(database)
  const remove = database.prepare('DELETE FROM approvals WHERE stream = ?')
  return {
    keep: (streamNo, run, events) => {
      for (const event of events) {
        const one = approvalChangeOf(event)
        if (one !== undefined) change(streamNo, run, one)
      }
    },
    list: lister(database),
    remove: (streamNo) => void remove.run(streamNo),
    clear: () => database.exec('DELETE FROM approvals'),
  }
}

function changer(database: Database): (streamNo: number, run: RunId, change: ApprovalChange) => void {
  const insert = database.prepare(`
    INSERT OR REPLACE INTO approvals (stream, run, op, name, action, roles, more_roles, quorum, votes, requested_at, deadline,
      escalates_at, status, shown) VALUES (?, ?, ?, ?, ?, ?, '[]', ?, 0, ?, ?, ?, 'open', ?)`)
  const update = database.prepare(`
    UPDATE approvals SET votes = votes + ?1, more_roles = ifnull(?2, more_roles),
      escalates_at = CASE WHEN ?2 IS NULL THEN escalates_at END, status = ifnull(?3, status) WHERE stream = ?4 AND op = ?5`)
  return (streamNo, run, { op, begun, voteCount = 0, escalatedTo, outcome }) => {
    if (begun === undefined) {
      update.run(
        voteCount,
        escalatedTo === undefined ? null : JSON.stringify(escalatedTo),
        outcome ?? null,
        streamNo,
        op,
      )
      return
    }
    const { name, action, roles, quorum, requestedAtMs, deadlineMs, escalatesAtMs, shown } = begun
    const about = [streamNo, run, op, name, action ?? null, JSON.stringify(roles), quorum]
    insert.run(...about, requestedAtMs, deadlineMs ?? null, escalatesAtMs ?? null, shown)
  }
}

function lister(database: Database): ApprovalTable['list'] {
  const prepared = new Map<string, ReturnType<Database['prepare']>>()
  return (query) => {
    const limit = limitOf(query.limit)
    const filters = filtersOf(query)
    const where = filters.length === 0 ? '' : `WHERE ${filters.map(([condition]) => condition).join(' AND ')}`
    const sql = `
      SELECT a.run, a.op, a.name, r.flow, r.actor, a.action, a.roles, a.more_roles, a.quorum, a.votes, a.requested_at, a.deadline,
        a.escalates_at, a.shown, CASE WHEN a.status = 'open' AND r.outcome <> 'open' THEN 'closed' ELSE a.status END AS status
      FROM approvals AS a CROSS JOIN runs AS r ON r.stream = a.stream ${where} ORDER BY a.requested_at, a.run, a.op LIMIT ?`
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    const values = filters.flatMap(([, ...some]) => some)
    const records = statement.all(...values, limit + 1) as unknown as StoredRecord[]
    const items = records.slice(0, limit).map(rowOf)
    const last = items.at(-1)
    return { items, next: records.length > limit && last !== undefined ? approvalCursor(last) : undefined }
  }
}

type Filter = readonly [condition: string, ...values: Value[]]

function filtersOf({ run, role, status, after }: ApprovalQuery): Filter[] {
  const filters: Filter[] = []
  if (run !== undefined) filters.push(['a.stream = (SELECT no FROM streams WHERE name = ?)', `run/${run}`])
  if (role !== undefined) {
    const among = (column: string): string => `EXISTS (SELECT 1 FROM json_each(a.${column}) WHERE value = ?)`
    filters.push([`(${among('roles')} OR ${among('more_roles')})`, role, role])
  }
  if (status === 'open') filters.push(["a.status = 'open' AND r.outcome = 'open'"])
  else if (status === 'closed') filters.push(["a.status = 'open' AND r.outcome <> 'open'"])
  else if (status !== undefined) filters.push(['a.status = ?', status])
  if (after !== undefined) {
    const place = approvalPlaceOf(after)
    filters.push(['(a.requested_at, a.run, a.op) > (?, ?, ?)', place.requestedAtMs, place.run, place.op])
  }
  return filters
}

interface StoredRecord extends Omit<ApprovalRecord, 'roles' | 'more_roles'> {
  readonly roles: string
  readonly more_roles: string
}

// Lists are texts here.
function rowOf(record: StoredRecord): ApprovalRow {
  return approvalRowOf({ ...record, roles: JSON.parse(record.roles), more_roles: JSON.parse(record.more_roles) })
}
