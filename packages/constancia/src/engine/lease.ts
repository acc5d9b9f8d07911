import type { ClaimRef, Clock, Store } from '../store/index.js'

/** What a lease is known by. */
export interface LeaseInput {
  readonly store: Store
  readonly claim: ClaimRef
  readonly clock: Clock
  readonly leaseMs: number
  /** Before it was asked for, on the monotonic clock. */
  readonly takenMs: number
}

/**
 * How surely an owner still has its run, which only matters for what the outside world cannot refuse: every append is
 * checked by the store. Known is when the lease was last asked for; the heart that keeps it alive tells nothing.
 */
export class Lease {
  readonly #input: LeaseInput
  #renewedMs: number

  constructor(input: LeaseInput) {
    this.#input = input
    this.#renewedMs = input.takenMs
  }

  /** Whether it has a third of its time left at least, whatever became of the heart. */
  get isSure(): boolean {
    const { clock, leaseMs } = this.#input
    return clock.monotonic() - this.#renewedMs <= (2 / 3) * leaseMs
  }

  /** Prolongs it. False where the run is another's. Rejects with faults of the store. */
  async renew(): Promise<boolean> {
    const { store, claim, clock, leaseMs } = this.#input
    const beganMs = clock.monotonic()
    const kept = await store.renew([claim], leaseMs)
    this.#renewedMs = beganMs
    return kept.length > 0
  }
}
