import type { ApprovalChange } from '../../journal/index.js'
import {
  type ApprovalQuery,
  type ApprovalRecord,
  type ApprovalRow,
  approvalCursor,
  approvalPlaceOf,
  approvalRowOf,
  type Page,
} from '../index.js'
import type { Connection, Value } from './driver.js'
import { arrayOf, Columns } from './literals.js'
import { limitOf } from './run-list.js'
import type { Session } from './session.js'

const changesAtOnce = 500
const keep = 'SELECT {schema}.keep_approvals($1, $2, $3, $4, $5, $6, $7)'

/** Columns of what events do to approvals: the group `a_` of `write_under(…)`. */
export class ApprovalColumns {
  readonly #columns = new Columns(6)
  #isAny = false

  /** Whether there is anything. */
  get isAny(): boolean {
    return this.#isAny
  }

  /** Adds what events of the run at this place do. */
  add(place: number, changes: readonly ApprovalChange[]): void {
    for (const { op, begun, voteCount = 0, escalatedTo, outcome } of changes) {
      this.#isAny = true
      const more = escalatedTo === undefined ? undefined : JSON.stringify(escalatedTo)
      this.#columns.add([place, op, begun === undefined ? undefined : JSON.stringify(begun), voteCount, more, outcome])
    }
  }

  /** The literals, one a column. */
  literals(): string[] {
    return this.#columns.literals()
  }
}

/** Changes of the approvals of a stream. */
export interface StreamChanges {
  readonly no: number
  readonly changes: readonly ApprovalChange[]
}

/** Does what events say of approvals, in the order given; for a rebuild and an arrival. */
export async function keepApprovals(
  { on, sql }: { readonly on: Connection; readonly sql: (text: string) => string },
  all: readonly StreamChanges[],
): Promise<void> {
  for (let from = 0; from < all.length; from += changesAtOnce) {
    const some = all.slice(from, from + changesAtOnce)
    const columns = new ApprovalColumns()
    for (const [index, { changes }] of some.entries()) columns.add(index + 1, changes)
    await on.query(sql(keep), [arrayOf(some.map(({ no }) => no)), ...columns.literals()])
  }
}

const select = `
  SELECT a.run, a.op, a.name, r.flow, r.actor, a.action, a.roles, a.more_roles, a.quorum, a.votes, a.requested_at, a.deadline,
    a.escalates_at, a.shown, CASE WHEN a.status = 'open' AND r.outcome <> 'open' THEN 'closed' ELSE a.status END AS status
  FROM {schema}.approvals AS a JOIN {schema}.runs AS r ON r.stream = a.stream`

/** Approvals, oldest first; see `Store.approvals`. */
export async function approvals(session: Session, query: ApprovalQuery): Promise<Page<ApprovalRow>> {
  const limit = limitOf(query.limit)
  const filters = filtersOf(query)
  const values = filters.flatMap(([, ...one]) => one)
  let place = 0
  const conditions = filters.map(([condition]) => condition.replaceAll('?', () => `$${++place}`))
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const sql = `${select} ${where} ORDER BY a.requested_at, a.run, a.op LIMIT $${place + 1}`
  const records = await session.connections.query(session.sql(sql), [...values, limit + 1])
  const items = (records as unknown as ApprovalRecord[]).slice(0, limit).map(approvalRowOf)
  const last = items.at(-1)
  return { items, next: records.length > limit && last !== undefined ? approvalCursor(last) : undefined }
}

type Filter = readonly [condition: string, ...values: Value[]]

function filtersOf({ run, role, status, after }: ApprovalQuery): Filter[] {
  const filters: Filter[] = []
  if (run !== undefined) filters.push(['a.stream = (SELECT no FROM {schema}.streams WHERE name = ?)', `run/${run}`])
  if (role !== undefined) filters.push(['?::text = ANY (a.roles || a.more_roles)', role])
  if (status === 'open') filters.push(["a.status = 'open' AND r.outcome = 'open'"])
  else if (status === 'closed') filters.push(["a.status = 'open' AND r.outcome <> 'open'"])
  else if (status !== undefined) filters.push(['a.status = ?', status])
  if (after !== undefined) {
    const { requestedAtMs, run: lastRun, op } = approvalPlaceOf(after)
    filters.push(['(a.requested_at, a.run, a.op) > (?::bigint, ?::text, ?::text)', requestedAtMs, lastRun, op])
  }
  return filters
}
