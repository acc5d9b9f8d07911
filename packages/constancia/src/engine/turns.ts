import type { Parts } from './parts.js'

/** What turns tell their execution. */
export interface TurnHooks {
  /** A turn is closed. */
  readonly closed: () => void
  /** What a turn began with threw. */
  readonly fault: (error: unknown) => void
}

// So many pairs are queued together at most: a replay must not keep the event loop for long.
const pairsMax = 16

/**
 * The turns of one run. A turn is two immediates queued together: the first hands something over to the flow, the second
 * closes the turn. Between them run microtasks only, so whatever the flow does meanwhile follows from the journal alone;
 * a word said outside a turn shows that the flow awaited something else. Where many turns are going to follow each other,
 * as in a replay, pairs for several are queued at once and need one turn of the event loop; those left over do nothing.
 */
export class Turns {
  #open = false
  #busy = false
  #begin: () => void = () => undefined
  // Pairs that are queued and not through.
  #pairCount = 0
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

  /** Runs one turn, with `begin` inside; `following` more are expected right after it. */
  run(begin: () => void, following: number): void {
    this.#busy = true
    this.#begin = begin
    if (this.#pairCount === 0) this.#queue(Math.min(1 + following, pairsMax))
  }

  #queue(pairCount: number): void {
    this.#pairCount = pairCount
    for (let count = 0; count < pairCount; count += 1) {
      this.#parts.immediate(this.#openNow)
      this.#parts.immediate(this.#closeNow)
    }
  }

  // Made once: a run has thousands of turns.
  readonly #openNow = (): void => {
    if (!this.#busy) return
    this.#open = true
    try {
      this.#begin()
    } catch (error) {
      this.#hooks.fault(error)
    }
  }

  readonly #closeNow = (): void => {
    this.#pairCount -= 1
    if (this.#open) {
      this.#open = false
      this.#busy = false
      this.#hooks.closed()
    } else if (this.#busy && this.#pairCount === 0) this.#queue(1) // It was asked for when the last pair was half through.
  }
}
