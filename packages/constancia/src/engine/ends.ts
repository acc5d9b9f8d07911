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

/** Whoever waits for a run to end. A hint makes it look at once, a poll finds what no hint told. */
export class Ends {
  readonly #input: EndsInput
  readonly #waiters = new Map<RunId, Waiter[]>()
  #disarm: (() => void) | undefined

  constructor(input: EndsInput) {
    this.#input = input
  }

  /** Resolves when the run, or the last of those that took over from it, has ended. Rejects with `unknown_run`, `runtime_closed` or a fault of the store. */
  async of(run: RunId): Promise<RunRow> {
    const row = await latestRowOf(this.#input.store, run)
    if (row === undefined) throw unknownRun(run)
    if (row.outcome !== 'open') return row
    const ended = await this.#endOf(row.id)
    return ended.continuedAs === undefined ? ended : this.of(run)
  }

  #endOf(run: RunId): Promise<RunRow> {
    return new Promise((resolve, reject) => {
      this.#waiters.set(run, [...(this.#waiters.get(run) ?? []), { resolve, reject }])
      this.#arm()
      void this.look(run) // It may have ended since it was read.
    })
  }

  /** Takes a hint of the store. */
  notice(change: Change): void {
    if (change.run === undefined) this.#lookAtAll()
  }

  /** Looks at one run that may have ended. */
  async look(run: RunId): Promise<void> {
    if (!this.#waiters.has(run)) return
    try {
      const row = await this.#input.store.run(run)
      if (row !== undefined && row.outcome !== 'open') this.#settle(run, (waiter) => waiter.resolve(row))
    } catch (error) {
      this.#settle(run, (waiter) => waiter.reject(error))
    }
  }

  /** Rejects everybody who still waits. */
  close(): void {
    const error = engineError(
      'runtime_closed',
      'The runtime was closed while somebody waited for a run to end. The run itself is not affected.',
    )
    for (const run of [...this.#waiters.keys()]) this.#settle(run, (waiter) => waiter.reject(error))
  }

  #settle(run: RunId, settle: (waiter: Waiter) => void): void {
    const waiters = this.#waiters.get(run) ?? []
    this.#waiters.delete(run)
    if (this.#waiters.size === 0) {
      this.#disarm?.()
      this.#disarm = undefined
    }
    for (const waiter of waiters) settle(waiter)
  }

  #lookAtAll(): void {
    for (const run of this.#waiters.keys()) void this.look(run)
  }

  #arm(): void {
    this.#disarm ??= this.#input.clock.after(this.#input.pollMs, () => {
      this.#disarm = undefined
      if (this.#waiters.size === 0) return
      this.#lookAtAll()
      this.#arm()
    })
  }
}
