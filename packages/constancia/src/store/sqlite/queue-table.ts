import type { Database } from './driver.js'

/** A run that is due at some time, and its key. */
export interface DueRun {
  readonly streamNo: number
  /** UTC milliseconds since 1970. */
  readonly dueAtMs: number
  readonly key: string | null
}

/** Which flow and priority, how many. */
export interface DueQuery {
  readonly flow: string
  readonly version: number
  readonly priority: number
  readonly limit: number
}

/** Which flow and priority, how many, and what time it is. */
export interface NowQuery extends DueQuery {
  /** UTC milliseconds since 1970. */
  readonly nowMs: number
}

/** Due runs of one priority of a flow, always in the order of their times: enough of them to choose by. */
export interface QueueTable {
  /** Priorities of runs that are due at some time, highest first. */
  priorities(flow: string, version: number): number[]
  /** Also those whose time has not come. */
  due(query: DueQuery): DueRun[]
  /** Whether any has a key. */
  hasKeyed(flow: string, version: number, priority: number): boolean
  /** Those whose time has not come. */
  after(query: NowQuery): DueRun[]
  /** Those without a key whose time has come. */
  keyless(query: NowQuery): DueRun[]
  /** Those with this key whose time has come. */
  ofKey(query: NowQuery, key: string): DueRun[]
  /** Those with a key that is none of these, whose time has come. */
  ofOtherKeys(query: NowQuery, keys: readonly string[]): DueRun[]
  /** Keys of runs that are due at some time, in no order that matters. */
  keys(query: DueQuery): string[]
  /** Keys of which so many runs or more are running. */
  fullKeys(flow: string, nowMs: number, runningMax: number): string[]
}

const keyless = 'FROM runs WHERE flow = ? AND version = ? AND priority = ? AND due_at IS NOT NULL AND key IS NULL'
const keyed = 'FROM runs WHERE flow = ? AND version = ? AND priority = ? AND due_at IS NOT NULL AND key IS NOT NULL'
const columns = 'SELECT stream AS streamNo, due_at AS dueAtMs, key'
const order = 'ORDER BY dueAtMs, streamNo LIMIT ?'

// Jumps from key to key, instead of reading every run of each.
const distinctKeys = `
  WITH RECURSIVE jump (key) AS (
    SELECT (SELECT min(key) FROM runs INDEXED BY runs_due_key
      WHERE flow = ?1 AND version = ?2 AND priority = ?3 AND key IS NOT NULL AND due_at IS NOT NULL)
    UNION ALL
    SELECT (SELECT min(r.key) FROM runs AS r INDEXED BY runs_due_key
      WHERE r.flow = ?1 AND r.version = ?2 AND r.priority = ?3 AND r.key > jump.key AND r.key IS NOT NULL
        AND r.due_at IS NOT NULL)
    FROM jump WHERE jump.key IS NOT NULL)
  SELECT key FROM jump WHERE key IS NOT NULL LIMIT ?4`

// Jumps from priority to priority as well. There are two indexes of runs that are due, so there are two walks.
const walk = (name: string, index: string, key: string): string => `
  ${name} (priority) AS (
    SELECT (SELECT max(priority) FROM runs INDEXED BY ${index}
      WHERE flow = ?1 AND version = ?2 AND due_at IS NOT NULL AND ${key})
    UNION ALL
    SELECT (SELECT max(r.priority) FROM runs AS r INDEXED BY ${index}
      WHERE r.flow = ?1 AND r.version = ?2 AND r.priority < w.priority AND r.due_at IS NOT NULL AND ${key})
    FROM ${name} AS w WHERE w.priority IS NOT NULL)`
const distinctPriorities = `
  WITH RECURSIVE ${walk('keyless', 'runs_due', 'key IS NULL')}, ${walk('keyed', 'runs_due_keyed', 'key IS NOT NULL')}
  SELECT priority FROM keyless WHERE priority IS NOT NULL UNION SELECT priority FROM keyed WHERE priority IS NOT NULL
  ORDER BY priority DESC`

/** Prepares the statements of the queue. */
export function queueTable(database: Database): QueueTable {
  const due = database.prepare(`${columns} ${keyless} UNION ALL ${columns} ${keyed} ${order}`)
  const anyKeyed = database.prepare(`SELECT 1 ${keyed} LIMIT 1`)
  const after = database.prepare(
    `${columns} ${keyless} AND due_at > ? UNION ALL ${columns} ${keyed} AND due_at > ? ${order}`,
  )
  const withoutKey = database.prepare(`${columns} ${keyless} AND due_at <= ? ${order}`)
  const ofKey = database.prepare(`${columns} ${keyed} AND key = ? AND due_at <= ? ${order}`)
  const ofOtherKeys = database.prepare(
    `${columns} ${keyed} AND due_at <= ? AND key NOT IN (SELECT value FROM json_each(?)) ${order}`,
  )
  const keys = database.prepare(distinctKeys)
  const priorities = database.prepare(distinctPriorities)
  const fullKeys = database.prepare(`
    SELECT key FROM runs WHERE flow = ? AND status = 'running' AND due_at > ? AND key IS NOT NULL
    GROUP BY key HAVING count(*) >= ?`)
  const namesOf = (rows: unknown[]): string[] => (rows as { key: string }[]).map(({ key }) => key)
  return {
    priorities: (flow, version) =>
      (priorities.all(flow, version) as { priority: number }[]).map(({ priority }) => priority),
    due: ({ flow, version, priority, limit }) =>
      due.all(flow, version, priority, flow, version, priority, limit) as DueRun[],
    hasKeyed: (flow, version, priority) => anyKeyed.get(flow, version, priority) !== undefined,
    after: ({ flow, version, priority, nowMs, limit }) =>
      after.all(flow, version, priority, nowMs, flow, version, priority, nowMs, limit) as DueRun[],
    keyless: ({ flow, version, priority, nowMs, limit }) =>
      withoutKey.all(flow, version, priority, nowMs, limit) as DueRun[],
    ofKey: ({ flow, version, priority, nowMs, limit }, key) =>
      ofKey.all(flow, version, priority, key, nowMs, limit) as DueRun[],
    ofOtherKeys: ({ flow, version, priority, nowMs, limit }, others) =>
      ofOtherKeys.all(flow, version, priority, nowMs, JSON.stringify(others), limit) as DueRun[],
    keys: ({ flow, version, priority, limit }) => namesOf(keys.all(flow, version, priority, limit)),
    fullKeys: (flow, nowMs, runningMax) => namesOf(fullKeys.all(flow, nowMs, runningMax)),
  }
}
