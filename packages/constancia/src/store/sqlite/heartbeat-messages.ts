import type { ClaimId } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'

/** What the heartbeat's thread is born with. */
export interface HeartbeatData {
  readonly file: string
  readonly leaseMs: number
  readonly stallMs: number
  /** One 32-bit number, which grows while the main loop turns. */
  readonly ticks: SharedArrayBuffer
}

/** Said to the thread. */
export type ToHeartbeat =
  | { readonly kind: 'change'; readonly hold: readonly ClaimRef[]; readonly drop: readonly ClaimId[] }
  | { readonly kind: 'stop' }

/** Said by the thread. */
export type FromHeartbeat =
  | { readonly kind: 'lost'; readonly claim: ClaimRef }
  | { readonly kind: 'failed'; readonly reason: string }
