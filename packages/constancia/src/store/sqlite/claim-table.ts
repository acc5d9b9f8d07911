import type { ClaimId } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'
import type { Database } from './driver.js'
import type { EventWriter } from './event-writer.js'

/** Whose a run becomes, until when. */
export interface Taking {
  readonly streamNo: number
  readonly id: ClaimId
  readonly worker: string
  readonly workerId: string | undefined
  readonly nowMs: number
  readonly leaseUntilMs: number
  /** Where its journal ends. */
  readonly headSeq: number
  readonly lostLeaseCount: number
}

/** What the scheduler keeps in `runs`. */
export interface ClaimTable {
  /** Gives the run to a claim; its epoch grows by one. */
  take(taking: Taking): void
  /** Prolongs a lease. False if the claim is lost. */
  renew(claim: ClaimRef, leaseUntilMs: number): boolean
  /** Whether the owner of a claim added an event after this one. */
  hasProgress(streamNo: number, headSeq: number): boolean
  /**
   * The leases of claims whose ids begin so run out now. Not of those whose run was lost before without an event of an owner since:
   * what may have ended its worker waits, so that a worker which begins anew comes to others first.
   */
  expire(mark: string, nowMs: number): void
  /** Makes the run stuck, and nobody's. */
  setAside(streamNo: number, poison: Poison): void
}

/** Why a run was set aside. */
export interface Poison {
  readonly code: string
  readonly message: string
  readonly lostLeaseCount: number
}

/** Prolongs a lease, if the claim still holds. Bound: end of the lease (UTC milliseconds), run, claim, epoch. */
export const renewSql = 'UPDATE runs SET due_at = ? WHERE id = ? AND claim_id = ? AND epoch = ?'

/** Prepares the statements of the scheduler. */
export function claimTable(database: Database, writer: EventWriter): ClaimTable {
  const take = database.prepare(`
    UPDATE runs SET status = 'running', epoch = epoch + 1, claim_id = ?, worker = ?, due_at = ?, claimed_head_seq = ?,
      lost_leases = ?, held_epoch = epoch + 1, held_by = ?, held_since = ?, wake_at = NULL, waiting_for = NULL
    WHERE stream = ?`)
  const renew = database.prepare(renewSql)
  const progress = database.prepare(`SELECT 1 FROM events WHERE stream = ? AND seq > ? AND by GLOB 'claim:*' LIMIT 1`)
  const expire = database.prepare(`
    UPDATE runs SET due_at = ?1 WHERE status = 'running' AND due_at > ?1 AND substr(claim_id, 1, length(?2)) = ?2
      AND (lost_leases = 0
        OR EXISTS (SELECT 1 FROM events AS e WHERE e.stream = runs.stream AND e.seq > claimed_head_seq AND e.by GLOB 'claim:*'))`)
  const setAside = database.prepare(`
    UPDATE runs SET status = 'stuck', stuck_code = ?, stuck_message = ?, lost_leases = ?, due_at = NULL, claim_id = NULL,
      worker = NULL WHERE stream = ?`)
  return {
    take: ({ streamNo, id, worker, workerId = null, nowMs, leaseUntilMs, headSeq, lostLeaseCount }) =>
      void take.run(id, worker, leaseUntilMs, headSeq, lostLeaseCount, workerId, nowMs, streamNo),
    renew: (claim, leaseUntilMs) => Number(renew.run(leaseUntilMs, claim.run, claim.id, claim.epoch).changes) === 1,
    hasProgress: (streamNo, headSeq) => {
      writer.flush()
      return progress.get(streamNo, headSeq) !== undefined
    },
    expire: (mark, nowMs) => void expire.run(nowMs, mark),
    setAside: (streamNo, { code, message, lostLeaseCount }) =>
      void setAside.run(code, message, lostLeaseCount, streamNo),
  }
}
