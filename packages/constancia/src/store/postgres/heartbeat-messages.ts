import type { ClaimRef } from '../index.js'
import type { ConnectionOptions } from './driver.js'

/** What the heartbeat's thread is born with. */
export interface HeartbeatData {
  readonly connection: ConnectionOptions
  readonly schema: string
  readonly leaseMs: number
  readonly stallMs: number
  /** One 32-bit number, which grows while the main loop turns. */
  readonly ticks: SharedArrayBuffer
}

/** Said to the thread. */
export type ToHeartbeat =
  | { readonly kind: 'hold'; readonly claim: ClaimRef }
  | { readonly kind: 'drop'; readonly claim: ClaimRef }
  | { readonly kind: 'stop' }

/** Said by the thread. */
export type FromHeartbeat =
  | { readonly kind: 'lost'; readonly claim: ClaimRef }
  | { readonly kind: 'failed'; readonly reason: string }
