import { journalError } from '../../journal/index.js'
import type { Page, RunQuery, RunRow } from '../index.js'
import type { Value } from './driver.js'
import { type RunRecord, recordColumns, rowOf } from './run-record.js'
import type { Session } from './session.js'

/** Lists runs, newest first; see `Store.runs`. */
export async function runs(session: Session, query: RunQuery): Promise<Page<RunRow>> {
  const limit = limitOf(query.limit)
  const filters = filtersOf(query)
  const values = filters.flatMap(([, ...one]) => one)
  let place = 0
  const conditions = filters.map(([condition]) => condition.replaceAll('?', () => `$${++place}`))
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const sql = `SELECT ${recordColumns} FROM {schema}.runs AS r ${where} ORDER BY r.stream DESC LIMIT $${place + 1}`
  const records = await session.connections.query(session.sql(sql), [...values, limit + 1])
  const page = (records as unknown as RunRecord[]).slice(0, limit)
  const next = records.length > limit ? String(page.at(-1)?.stream) : undefined
  return { items: page.map(rowOf), next }
}

type Filter = readonly [condition: string, ...values: Value[]]

function filtersOf(query: RunQuery): Filter[] {
  const { after, flow, status, parent, idPrefix, endedBeforeMs } = query
  const filters: Filter[] = []
  if (after !== undefined) filters.push(['r.stream < ?', cursorOf(after)])
  if (flow !== undefined) filters.push(['r.flow = ?', flow])
  if (status !== undefined) filters.push(['r.status = ?', status])
  if (parent !== undefined) filters.push(['r.parent_run = ?', parent])
  // Ids are ASCII and compared byte by byte: whatever begins so comes before the same text with U+10FFFF behind it.
  if (idPrefix !== undefined) filters.push(['r.id >= ? AND r.id < ?', idPrefix, `${idPrefix}\u{10ffff}`])
  if (endedBeforeMs !== undefined) filters.push(['r.ended_at < ?', endedBeforeMs])
  return filters
}

/** How many a page holds: 100 unless asked for, 1,000 at most. */
export function limitOf(asked: number | undefined): number {
  return Math.min(Math.max(asked ?? 100, 1), 1000)
}

/** Reads where a page begins. Throws `invalid_id` for what is no such place. */
export function cursorOf(after: string): number {
  if (/^[0-9]{1,15}$/.test(after)) return Number(after)
  throw journalError(
    'invalid_id',
    `${JSON.stringify(after.slice(0, 40))} is not where a page can begin. Nothing was read; pass on "next" of the page before.`,
  )
}
