import { cliError } from './errors.js'
import { exitCodes } from './exit-codes.js'

/**
 * Ctrl-C and a polite request to end. The first one asks: what is under way is brought to an end and told. The second one
 * ends the process at once.
 */
export class Interrupts {
  readonly #controller = new AbortController()
  readonly #onSignal = (): void => {
    if (this.isInterrupted) process.exit(exitCodes.interrupted)
    this.request()
  }

  /** Begins to listen. */
  listen(): void {
    process.on('SIGINT', this.#onSignal)
    process.on('SIGTERM', this.#onSignal)
  }

  /** Asks as the first Ctrl-C does. */
  request(): void {
    this.#controller.abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isInterrupted(): boolean {
    return this.#controller.signal.aborted
  }

  /** Throws `interrupted` if somebody wants us to stop. For work that leaves nothing half done. */
  check(): void {
    if (this.isInterrupted) throw cliError('interrupted', 'Stopped. Nothing was changed.')
  }
}
