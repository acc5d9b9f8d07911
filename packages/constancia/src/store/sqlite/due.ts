import type { ClaimId, OpId, RunFold, RunId } from '../../journal/index.js'
import type { Database } from './driver.js'
import type { EventWriter } from './event-writer.js'
import type { DueRun, NowQuery, QueueTable } from './queue-table.js'

/** A run that somebody may try at its time: what is needed to give it to a claim. */
export interface DueRecord extends DueRun {
  /** As its journal tells; whoever is due is open. */
  readonly fold: RunFold
  readonly readSignalCount: number
  readonly epoch: number
  /** The claim whose lease may have run out, and where the journal ended when it took the run. */
  readonly lastClaim: { readonly worker: string; readonly headSeq: number } | undefined
  readonly lostLeaseCount: number
}

/** Due runs with all that a claim needs. */
export interface DueTable {
  /** Runs of a flow and priority whose time has come, in the order of their times. */
  list(query: NowQuery): DueRecord[]
  /** A run that is due at some time. */
  record(streamNo: number): DueRecord | undefined
}

type DueRow = readonly [
  stream: number,
  dueAt: number,
  key: string | null,
  priority: number,
  id: RunId,
  flow: string,
  version: number,
  actor: string | null,
  parentRun: RunId | null,
  parentOp: OpId | null,
  root: RunId | null,
  headSeq: number,
  headHash: string,
  headAt: number,
  startedAt: number,
  signalCount: number,
  isCancelRequested: number,
  readSignalCount: number,
  epoch: number,
  claimId: ClaimId | null,
  worker: string | null,
  claimedHeadSeq: number,
  lostLeases: number,
]

const select = `
  SELECT r.stream, r.due_at, r.key, r.priority, r.id, r.flow, r.version, r.actor, r.parent_run, r.parent_op, r.root, e.seq,
    lower(hex(e.hash)), e.at, r.started_at, r.signal_count, r.cancel_requested, r.read_signal_count, r.epoch, r.claim_id,
    r.worker, r.claimed_head_seq, r.lost_leases
  FROM runs AS r
  JOIN events AS e ON e.stream = r.stream AND e.seq = (SELECT max(seq) FROM events WHERE stream = r.stream)`

const ofFlow = 'WHERE r.flow = ? AND r.version = ? AND r.priority = ? AND r.due_at <= ?'
const inOrder = 'ORDER BY r.due_at, r.stream LIMIT ?'

/** Prepares the statements that read due runs. Those with a key are asked for only where there are any. */
export function dueTable(database: Database, writer: EventWriter, queue: QueueTable): DueTable {
  const keyless = database.prepare(`${select} ${ofFlow} AND r.key IS NULL ${inOrder}`)
  const keyed = database.prepare(`${select} ${ofFlow} AND r.key IS NOT NULL ${inOrder}`)
  const one = database.prepare(`${select} WHERE r.stream = ? AND r.due_at IS NOT NULL`)
  // Rows without names take half the time.
  for (const statement of [keyless, keyed, one]) statement.setReturnArrays(true)
  return {
    list: ({ flow, version, priority, nowMs, limit }) => {
      writer.flush()
      const without = (keyless.all(flow, version, priority, nowMs, limit) as DueRow[]).map(recordOf)
      if (!queue.hasKeyed(flow, version, priority)) return without
      const all = [...without, ...(keyed.all(flow, version, priority, nowMs, limit) as DueRow[]).map(recordOf)]
      return all.sort(byTime).slice(0, limit)
    },
    record: (streamNo) => {
      writer.flush()
      const row = one.get(streamNo) as DueRow | undefined
      return row === undefined ? undefined : recordOf(row)
    },
  }
}

/** The order in which runs of one priority are due. */
export function byTime(a: DueRun, b: DueRun): number {
  return a.dueAtMs - b.dueAtMs || a.streamNo - b.streamNo
}

function recordOf(row: DueRow): DueRecord {
  const [streamNo, dueAtMs, key, priority, id, flow, version, actor, parentRun, parentOp, root, ...more] = row
  const [seq, hash, at, ...rest] = more
  const [startedAtMs, signalCount, isCancelRequested, readSignalCount, epoch, claimId, worker, headSeq, lost] = rest
  const parent = parentRun === null || parentOp === null ? undefined : { run: parentRun, op: parentOp }
  const fold: RunFold = {
    id,
    flow,
    version,
    actor: actor ?? undefined,
    key: key ?? undefined,
    priority,
    parent,
    root: root ?? id,
    outcome: 'open',
    head: { seq, hash, at },
    startedAtMs,
    endedAtMs: undefined,
    signalCount,
    isCancelRequested: isCancelRequested !== 0,
    continuedAs: undefined,
  }
  const lastClaim = claimId === null ? undefined : { worker: worker ?? '', headSeq }
  return { streamNo, dueAtMs, key, fold, readSignalCount, epoch, lastClaim, lostLeaseCount: lost }
}
