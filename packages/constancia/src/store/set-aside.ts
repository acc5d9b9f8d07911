import type { RunId } from '../journal/index.js'

/**
 * Whether a run that lost so many leases in a row, without an event of an owner in between, may be what ends its workers. The
 * others that such a worker had lose theirs as well; so a worker takes only one suspect at a time, and the next crash tells.
 */
export function isSuspect(lostLeaseCount: number): boolean {
  return lostLeaseCount >= 2
}

/** A run whose owners keep getting lost. */
export interface Poison {
  readonly run: RunId
  readonly lostLeaseCount: number
  /** The last of them; undefined where nobody knows. */
  readonly worker: string | undefined
}

/** What is said of it when it is set aside: the message beside the code `poison`. */
export function poisonMessage({ run, lostLeaseCount, worker = 'unknown' }: Poison): string {
  return (
    `The lease of run ${run} ran out ${lostLeaseCount} times in a row without an event of its owner in between; the last owner was ` +
    `${worker}. Something in the run probably ends or stops its worker: too much memory, an endless loop, a call that ends ` +
    'the process. The run was set aside: its journal is whole, no worker takes it, and no other run is held up. Look into what those ' +
    'workers said last, correct it, then retry the run.'
  )
}

/** Code of runs that are parked because the database lost events that may have been theirs. */
export const rolledBackCode = 'rolled_back'

/** What stands between the message of a parked run and the code for which it was stuck before. */
export const stuckBefore = ' Before that it was stuck with '

/** What is said of a parked run that was stuck before: the new message, then what it was. */
export function parkedMessage(message: string, before: { readonly code: string; readonly message: string }): string {
  if (before.code === rolledBackCode) return message
  return `${message}${stuckBefore}${before.code}: ${before.message}`
}

/**
 * So much higher is the epoch of a run that was parked: epochs that were lost are not given again, so that a destination which compares
 * them refuses whoever owned the run before.
 */
export const epochLeap = 1_000_000
