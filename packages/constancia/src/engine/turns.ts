import type { Parts } from './parts.js'

/** What turns tell their execution. */
export interface TurnHooks {
  /** A turn is closed. */
  readonly closed: () => void
  /** What a turn began with threw. */
  readonly fault: (error: unknown) => void
}

/**
 * The turns of one run. A turn is two immediates queued together: the first hands something over to the flow, the second
 * closes the turn. Between them run microtasks only, so whatever the flow does meanwhile follows from the journal alone;
 * a word said outside a turn shows that the flow awaited something else.
 */
export class Turns {
  #open = false
  #busy = false
  #begin: () => void = () => undefined
  readonly #parts: Parts
  readonly #hooks: TurnHooks

  constructor(parts: Parts, hooks: TurnHooks) {
    this.#parts = parts
    this.#hooks = hooks
  }

  /** True between the two immediates. */
  get open(): boolean {
    return this.#open
  }

  /** True from when a turn is asked for until it is closed. */
  get busy(): boolean {
    return this.#busy
  }

  /** Runs one turn, with `begin` inside. */
  run(begin: () => void): void {
    this.#busy = true
    this.#begin = begin
    this.#parts.immediate(this.#openNow)
    this.#parts.immediate(this.#closeNow)
  }

  // Made once: a run has thousands of turns.
  readonly #openNow = (): void => {
    this.#open = true
    try {
      this.#begin()
    } catch (error) {
      this.#hooks.fault(error)
    }
  }

  readonly #closeNow = (): void => {
    this.#open = false
    this.#busy = false
    this.#hooks.closed()
  }
}
