import type { RunId } from '../journal/index.js'
import type { Parts } from './parts.js'

/** A run under which the store failed. */
export interface FaultedRun {
  readonly run: RunId
  /** Its flow and version, for people. */
  readonly flow: string
  readonly error: unknown
}

const togetherMs = 1_000

/**
 * Says under which runs the store failed: the first at once, and those that follow within a second in one line, so that a database
 * that goes away under thousands of runs does not fill the log.
 */
export class FaultReports {
  readonly #parts: Pick<Parts, 'clock' | 'log'>
  #held: FaultedRun[] = []
  #disarm: (() => void) | undefined

  constructor(parts: Pick<Parts, 'clock' | 'log'>) {
    this.#parts = parts
  }

  /** Says it now or, together with others, within a second. */
  add(fault: FaultedRun): void {
    this.#held.push(fault)
    if (this.#disarm === undefined) this.#say()
  }

  /** Says what is left. */
  stop(): void {
    this.#disarm?.()
    this.#disarm = undefined
    this.#sayHeld()
  }

  #say(): void {
    this.#disarm = undefined
    if (!this.#sayHeld()) return
    this.#disarm = this.#parts.clock.after(togetherMs, () => this.#say())
  }

  #sayHeld(): boolean {
    const [first, ...others] = this.#held.splice(0)
    if (first === undefined) return false
    const { run, flow, error } = first
    const message = 'The store failed under a run. It is in its journal and goes on when the store does.'
    const more = others.length === 0 ? {} : { otherRuns: others.length }
    this.#parts.log('error', message, { run, flow, error: String(error), ...more })
    return true
  }
}
