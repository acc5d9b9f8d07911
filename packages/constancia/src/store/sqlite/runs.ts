import type { ClaimId, RunFold, RunId } from '../../journal/index.js'
import { journalError } from '../../journal/index.js'
import type { Page, Rest, RunQuery, RunRow, RunStatus, WaitingFor } from '../index.js'
import type { Database, Value } from './driver.js'
import type { EventWriter } from './event-writer.js'

/** A row of `runs` as SQLite gives it. */
export interface RunRecord {
  readonly stream: number
  readonly id: RunId
  readonly flow: string
  readonly version: number
  readonly actor: string | null
  readonly outcome: RunFold['outcome']
  readonly status: RunStatus
  readonly head_seq: number
  readonly head_hash: string
  readonly head_at: number
  readonly signal_count: number
  readonly read_signal_count: number
  readonly epoch: number
  readonly claim_id: ClaimId | null
  readonly worker: string | null
  readonly due_at: number | null
  readonly wake_at: number | null
  readonly waiting_for: string | null
  readonly stuck_code: string | null
  readonly stuck_message: string | null
  readonly started_at: number
  readonly ended_at: number | null
}

/** Columns of {@link headJoin}. */
export const headColumns = 'e.seq AS head_seq, lower(hex(e.hash)) AS head_hash, e.at AS head_at'

/** Joins a run `r` with its head, the last event `e`. */
export const headJoin =
  'JOIN events AS e ON e.stream = r.stream AND e.seq = (SELECT max(seq) FROM events WHERE stream = r.stream)'

const select = `
  SELECT r.stream, r.id, r.flow, r.version, r.actor, r.outcome, r.status, ${headColumns}, r.signal_count, r.read_signal_count,
    r.epoch, r.claim_id, r.worker, r.due_at, r.wake_at, r.waiting_for, r.stuck_code, r.stuck_message, r.started_at, r.ended_at
  FROM runs AS r ${headJoin}`

/** The projection `runs`: one row a run, and what the scheduler keeps in it. */
export interface RunTable {
  record(id: RunId): RunRecord | undefined
  /** Adds a row; open runs are ready from `nowMs` on. */
  insert(streamNo: number, fold: RunFold, kept: Kept): void
  /** Counts signals: those received, those read. */
  count(streamNo: number, signalCount: number, readSignalCount: number): void
  /** Ends the run as the fold says. */
  end(streamNo: number, fold: RunFold): void
  /** Marks the run ready, and nobody's. */
  makeReady(streamNo: number, nowMs: number): void
  /** Lays the run to rest, and makes it nobody's. */
  rest(streamNo: number, rest: Rest, readSignalCount: number): void
  list(query: RunQuery): Page<RunRow>
  /** What no event tells, of every run. */
  kept(): { readonly stream: number; readonly epoch: number; readonly read_signal_count: number }[]
  /** Empties the table. */
  clear(): void
}

/** What a new row has that events do not tell. */
export interface Kept {
  readonly epoch: number
  readonly readSignalCount: number
  readonly nowMs: number
}

/** Prepares the statements of the projection. */
export function runTable(database: Database, writer: EventWriter): RunTable {
  const record = database.prepare(`${select} WHERE r.id = ?`)
  const count = database.prepare('UPDATE runs SET signal_count = ?, read_signal_count = ? WHERE stream = ?')
  const end = database.prepare(`
    UPDATE runs SET outcome = ?, status = ?, ended_at = ?, claim_id = NULL, worker = NULL, due_at = NULL, wake_at = NULL,
      waiting_for = NULL, stuck_code = NULL, stuck_message = NULL WHERE stream = ?`)
  const ready = database.prepare(`
    UPDATE runs SET status = 'ready', due_at = ?, claim_id = NULL, worker = NULL, wake_at = NULL, waiting_for = NULL,
      stuck_code = NULL, stuck_message = NULL WHERE stream = ?`)
  const rest = database.prepare(`
    UPDATE runs SET status = ?, due_at = ?, wake_at = ?, waiting_for = ?, stuck_code = ?, stuck_message = ?,
      read_signal_count = ?, claim_id = NULL, worker = NULL WHERE stream = ?`)
  return {
    record: (id) => {
      writer.flush()
      return record.get(id) as RunRecord | undefined
    },
    insert: inserter(database),
    count: (streamNo, signalCount, readSignalCount) => void count.run(signalCount, readSignalCount, streamNo),
    end: (streamNo, { outcome, endedAtMs }) => void end.run(outcome, outcome, endedAtMs ?? null, streamNo),
    makeReady: (streamNo, nowMs) => void ready.run(nowMs, streamNo),
    rest: (streamNo, to, readSignalCount) => void rest.run(...restValues(to), readSignalCount, streamNo),
    list: lister(database),
    kept: () =>
      database.prepare('SELECT stream, epoch, read_signal_count FROM runs').all() as ReturnType<RunTable['kept']>,
    clear: () => database.exec('DELETE FROM runs'),
  }
}

function inserter(database: Database): RunTable['insert'] {
  const insert = database.prepare(`
    INSERT INTO runs (stream, id, flow, version, actor, outcome, status, signal_count, read_signal_count, epoch, due_at,
      started_at, ended_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  return (streamNo, fold, kept) => {
    const { id, flow, version, actor, outcome, signalCount, startedAtMs, endedAtMs } = fold
    const isOpen = outcome === 'open'
    const identity = [streamNo, id, flow, version, actor ?? null, outcome, isOpen ? 'ready' : outcome]
    const progress = [signalCount, kept.readSignalCount, kept.epoch]
    insert.run(...identity, ...progress, isOpen ? kept.nowMs : null, startedAtMs, endedAtMs ?? null)
  }
}

function restValues(rest: Rest): Value[] {
  if (rest.kind === 'stuck') return ['stuck', null, null, null, rest.code, rest.message]
  const wakeAt = rest.wakeAtMs ?? null
  return ['waiting', wakeAt, wakeAt, JSON.stringify(rest.waitingFor), null, null]
}

function lister(database: Database): RunTable['list'] {
  const prepared = new Map<string, ReturnType<Database['prepare']>>()
  return (query) => {
    const limit = Math.min(Math.max(query.limit ?? 100, 1), 1000)
    const filters: [condition: string, value: Value][] = []
    if (query.after !== undefined) filters.push(['r.stream < ?', cursorOf(query.after)])
    if (query.flow !== undefined) filters.push(['r.flow = ?', query.flow])
    if (query.status !== undefined) filters.push(['r.status = ?', query.status])
    const where = filters.length === 0 ? '' : `WHERE ${filters.map(([condition]) => condition).join(' AND ')}`
    const sql = `${select} ${where} ORDER BY r.stream DESC LIMIT ?`
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    const records = statement.all(...filters.map(([, value]) => value), limit + 1) as RunRecord[]
    const page = records.slice(0, limit)
    const next = records.length > limit ? String(page.at(-1)?.stream) : undefined
    return { items: page.map(rowOf), next }
  }
}

function cursorOf(after: string): number {
  if (/^[0-9]{1,15}$/.test(after)) return Number(after)
  throw journalError(
    'invalid_id',
    `${JSON.stringify(after.slice(0, 40))} is not where a page of runs can begin. Nothing was read; pass on "next" of the page before.`,
  )
}

/** The row as everybody else knows it. */
export function rowOf(record: RunRecord): RunRow {
  const { claim_id: id, worker, stuck_code: code, stuck_message: message, waiting_for: waitingFor } = record
  return {
    ...foldOf(record),
    status: record.status,
    epoch: record.epoch,
    claim: id === null ? undefined : { id, worker: worker ?? '', leaseUntilMs: record.due_at ?? 0 },
    wakeAtMs: record.wake_at ?? undefined,
    waitingFor: waitingFor === null ? [] : (JSON.parse(waitingFor) as WaitingFor[]),
    stuck: code === null ? undefined : { code, message: message ?? '' },
    readSignalCount: record.read_signal_count,
  }
}

/** The part of a row that its journal tells. */
export function foldOf(record: RunRecord): RunFold {
  return {
    id: record.id,
    flow: record.flow,
    version: record.version,
    actor: record.actor ?? undefined,
    outcome: record.outcome,
    head: { seq: record.head_seq, hash: record.head_hash, at: record.head_at },
    startedAtMs: record.started_at,
    endedAtMs: record.ended_at ?? undefined,
    signalCount: record.signal_count,
  }
}
