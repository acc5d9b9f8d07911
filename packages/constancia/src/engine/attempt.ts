import type { ClaimRef } from '../store/index.js'
import { engineError } from './errors.js'

/** What a step's function is told about the try that it is. */
export interface AttemptInfo {
  /** `<run id>/<op id>`: the same in every attempt. A destination that remembers keys sees the effect once. */
  readonly key: string
  /** From 1. A crash is no attempt. */
  readonly attempt: number
  /** Grows with every claim of the run: a destination that compares it refuses an owner that was replaced. */
  readonly epoch: number
  /** Aborts when the attempt timed out, the run was cancelled, the claim is lost or the worker stops. */
  readonly signal: AbortSignal
}

const nothing = (): void => undefined

/** One try of a step. The abort signal is made when somebody asks for it. */
export class Attempt implements AttemptInfo {
  readonly key: string
  readonly attempt: number
  readonly epoch: number
  /** Disarms the timer of its time limit. */
  disarm: () => void = nothing
  /** Whether it has ended: what it still brings counts for nothing. */
  isOver = false
  /** Whether it goes to its end although its run is cancelled, because what it does must not stay unknown. */
  outlivesCancel = false
  #controller: AbortController | undefined
  #reason: unknown

  constructor(key: string, attempt: number, claim: ClaimRef) {
    this.key = key
    this.attempt = attempt
    this.epoch = claim.epoch
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Aborts the signal with a reason. Nothing is left that would time it. */
  abort(reason: unknown): void {
    this.disarm()
    this.#reason = reason
    this.#controller?.abort(reason)
  }

  /** Aborts it because its worker is done with the run, in whatever way. */
  abandon(how: string): void {
    const message =
      how === 'ended'
        ? 'The run has ended, by force or under another owner. What this attempt still brings is discarded.'
        : `This worker no longer owns the run (${how}). What this attempt still brings is discarded; the run goes on from its journal.`
    this.abort(engineError('claim_lost', message))
  }
}
