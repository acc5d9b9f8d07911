import type { ConstanciaError } from '../../journal/index.js'
import { storeError, systemClock } from '../index.js'
import type { Database, Statement } from './driver.js'
import { type Fault, faultOf, lockedError } from './faults.js'
import { type Patience, pauseMs } from './patience.js'

/** A change that waits for its commit. */
interface Waiting {
  readonly change: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** Told how transactions go. */
export interface CommitHooks {
  /** The lock is held, nothing is changed yet. */
  readonly begun: () => void
  /** Every change was made; what still waits to be written is written now. */
  readonly committing: () => void
  readonly rolledBack: () => void
  readonly committed: () => void
}

// So many changes go into one transaction at most: a commit must not keep the event loop for long.
const changesMax = 512

/**
 * Group commit. Changes of one turn of the event loop gather and go together into one transaction, in the main thread;
 * each succeeds or conflicts alone, for it checks before it writes. A promise resolves only after COMMIT has returned.
 * Why not a thread: it was never faster, and added 0.4 ms to a lone commit.
 */
export class GroupCommit {
  readonly #database: Database
  readonly #patience: Patience
  readonly #hooks: CommitHooks
  readonly #begin: Statement
  readonly #commit: Statement
  #queue: Waiting[] = []
  #isArmed = false
  /** Since when a lock of somebody else keeps us waiting. */
  #busySinceMs: number | undefined
  #failure: ConstanciaError | undefined
  #onIdle: (() => void) | undefined

  constructor(database: Database, patience: Patience, hooks: CommitHooks) {
    this.#database = database
    this.#patience = patience
    this.#hooks = hooks
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
  }

  /**
   * Does a change within the next transaction. It may be called more than once, and must check before it writes.
   * Rejects with what the change throws, or a code of `StoreErrorCode`; then nothing of it is stored.
   */
  submit<T>(change: () => T): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ change, resolve, reject })
      if (this.#isArmed) return
      this.#isArmed = true
      setImmediate(this.#flush)
    })
  }

  /** Whether changes wait for the next transaction. */
  get isGathering(): boolean {
    return this.#queue.length > 0
  }

  /** Throws why the handle is finished, if it is. */
  checkAlive(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** From now on everything fails with this, but for what fails with something earlier. */
  fail(error: ConstanciaError): void {
    if (this.#failure === undefined || this.#failure.code === 'store_closed') this.#failure = error
  }

  /** Nothing is accepted any more; resolves when what was accepted before is decided. */
  async close(): Promise<void> {
    this.#failure ??= storeError(
      'store_closed',
      'The store was closed, so nothing was read or written. The run is as it was; open the store again.',
    )
    if (this.#queue.length === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  readonly #flush = (): void => {
    const batch = this.#queue.length <= changesMax ? this.#queue : this.#queue.slice(0, changesMax)
    this.#queue = batch === this.#queue ? [] : this.#queue.slice(changesMax)
    const isBusy = this.#settle(batch)
    if (this.#queue.length === 0) {
      this.#isArmed = false
      this.#onIdle?.()
    } else if (isBusy) {
      setTimeout(this.#flush, pauseMs(this.#patience))
    } else {
      setImmediate(this.#flush)
    }
  }

  // Decides every change of the batch, or puts it back into the queue. True if a lock of somebody else was met.
  #settle(batch: readonly Waiting[]): boolean {
    const fault = this.#transact(batch)
    if (fault === undefined) {
      this.#busySinceMs = undefined
      return false
    }
    switch (fault.kind) {
      case 'busy':
        this.#waitForLock(batch)
        return true
      case 'refused':
        rejectAll(batch, fault.error)
        return false
      case 'final':
        this.fail(fault.error)
        rejectAll([...batch, ...this.#queue.splice(0)], fault.error)
        return false
      case 'foreign':
        return this.#settleEach(batch, fault.error)
    }
  }

  #transact(batch: readonly Waiting[]): Fault | undefined {
    const results: unknown[] = []
    try {
      this.#begin.run()
      this.#hooks.begun()
      for (const { change } of batch) results.push(change())
      this.#hooks.committing()
      this.#commit.run()
    } catch (error) {
      return this.#rollBack(error)
    }
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as never)
    this.#hooks.committed()
    return undefined
  }

  // A full disk may have rolled the transaction back by itself.
  #rollBack(error: unknown): Fault {
    const { file } = this.#patience
    this.#hooks.rolledBack()
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch (rollBackError) {
      const fault = faultOf(rollBackError, file)
      if (fault.kind === 'final') return fault
    }
    return faultOf(error, file)
  }

  // One of them threw: each again in a transaction of its own, so that the others do not suffer.
  #settleEach(batch: readonly Waiting[], error: unknown): boolean {
    const [only] = batch
    if (batch.length === 1 && only !== undefined) {
      only.reject(error)
      return false
    }
    for (const [index, one] of batch.entries()) {
      if (this.#failure !== undefined && this.#failure.code !== 'store_closed') one.reject(this.#failure)
      else if (this.#settle([one])) {
        // It is the first of the queue again: the rest follows it, in order.
        this.#queue.splice(1, 0, ...batch.slice(index + 1))
        return true
      }
    }
    return false
  }

  #waitForLock(batch: readonly Waiting[]): void {
    const nowMs = systemClock.monotonic()
    this.#busySinceMs ??= nowMs
    if (nowMs - this.#busySinceMs <= this.#patience.busyMsMax) {
      this.#queue = [...batch, ...this.#queue]
      return
    }
    this.#busySinceMs = undefined
    rejectAll([...batch, ...this.#queue.splice(0)], lockedError(this.#patience.file, this.#patience.busyMsMax))
  }
}

function rejectAll(batch: readonly Waiting[], error: ConstanciaError): void {
  for (const { reject } of batch) reject(error)
}
