import type { ApprovalFold, Head, OpId, RunFold, RunId, StoredEvent } from '../../journal/index.js'
import type { RunRow } from '../index.js'

/** One run on a disk. The row is replaced, never changed: whoever was given it keeps what he saw. */
export interface StoredRun {
  /** Order of creation, from 0. */
  readonly no: number
  readonly events: StoredEvent[]
  row: RunRow
  /** When somebody may next try the run, UTC milliseconds since 1970. */
  dueAtMs: number | undefined
  /** The last event when the run was last claimed; -1 before the first claim. */
  claimedHeadSeq: number
  /** By their ops; undefined where it never asked for one. */
  approvals?: Map<OpId, ApprovalFold>
}

/** What is kept of a run whose journal was deleted. */
export interface PurgedRun {
  readonly id: RunId
  readonly root: RunId
  readonly head: Pick<Head, 'seq' | 'hash'>
  readonly outcome: RunFold['outcome']
  /** UTC milliseconds since 1970, as all of these. */
  readonly endedAtMs: number
  readonly purgedAtMs: number
  readonly by: string
}
