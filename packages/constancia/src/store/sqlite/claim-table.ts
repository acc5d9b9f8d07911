import type { ClaimId, RunId } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'
import type { Database } from './driver.js'
import type { EventWriter } from './event-writer.js'
import { headColumns, headJoin } from './runs.js'

/** A run that somebody may try, now or at `due_at`. */
export interface DueRecord {
  readonly stream: number
  readonly id: RunId
  readonly actor: string | null
  readonly head_seq: number
  readonly head_hash: string
  readonly head_at: number
  readonly signal_count: number
  readonly read_signal_count: number
  readonly epoch: number
  readonly due_at: number
  readonly started_at: number
}

/** Which flow, how many. */
export interface DueQuery {
  readonly flow: string
  readonly version: number
  readonly limit: number
}

/** Whose a run becomes, until when. */
export interface Taking {
  readonly streamNo: number
  readonly id: ClaimId
  readonly worker: string
  readonly leaseUntilMs: number
}

/** What the scheduler keeps in `runs`. */
export interface ClaimTable {
  /** Runs of a flow in the order of their due times, also those whose time has not come. */
  due(query: DueQuery): DueRecord[]
  /** Gives the run to a claim; its epoch grows by one. */
  take(taking: Taking): void
  /** Prolongs a lease. False if the claim is lost. */
  renew(claim: ClaimRef, leaseUntilMs: number): boolean
}

/** Prolongs a lease, if the claim still holds. Bound: end of the lease (UTC milliseconds), run, claim, epoch. */
export const renewSql = 'UPDATE runs SET due_at = ? WHERE id = ? AND claim_id = ? AND epoch = ?'

/** Prepares the statements of the scheduler. */
export function claimTable(database: Database, writer: EventWriter): ClaimTable {
  const due = database.prepare(`
    SELECT r.stream, r.id, r.actor, ${headColumns}, r.signal_count, r.read_signal_count, r.epoch, r.due_at, r.started_at
    FROM runs AS r ${headJoin}
    WHERE r.flow = ? AND r.version = ? AND r.due_at IS NOT NULL ORDER BY r.due_at, r.stream LIMIT ?`)
  const take = database.prepare(`
    UPDATE runs SET status = 'running', epoch = epoch + 1, claim_id = ?, worker = ?, due_at = ?, wake_at = NULL,
      waiting_for = NULL WHERE stream = ?`)
  const renew = database.prepare(renewSql)
  return {
    due: ({ flow, version, limit }) => {
      writer.flush()
      return due.all(flow, version, limit) as DueRecord[]
    },
    take: ({ streamNo, id, worker, leaseUntilMs }) => void take.run(id, worker, leaseUntilMs, streamNo),
    renew: (claim, leaseUntilMs) => Number(renew.run(leaseUntilMs, claim.run, claim.id, claim.epoch).changes) === 1,
  }
}
