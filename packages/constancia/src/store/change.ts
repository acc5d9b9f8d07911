import type { RunId } from '../journal/index.js'

/** A hint that something changed. */
export interface Change {
  /** Undefined where another process changed something: it may be any run. */
  readonly run: RunId | undefined
  /** The last event that is stored now, where the run is known; -1 where a run may become due by what is stored next. */
  readonly headSeq: number | undefined
  /** Whether a run may have become due: created, released, or made ready by a decision; true where that is unknown. */
  readonly due: boolean
  /** Whether something may have been put into the outbox; true where that is unknown. */
  readonly outbox: boolean
  /** True where it was done by whoever had the run, or started it: nobody else who has a run need read on. */
  readonly byOwner?: boolean
  /** True where the run, or one of many, ended by it in another process; undefined where that is unknown or of no concern. */
  readonly ended?: boolean
}
