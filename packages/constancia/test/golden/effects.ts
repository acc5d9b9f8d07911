/**
 * What the flows of the golden test are made of. Each is a plan as users write them, with its input, the signals that
 * reach it and the destination of its effects. Failures are scripted by key and attempt, never by counting calls, so that
 * a history is the same however often a process ends.
 */
import type { AnyFlow, AttemptInfo } from '../../dist/index.js'
import { type AddressedSignal, Ledger, type ScriptedCancel, type Upgrade } from '../../dist/testing/index.js'

/** One flow of the golden test with all that its run needs. */
export interface Golden {
  readonly flow: AnyFlow
  readonly input: unknown
  /** Those of its children, and those that it continues as. */
  readonly flows?: readonly AnyFlow[]
  readonly signals?: readonly AddressedSignal[]
  readonly cancel?: ScriptedCancel
  readonly upgrade?: Upgrade
  /** Where it has its effects; the bank unless set. */
  readonly destination?: Ledger
  /** What its function returns, or the error that it fails with; of the last run where others took over. */
  readonly gives: unknown
  /** The longest that a process may be gone without the flow itself noticing; three days unless set. */
  readonly downtimeMs?: number
  /** It has so many places that most pairs of them are left to the campaign. */
  readonly everyNthPair?: number
}

/** Where every flow here has its effects. It remembers keys. */
export const bank = new Ledger()

/** Has an effect, and returns what it was. */
export const pay =
  <T>(what: T) =>
  (attempt: AttemptInfo): T =>
    bank.receive(attempt.key, what)

/** Fails in the attempts named and pays in the others. */
export const payUnless = (failing: readonly number[], what: string) => async (attempt: AttemptInfo) => {
  if (failing.includes(attempt.attempt)) throw new Error(`attempt ${attempt.attempt} of ${what} failed`)
  return bank.receive(attempt.key, what)
}

/** An error as a text. */
export const failed = (reason: unknown): string =>
  reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason)

/** A destination that answers later, in turns of the event loop of its own. */
export const slowly =
  <T>(work: (attempt: AttemptInfo) => T) =>
  async (attempt: AttemptInfo) => {
    await new Promise((resolve) => setImmediate(resolve))
    return work(attempt)
  }
