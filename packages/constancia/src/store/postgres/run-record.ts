import type { ClaimId, OpId, RunFold, RunId } from '../../journal/index.js'
import type { HeldClaim, RunRow, RunStatus, WaitingFor } from '../index.js'

/** A row of `runs` as PostgreSQL gives it. */
export interface RunRecord {
  readonly stream: number
  readonly id: RunId
  readonly flow: string
  readonly version: number
  readonly actor: string | null
  readonly key: string | null
  readonly priority: number
  readonly parent_run: RunId | null
  readonly parent_op: OpId | null
  /** Null where it is the run itself. */
  readonly root: RunId | null
  readonly latest: RunId | null
  readonly continued_as: RunId | null
  readonly cancel_requested: boolean
  readonly outcome: RunFold['outcome']
  readonly status: RunStatus
  readonly head_seq: number
  readonly head_hash: string
  readonly head_at: number
  readonly signal_count: number
  readonly read_signal_count: number
  readonly epoch: number
  readonly claim_id: ClaimId | null
  /** Whether the owner has added an event since the run was last claimed. */
  readonly progressed: boolean
  readonly lost_leases: number
  readonly worker: string | null
  /** Those of the claim with this epoch. */
  readonly held_epoch: number | null
  readonly held_by: string | null
  readonly held_since: number | null
  readonly due_at: number | null
  readonly wake_at: number | null
  readonly waiting_for: string | null
  readonly stuck_code: string | null
  readonly stuck_message: string | null
  readonly started_at: number
  readonly ended_at: number | null
}

/** The columns of {@link RunRecord}s of runs `r`. */
export const recordColumns = `r.stream, r.id, r.flow, r.version, r.actor, r.key, r.priority, r.parent_run, r.parent_op,
  r.root, r.latest, r.continued_as, r.cancel_requested, r.outcome, r.status, r.head_seq, encode(r.head_hash, 'hex') AS head_hash, r.head_at,
  r.signal_count, r.read_signal_count, r.epoch, r.claim_id, r.progressed, r.lost_leases, r.worker, r.held_epoch, r.held_by, r.held_since,
  r.due_at, r.wake_at, r.waiting_for, r.stuck_code, r.stuck_message, r.started_at, r.ended_at`

/** The row as everybody else knows it. */
export function rowOf(record: RunRecord): RunRow {
  const { stuck_code: code, stuck_message: message, waiting_for: waitingFor } = record
  return {
    ...foldOf(record),
    status: record.status,
    epoch: record.epoch,
    claim: claimOf(record),
    wakeAtMs: record.wake_at ?? undefined,
    waitingFor: waitingFor === null ? [] : (JSON.parse(waitingFor) as WaitingFor[]),
    stuck: code === null ? undefined : { code, message: message ?? '' },
    readSignalCount: record.read_signal_count,
    lostLeaseCount: record.lost_leases,
    latest: record.latest ?? undefined,
  }
}

function claimOf({ claim_id: id, worker, epoch, due_at: dueAtMs, ...held }: RunRecord): HeldClaim | undefined {
  if (id === null) return undefined
  const isNoted = held.held_epoch === epoch
  return {
    id,
    worker: worker ?? '',
    workerId: (isNoted ? held.held_by : null) ?? undefined,
    sinceMs: (isNoted ? held.held_since : null) ?? undefined,
    leaseUntilMs: dueAtMs ?? 0,
  }
}

/** The part of a row that its journal tells. */
export function foldOf(record: RunRecord): RunFold {
  const { parent_run: parentRun, parent_op: parentOp } = record
  return {
    id: record.id,
    flow: record.flow,
    version: record.version,
    actor: record.actor ?? undefined,
    key: record.key ?? undefined,
    priority: record.priority,
    parent: parentRun === null || parentOp === null ? undefined : { run: parentRun, op: parentOp },
    root: record.root ?? record.id,
    outcome: record.outcome,
    head: { seq: record.head_seq, hash: record.head_hash, at: record.head_at },
    startedAtMs: record.started_at,
    endedAtMs: record.ended_at ?? undefined,
    signalCount: record.signal_count,
    isCancelRequested: record.cancel_requested,
    continuedAs: record.continued_as ?? undefined,
  }
}
