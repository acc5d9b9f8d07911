import type { ClaimId, RunId } from '../journal/index.js'

/** What a claim's owner must show with every write. */
export interface ClaimRef {
  readonly run: RunId
  readonly id: ClaimId
  /** Grows by one with each claim of the run. */
  readonly epoch: number
}
