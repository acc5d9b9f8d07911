import type { ClaimId } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'
import type { Database } from './driver.js'
import type { EventWriter } from './event-writer.js'
import { type RunRecord, selectRecords } from './run-record.js'

/** A run that somebody may try at its time. */
export interface DueRecord extends RunRecord {
  readonly due_at: number
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
  /** Where its journal ends. */
  readonly headSeq: number
  readonly lostLeaseCount: number
}

/** What the scheduler keeps in `runs`. */
export interface ClaimTable {
  /** Runs of a flow in the order of their due times, also those whose time has not come. */
  due(query: DueQuery): DueRecord[]
  /** A run that is due at some time. */
  record(streamNo: number): DueRecord | undefined
  /** Gives the run to a claim; its epoch grows by one. */
  take(taking: Taking): void
  /** Prolongs a lease. False if the claim is lost. */
  renew(claim: ClaimRef, leaseUntilMs: number): boolean
  /** Whether the owner of a claim added an event after this one. */
  hasProgress(streamNo: number, headSeq: number): boolean
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

/**
 * The streams of runs that are due at some time, in that order. Runs with a key are in an index of their own, so that those
 * without one pay nothing for it. Bound: flow and version twice, a limit.
 */
const dueStreams = `
  SELECT stream, due_at FROM runs WHERE flow = ? AND version = ? AND due_at IS NOT NULL AND key IS NULL
  UNION ALL
  SELECT stream, due_at FROM runs WHERE flow = ? AND version = ? AND due_at IS NOT NULL AND key IS NOT NULL
  ORDER BY due_at, stream LIMIT ?`

/** Prepares the statements of the scheduler. */
export function claimTable(database: Database, writer: EventWriter): ClaimTable {
  const due = database.prepare(`
    ${selectRecords} WHERE r.stream IN (SELECT stream FROM (${dueStreams})) ORDER BY r.due_at, r.stream`)
  const record = database.prepare(`${selectRecords} WHERE r.stream = ?`)
  const take = database.prepare(`
    UPDATE runs SET status = 'running', epoch = epoch + 1, claim_id = ?, worker = ?, due_at = ?, claimed_head_seq = ?,
      lost_leases = ?, wake_at = NULL, waiting_for = NULL WHERE stream = ?`)
  const renew = database.prepare(renewSql)
  const progress = database.prepare(`SELECT 1 FROM events WHERE stream = ? AND seq > ? AND by GLOB 'claim:*' LIMIT 1`)
  const setAside = database.prepare(`
    UPDATE runs SET status = 'stuck', stuck_code = ?, stuck_message = ?, lost_leases = ?, due_at = NULL, claim_id = NULL,
      worker = NULL WHERE stream = ?`)
  return {
    due: ({ flow, version, limit }) => {
      writer.flush()
      return due.all(flow, version, flow, version, limit) as DueRecord[]
    },
    record: (streamNo) => {
      writer.flush()
      return record.get(streamNo) as DueRecord | undefined
    },
    take: ({ streamNo, id, worker, leaseUntilMs, headSeq, lostLeaseCount }) =>
      void take.run(id, worker, leaseUntilMs, headSeq, lostLeaseCount, streamNo),
    renew: (claim, leaseUntilMs) => Number(renew.run(leaseUntilMs, claim.run, claim.id, claim.epoch).changes) === 1,
    hasProgress: (streamNo, headSeq) => {
      writer.flush()
      return progress.get(streamNo, headSeq) !== undefined
    },
    setAside: (streamNo, { code, message, lostLeaseCount }) =>
      void setAside.run(code, message, lostLeaseCount, streamNo),
  }
}
