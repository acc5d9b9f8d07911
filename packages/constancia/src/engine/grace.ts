import type { Clock } from '../store/index.js'

/**
 * How long a run that is to be parked waits for its attempts under way, so that they are recorded. Not for ever: one that
 * waits for a word of its own run never ends.
 */
export class Grace {
  readonly #clock: Clock
  readonly #graceMs: number
  #isOver = false
  #disarm: (() => void) | undefined

  constructor(clock: Clock, graceMs: number) {
    this.#clock = clock
    this.#graceMs = graceMs
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Begins once; calls when it is over. */
  begin(call: () => void): void {
    this.#disarm ??= this.#clock.after(this.#graceMs, () => {
      this.#isOver = true
      call()
    })
  }

  disarm(): void {
    this.#disarm?.()
  }
}
