import type { ClaimRef } from './claim-ref.js'

/** How leases are kept alive. Milliseconds. */
export interface HeartbeatOptions {
  readonly leaseMs: number
  /** Stops renewing when the main loop has not ticked for so long. */
  readonly stallMs: number
  /** Called once for each claim that could not be renewed. */
  readonly onLost: (claim: ClaimRef) => void
}

/** What keeps leases alive until it is told to stop. */
export interface Heartbeat {
  /** Renews this claim every third of the lease from now on. */
  hold(claim: ClaimRef): void
  /** Stops renewing it. */
  drop(claim: ClaimRef): void
  /** Stops the heart and what it runs on. */
  stop(): Promise<void>
}
