import type { Parts } from './parts.js'

/**
 * The turns of one run. A turn is two immediates queued together: the first hands something over to the flow, the second
 * closes the turn. Between them run microtasks only, so whatever the flow does meanwhile follows from the journal alone;
 * a word said outside a turn shows that the flow awaited something else.
 */
export class Turns {
  #open = false
  #busy = false
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** True between the two immediates. */
  get open(): boolean {
    return this.#open
  }

  /** True from when a turn is asked for until it is closed. */
  get busy(): boolean {
    return this.#busy
  }

  /** Runs one turn: `begin` inside, `end` when it is closed. */
  run(begin: () => void, end: () => void): void {
    this.#busy = true
    this.#parts.immediate(() => {
      this.#open = true
      begin()
    })
    this.#parts.immediate(() => {
      this.#open = false
      this.#busy = false
      end()
    })
  }
}
