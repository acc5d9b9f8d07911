import type { RunFold, RunId } from '../../journal/index.js'
import type { Rest } from '../index.js'
import type { Database, Value } from './driver.js'
import type { EventWriter } from './event-writer.js'
import { type RunRecord, selectRecords } from './run-record.js'

/** The projection `runs`: one row a run, and what the scheduler keeps in it. */
export interface RunTable {
  record(id: RunId): RunRecord | undefined
  /** Adds a row; open runs are ready from `nowMs` on. */
  insert(streamNo: number, fold: RunFold, kept: Kept): void
  /** Notes what events that end nothing may change: how many signals came, and whether the run is to end. */
  progress(streamNo: number, fold: RunFold, readSignalCount: number): void
  /** Ends the run as the fold says. */
  end(streamNo: number, fold: RunFold): void
  /** Marks the run ready, and nobody's; leases that were lost are forgotten. */
  makeReady(streamNo: number, nowMs: number): void
  /** Lays the run to rest, and makes it nobody's; leases that were lost are forgotten. */
  rest(streamNo: number, rest: Rest, readSignalCount: number): void
  /** Says of a root which run took over last. */
  setLatest(root: RunId, latest: RunId): void
  /** What no event tells, of every run. */
  kept(): Pick<RunRecord, KeptColumn>[]
  /** Deletes a row. */
  remove(streamNo: number): void
  /** Empties the table. */
  clear(): void
}

type KeptColumn = 'stream' | 'epoch' | 'read_signal_count' | 'lost_leases' | 'stuck_code' | 'stuck_message'

/** What a new row has that events do not tell. */
export interface Kept {
  readonly epoch: number
  readonly readSignalCount: number
  readonly lostLeaseCount: number
  readonly nowMs: number
}

/** Prepares the statements of the projection. */
export function runTable(database: Database, writer: EventWriter): RunTable {
  const record = database.prepare(`${selectRecords} WHERE r.id = ?`)
  const progress = database.prepare(
    'UPDATE runs SET signal_count = ?, read_signal_count = ?, cancel_requested = ? WHERE stream = ?',
  )
  const ready = database.prepare(`
    UPDATE runs SET status = 'ready', due_at = ?, claim_id = NULL, worker = NULL, lost_leases = 0, wake_at = NULL,
      waiting_for = NULL, stuck_code = NULL, stuck_message = NULL WHERE stream = ?`)
  const rest = database.prepare(`
    UPDATE runs SET status = ?, due_at = ?, wake_at = ?, waiting_for = ?, stuck_code = ?, stuck_message = ?,
      read_signal_count = ?, claim_id = NULL, worker = NULL, lost_leases = 0 WHERE stream = ?`)
  const latest = database.prepare('UPDATE runs SET latest = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM runs WHERE stream = ?')
  return {
    record: (id) => {
      writer.flush()
      return record.get(id) as RunRecord | undefined
    },
    insert: inserter(database),
    progress: (streamNo, { signalCount, isCancelRequested }, readSignalCount) =>
      void progress.run(signalCount, readSignalCount, isCancelRequested ? 1 : 0, streamNo),
    end: ender(database),
    makeReady: (streamNo, nowMs) => void ready.run(nowMs, streamNo),
    rest: (streamNo, to, readSignalCount) => void rest.run(...restValues(to), readSignalCount, streamNo),
    setLatest: (root, last) => void latest.run(last, root),
    kept: () =>
      database
        .prepare('SELECT stream, epoch, read_signal_count, lost_leases, stuck_code, stuck_message FROM runs')
        .all() as ReturnType<RunTable['kept']>,
    remove: (streamNo) => void remove.run(streamNo),
    clear: () => database.exec('DELETE FROM runs'),
  }
}

function inserter(database: Database): RunTable['insert'] {
  const columns = `stream, id, flow, version, actor, key, priority, parent_run, parent_op, root, continued_as,
    cancel_requested, outcome, status, signal_count, read_signal_count, epoch, lost_leases, due_at, started_at, ended_at`
  const places = columns.split(',').map(() => '?')
  const insert = database.prepare(`INSERT INTO runs (${columns}) VALUES (${places.join(', ')})`)
  return (streamNo, fold, kept) => {
    const { id, flow, version, actor, key, priority, parent, root, outcome, signalCount, startedAtMs, endedAtMs } = fold
    const isOpen = outcome === 'open'
    const identity = [streamNo, id, flow, version, actor ?? null, key ?? null, priority]
    const line = [
      parent?.run ?? null,
      parent?.op ?? null,
      root === id ? null : root,
      fold.continuedAs ?? null,
      fold.isCancelRequested ? 1 : 0,
    ]
    const state = [outcome, isOpen ? 'ready' : outcome, signalCount]
    const progress = [kept.readSignalCount, kept.epoch, kept.lostLeaseCount]
    insert.run(...identity, ...line, ...state, ...progress, isOpen ? kept.nowMs : null, startedAtMs, endedAtMs ?? null)
  }
}

function ender(database: Database): RunTable['end'] {
  const end = database.prepare(`
    UPDATE runs SET outcome = ?, status = ?, ended_at = ?, continued_as = ?, claim_id = NULL, worker = NULL, due_at = NULL,
      wake_at = NULL, waiting_for = NULL, stuck_code = NULL, stuck_message = NULL WHERE stream = ?`)
  return (streamNo, { outcome, endedAtMs, continuedAs }) =>
    void end.run(outcome, outcome, endedAtMs ?? null, continuedAs ?? null, streamNo)
}

function restValues(rest: Rest): Value[] {
  if (rest.kind === 'stuck') return ['stuck', null, null, null, rest.code, rest.message]
  const wakeAt = rest.wakeAtMs ?? null
  return [rest.kind, wakeAt, wakeAt, JSON.stringify(rest.waitingFor), null, null]
}
