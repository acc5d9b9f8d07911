import type { RunId } from '../journal/index.js'
import type { Change, Clock, RunRow, Store } from '../store/index.js'
import { unknownRun } from './deliver.js'
import { engineError } from './errors.js'
import { latestRowOf } from './line.js'

/** What waits for the ends of runs works with. */
export interface EndsInput {
  readonly store: Store
  readonly clock: Clock
  /** Milliseconds between looks; hints make it look sooner. */
  readonly pollMs: number
}

interface Waiter {
  readonly resolve: (row: RunRow) => void
  readonly reject: (error: unknown) => void
}

// Somebody may wait for tens of thousands of runs: looking at all of them must neither keep the event loop for long nor
// take more than about a tenth of the time.
const looksAtOnce = 64
const restFactor = 9

/**
 * Whoever waits for a run to end. A run of this process is looked at when its execution is over; a hint of another process
 * makes it look at that run, or at all of them where it names none, and a poll finds what no hint told.
 */
export class Ends {
  readonly #input: EndsInput
  readonly #waiters = new Map<RunId, Waiter[]>()
  #disarm: () => void = () => undefined
  /** When the next look at all of them is due, on the monotonic clock; Infinity while there is none. */
  #armedForMs = Infinity
  #restUntilMs = -Infinity
  #looking: Promise<void> | undefined
  #again = false
  #isClosed = false

  constructor(input: EndsInput) {
    this.#input = input
  }

  /** Resolves when the run, or the last of those that took over from it, has ended. Rejects with `unknown_run`, `runtime_closed` or a fault of the store. */
  async of(run: RunId): Promise<RunRow> {
    for (let id = run; ; ) {
      const row = await this.#endOf(id)
      if (row.continuedAs === undefined) return row
      id = (await latestRowOf(this.#input.store, id))?.id ?? row.continuedAs
    }
  }

  #endOf(run: RunId): Promise<RunRow> {
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(run)
      if (waiters === undefined) this.#waiters.set(run, [{ resolve, reject }])
      else waiters.push({ resolve, reject })
      this.#lookIn(this.#input.pollMs)
      void this.look(run)
    })
  }

  /** Takes a hint of the store. */
  notice(change: Change): void {
    const { run, ended } = change
    if (run === undefined) {
      if (ended !== false) this.lookSoon()
    } else if (ended === true) void this.look(run)
  }

  /** Some run may have ended without an execution of this process. */
  lookSoon(): void {
    if (this.#waiters.size > 0) this.#lookIn(0)
  }

  /** Looks at one run that may have ended. */
  async look(run: RunId): Promise<void> {
    if (!this.#waiters.has(run)) return
    try {
      const row = await this.#input.store.run(run)
      if (row === undefined) this.#settle(run, (waiter) => waiter.reject(unknownRun(run)))
      else if (row.outcome !== 'open') this.#settle(run, (waiter) => waiter.resolve(row))
    } catch (error) {
      this.#settle(run, (waiter) => waiter.reject(error))
    }
  }

  /** Rejects everybody who still waits. */
  close(): void {
    this.#isClosed = true
    const error = engineError(
      'runtime_closed',
      'The runtime was closed while somebody waited for a run to end. The run itself is not affected.',
    )
    for (const run of [...this.#waiters.keys()]) this.#settle(run, (waiter) => waiter.reject(error))
  }

  #settle(run: RunId, settle: (waiter: Waiter) => void): void {
    const waiters = this.#waiters.get(run) ?? []
    this.#waiters.delete(run)
    if (this.#waiters.size === 0) this.#rest()
    for (const waiter of waiters) settle(waiter)
  }

  #rest(): void {
    this.#disarm()
    this.#armedForMs = Infinity
  }

  // Looks at all of them after so many milliseconds, or sooner if that is asked for already.
  #lookIn(ms: number): void {
    if (this.#looking !== undefined) this.#again ||= ms === 0
    if (this.#looking !== undefined || this.#isClosed) return
    const { clock } = this.#input
    const nowMs = clock.monotonic()
    const dueMs = Math.max(nowMs + ms, this.#restUntilMs)
    if (this.#armedForMs <= dueMs) return
    this.#disarm()
    this.#armedForMs = dueMs
    if (dueMs <= nowMs) this.#begin()
    else this.#disarm = clock.after(dueMs - nowMs, () => this.#begin())
  }

  #begin(): void {
    this.#rest()
    this.#again = false
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined
      if (this.#waiters.size > 0) this.#lookIn(this.#again ? 0 : this.#input.pollMs)
    })
  }

  async #lookAtAll(): Promise<void> {
    const { clock } = this.#input
    const runs = [...this.#waiters.keys()]
    let spentMs = 0
    for (let from = 0; from < runs.length && !this.#isClosed; from += looksAtOnce) {
      if (from > 0) await new Promise<void>((resolve) => void clock.after(0, resolve))
      const sinceMs = clock.monotonic()
      await Promise.all(runs.slice(from, from + looksAtOnce).map((run) => this.look(run)))
      spentMs += clock.monotonic() - sinceMs
    }
    this.#restUntilMs = clock.monotonic() + restFactor * spentMs
  }
}
