import type { Head, RunFold, RunId } from '../../journal/index.js'

const tipsMax = 16_384

/**
 * What runs were when this process last wrote to them. A fold follows from the journal up to its head, so whoever names that
 * head by its hash may use it, however old it is; whether the head is still the last event, the database says.
 */
export class Tips {
  readonly #folds = new Map<RunId, RunFold>()

  /** The fold of a run at this head, if it is known. */
  at(run: RunId, head: Head): RunFold | undefined {
    const fold = this.#folds.get(run)
    return fold?.head.hash === head.hash && fold.head.seq === head.seq ? fold : undefined
  }

  /** The flow of a run, if it is known. */
  flowOf(run: RunId): string | undefined {
    return this.#folds.get(run)?.flow
  }

  set(run: RunId, fold: RunFold): void {
    if (this.#folds.size >= tipsMax) this.#folds.clear()
    this.#folds.set(run, fold)
  }

  forget(run: RunId): void {
    this.#folds.delete(run)
  }
}
