import {
  bodyOf,
  type ConstanciaError,
  decodeValue,
  exportLine,
  type RunId,
  runStream,
  type StoredEvent,
} from '../journal/index.js'
import type { RunRow, Store } from '../store/index.js'
import { type Delivered, unknownRun } from './deliver.js'
import { engineError } from './errors.js'

/** How to send a signal. */
export interface SignalOptions {
  /** Counts once, however often it is sent; a fresh one unless set. Set it wherever the sender may try again. */
  readonly delivery?: string
  /** The principal on whose behalf it is sent; a pseudonym. */
  readonly by?: string
}

/** How to cancel. */
export interface CancelOptions {
  /** For whoever reads the journal: at most 1,000 characters. */
  readonly reason?: string
  /** The principal who wants it; a pseudonym. */
  readonly by?: string
  /** Ends the run at once, without its clean-up: for a run that is stuck, or whose clean-up does not end. */
  readonly force?: boolean
}

/** What a run's handle needs from its runtime. */
export interface RunAccess {
  readonly store: Store
  /** What the run is now, with what it waits for in this process. */
  readonly row: (run: RunId) => Promise<RunRow | undefined>
  /** Resolves when the run has ended. */
  readonly ended: (run: RunId) => Promise<RunRow>
  readonly signal: (run: RunId, name: string, send: SignalOptions & { readonly payload: unknown }) => Promise<Delivered>
  readonly retry: (run: RunId, note: string) => Promise<Delivered>
  readonly cancel: (run: RunId, options: CancelOptions) => Promise<Delivered>
}

/** A handle on one execution of a flow. It holds nothing: the run lives in the store. */
export class Run<Output = unknown> {
  readonly id: RunId
  readonly #access: RunAccess

  constructor(id: RunId, access: RunAccess) {
    this.id = id
    this.#access = access
  }

  /**
   * Waits for the end and returns the output, of the run that took over where there is one. Throws `run_failed`, with the flow's error as its cause, `run_cancelled`,
   * `data_erased` where the output was erased, or `unknown_run`. A run that is stuck has not ended: this goes on waiting until it is repaired, and `row()` says what for.
   */
  async result(): Promise<Output> {
    const row = await this.#access.ended(this.id)
    const [last] = await this.#access.store.read(runStream(row.id), { fromSeq: row.head.seq })
    if (last === undefined) throw unknownRun(this.id) // It was purged just now.
    const data = last.data === undefined ? undefined : decodeValue(last.data)
    const isErased = last.data === undefined && last.dataCommit !== undefined
    if (row.outcome === 'completed') {
      if (isErased) throw erased(this.id)
      return data as Output
    }
    if (row.outcome === 'cancelled') throw engineError('run_cancelled', `Run ${this.id} was cancelled.`)
    throw this.#failure(last, isErased ? 'the error was erased' : data)
  }

  /** What the run is now. Throws `unknown_run`. */
  async row(): Promise<RunRow> {
    const row = await this.#access.row(this.id)
    if (row === undefined) throw unknownRun(this.id)
    return row
  }

  /** The journal, from the first event on. Throws `unknown_run`. */
  async events(): Promise<readonly StoredEvent[]> {
    await this.row()
    return this.#access.store.read(runStream(this.id))
  }

  /** The journal as lines of JSON, for whoever reads it without Constancia. Throws `unknown_run`. */
  async export(): Promise<readonly string[]> {
    return (await this.events()).map(exportLine)
  }

  /**
   * Sends a signal. When this resolves it is in the journal, once, whether anybody waits for it or not. Throws `unknown_run`,
   * `run_ended`, `too_many_signals`, `not_serializable` or `value_too_large`; then nothing was done.
   */
  async signal(name: string, payload?: unknown, options: SignalOptions = {}): Promise<'delivered' | 'duplicate'> {
    return settle(await this.#access.signal(this.id, name, { ...options, payload }))
  }

  /**
   * Makes a run that is stuck try again, as its code is now. Throws `unknown_run`, `run_ended`, or `invalid_option` for a
   * note of more than 1,000 characters.
   */
  async retry(note = ''): Promise<void> {
    settle(await this.#access.retry(this.id, note))
  }

  /**
   * Asks the run to end. When this resolves the wish is in the journal: the run ends as cancelled, once its flow has cleaned
   * up. With `force` it has ended. `duplicate` if somebody asked before. Throws `unknown_run` or `run_ended`; then nothing
   * was done. A run that takes over from another one is reached by either id.
   */
  async cancel(options: CancelOptions = {}): Promise<'requested' | 'duplicate'> {
    return settle(await this.#access.cancel(this.id, options)) === 'delivered' ? 'requested' : 'duplicate'
  }

  #failure(last: StoredEvent, cause: unknown): ConstanciaError {
    const code = last.kind === 'FlowFailed' ? bodyOf(last, 'FlowFailed').code : 'error'
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    const message = `Run ${this.id} failed: ${text}. Its journal has every step; start a new run when the cause is mended.`
    return engineError('run_failed', message, { cause, details: { code } })
  }
}

function erased(run: RunId): ConstanciaError {
  return engineError(
    'data_erased',
    `Run ${run} has completed, and what it returned was erased. It is not executed again; its journal still tells what it did and when.`,
  )
}

function settle(delivered: Delivered): 'delivered' | 'duplicate' {
  if (delivered.kind === 'refused') throw delivered.error
  return delivered.kind === 'delivered' ? 'delivered' : 'duplicate'
}
