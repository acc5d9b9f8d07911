import type { ClaimId } from '../../journal/index.js'
import type { ClaimRef, Heartbeat, HeartbeatOptions } from '../index.js'
import { renew } from './claims.js'
import type { Handle } from './handle.js'

/**
 * Renews claims every third of the lease by timers of the clock, armed only while something is held. It shares the main
 * loop, so it stops by itself when that does.
 */
export class TimerHeartbeat implements Heartbeat {
  readonly #handle: Handle
  readonly #options: HeartbeatOptions
  readonly #held = new Map<ClaimId, ClaimRef>()
  #disarm: (() => void) | undefined

  constructor(handle: Handle, options: HeartbeatOptions) {
    this.#handle = handle
    this.#options = options
  }

  hold(claim: ClaimRef): void {
    this.#held.set(claim.id, claim)
    if (this.#disarm === undefined) this.#arm()
  }

  drop(claim: ClaimRef): void {
    this.#held.delete(claim.id)
    if (this.#held.size === 0) this.#rest()
  }

  async stop(): Promise<void> {
    this.#held.clear()
    this.#rest()
  }

  #arm(): void {
    this.#disarm = this.#handle.parts.clock.after(this.#options.leaseMs / 3, () => this.#beat())
  }

  #rest(): void {
    this.#disarm?.()
    this.#disarm = undefined
  }

  #beat(): void {
    this.#arm()
    const all = [...this.#held.values()]
    const kept = new Set(renew(this.#handle, all, this.#options.leaseMs))
    for (const claim of all) {
      if (kept.has(claim)) continue
      this.drop(claim)
      this.#options.onLost(claim)
    }
  }
}
