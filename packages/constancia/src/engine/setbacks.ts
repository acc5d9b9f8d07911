import type { RunId } from '../journal/index.js'
import type { Claim, Clock } from '../store/index.js'

/** What setbacks work with. */
export interface SetbacksInput {
  readonly clock: Clock
  /** Milliseconds that the second setback in a row waits; each further one twice as long. */
  readonly delayMsFirst: number
  readonly delayMsMax: number
  readonly release: (claim: Claim) => Promise<void>
}

/**
 * Runs under which the store failed. The first time a run is given back at once; when it happens again and again, later
 * and later: it would keep the worker busy, and its steps would be executed each time.
 */
export class Setbacks {
  readonly #input: SetbacksInput
  readonly #counts = new Map<RunId, number>()
  readonly #waiting = new Map<Claim, () => void>()

  constructor(input: SetbacksInput) {
    this.#input = input
  }

  /** Gives a run back, at once or after a while. */
  async giveBack(claim: Claim): Promise<void> {
    const { clock, delayMsFirst, delayMsMax, release } = this.#input
    const count = (this.#counts.get(claim.run) ?? 0) + 1
    this.#counts.set(claim.run, count)
    if (count === 1) return release(claim)
    const delayMs = Math.min(delayMsFirst * 2 ** (count - 2), delayMsMax)
    const disarm = clock.after(delayMs, () => {
      this.#waiting.delete(claim)
      void release(claim)
    })
    this.#waiting.set(claim, disarm)
  }

  /** The store did not fail under this run any more. */
  forget(run: RunId): void {
    this.#counts.delete(run)
  }

  /** Gives everything back now. */
  async stop(): Promise<void> {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [, disarm] of waiting) disarm()
    await Promise.all(waiting.map(([claim]) => this.#input.release(claim)))
  }
}
