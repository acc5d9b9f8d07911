import type { ClaimId, RunFold, RunId } from '../../journal/index.js'
import type { Database, Statement } from './driver.js'
import { foldOf, type RunRecord } from './run-record.js'
import type { RunTable } from './runs.js'

/** What an append needs of a run: enough to check it and to fold its events. */
export interface RunTip {
  readonly streamNo: number
  readonly fold: RunFold
  readonly claimId: ClaimId | undefined
  readonly epoch: number
  readonly readSignalCount: number
}

const tipsMax = 16_384

/**
 * The tips of runs that are being advanced, remembered from transaction to transaction: most appends then read nothing.
 * What another connection committed shows in SQLite's `data_version`, which is looked at under the lock of each
 * transaction; then, and after a transaction that was rolled back, everything is forgotten. Only for use within one.
 */
export class Tips {
  readonly #runs: RunTable
  readonly #dataVersion: Statement
  readonly #tips = new Map<RunId, RunTip>()
  #seenVersion: unknown

  constructor(database: Database, runs: RunTable) {
    this.#runs = runs
    this.#dataVersion = database.prepare('PRAGMA data_version')
  }

  /** Forgets what may be out of date; called first thing in each transaction. Whether anything may have been. */
  begin(): boolean {
    const { data_version: version } = this.#dataVersion.get() as { data_version: unknown }
    if (version === this.#seenVersion && this.#tips.size < tipsMax) return false
    this.#seenVersion = version
    this.#tips.clear()
    return true
  }

  /** Forgets everything: it was not committed, or the table is made anew. */
  forgetAll(): void {
    this.#tips.clear()
  }

  get(run: RunId): RunTip | undefined {
    return this.#tips.get(run) ?? this.#load(run)
  }

  /** Whether somebody has a run, as far as is remembered, also outside of a transaction: no more than a guess. */
  isOwned(run: RunId): boolean {
    return this.#tips.get(run)?.claimId !== undefined
  }

  /** Remembers what the transaction under way made of a run. */
  set(run: RunId, tip: RunTip): void {
    this.#tips.set(run, tip)
  }

  /** Forgets a run whose row changes in another way. */
  forget(run: RunId): void {
    this.#tips.delete(run)
  }

  #load(run: RunId): RunTip | undefined {
    const record = this.#runs.record(run)
    if (record === undefined) return undefined
    const tip = tipOf(record)
    this.#tips.set(run, tip)
    return tip
  }
}

/** The part of a row that an append needs. */
export function tipOf(record: RunRecord): RunTip {
  const { stream: streamNo, claim_id: claimId, epoch, read_signal_count: readSignalCount } = record
  return { streamNo, fold: foldOf(record), claimId: claimId ?? undefined, epoch, readSignalCount }
}
