import type { ClaimRef } from '../claim-ref.js'
import type { Heartbeat } from '../heartbeat.js'

/** A heartbeat that can lose everything it holds at once. */
export class GuardedHeartbeat implements Heartbeat {
  readonly #inner: Heartbeat
  readonly #onLost: (claim: ClaimRef) => void
  readonly #onStopped: () => void
  readonly #held = new Map<string, ClaimRef>()

  constructor(inner: Heartbeat, onLost: (claim: ClaimRef) => void, onStopped: () => void) {
    this.#inner = inner
    this.#onLost = onLost
    this.#onStopped = onStopped
  }

  hold(claim: ClaimRef): void {
    this.#held.set(claim.id, claim)
    this.#inner.hold(claim)
  }

  drop(claim: ClaimRef): void {
    this.#held.delete(claim.id)
    this.#inner.drop(claim)
  }

  stop(): Promise<void> {
    this.#onStopped()
    return this.#inner.stop()
  }

  /** Gives up every claim: the database that they were made in is not the one that is there. */
  loseAll(): void {
    const lost = [...this.#held.values()]
    for (const claim of lost) this.drop(claim)
    for (const claim of lost) this.#onLost(claim)
  }
}
