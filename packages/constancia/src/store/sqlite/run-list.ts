import { journalError } from '../../journal/index.js'
import type { Page, RunQuery, RunRow } from '../index.js'
import type { Database, Value } from './driver.js'
import { type RunRecord, rowOf, selectRecords } from './run-record.js'

/** Lists runs, newest first; see `Store.runs`. */
export type RunList = (query: RunQuery) => Page<RunRow>

/** Prepares what lists runs; each set of filters is a statement of its own. */
export function runList(database: Database): RunList {
  const prepared = new Map<string, ReturnType<Database['prepare']>>()
  return (query) => {
    const limit = limitOf(query.limit)
    const filters = filtersOf(query)
    const where = filters.length === 0 ? '' : `WHERE ${filters.map(([condition]) => condition).join(' AND ')}`
    // The page is chosen first: what is sorted then are numbers, and the rest is read of its rows alone.
    // Where an end is asked for, the plus sign keeps SQLite from reading all that began later.
    const order = query.endedBeforeMs === undefined ? 'r.stream' : '+r.stream'
    const chosen = `SELECT r.stream FROM runs AS r ${where} ORDER BY ${order} DESC LIMIT ?`
    const sql = `${selectRecords} WHERE r.stream IN (${chosen}) ORDER BY r.stream DESC`
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    const records = statement.all(...filters.flatMap(([, ...values]) => values), limit + 1) as RunRecord[]
    const page = records.slice(0, limit)
    const next = records.length > limit ? String(page.at(-1)?.stream) : undefined
    return { items: page.map(rowOf), next }
  }
}

type Filter = readonly [condition: string, ...values: Value[]]

function filtersOf(query: RunQuery): Filter[] {
  const { after, flow, status, parent, idPrefix, endedBeforeMs } = query
  const filters: Filter[] = []
  if (after !== undefined) filters.push(['r.stream < ?', cursorOf(after)])
  if (flow !== undefined) filters.push(['r.flow = ?', flow])
  if (status !== undefined) filters.push(['r.status = ?', status])
  if (parent !== undefined) filters.push(['r.parent_run = ?', parent])
  // Ids are ASCII: whatever begins so comes before the same text with U+10FFFF behind it, and nothing else does.
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
