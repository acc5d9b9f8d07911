import type { ClaimId } from '../../journal/index.js'

/** Why something does not fit, and what was found instead. */
export interface Unfit {
  readonly kind: 'claim_lost' | 'run_ended' | 'head_conflict' | 'basis_moved' | 'exists'
  readonly head: { readonly seq: number; readonly hash: string; readonly at: number }
  readonly claimId: ClaimId | null
  readonly epoch: number
}
