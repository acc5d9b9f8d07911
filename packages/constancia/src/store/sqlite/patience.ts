import { systemClock } from '../index.js'
import { faultOf, lockedError } from './faults.js'

/** How to wait for a lock of somebody else without blocking the event loop. */
export interface Patience {
  readonly file: string
  /** Milliseconds after which waiting ends with `store_locked`. */
  readonly busyMsMax: number
  readonly randomBytes: (count: number) => Uint8Array
}

/**
 * Does something synchronous with the database, again and again while somebody else has it locked. Rejects with
 * `store_locked` after `busyMsMax`, with another code of `StoreErrorCode` for other faults of the database.
 */
export async function patiently<T>(patience: Patience, attempt: () => T): Promise<T> {
  const startMs = systemClock.monotonic()
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      const fault = faultOf(error, patience.file)
      if (fault.kind !== 'busy') throw fault.error
      if (systemClock.monotonic() - startMs > patience.busyMsMax) throw lockedError(patience.file, patience.busyMsMax)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs(patience)))
  }
}

/** Tries something until it succeeds or so many milliseconds are over; whether it did. */
export async function triedFor(patience: Patience, msMax: number, attempt: () => boolean): Promise<boolean> {
  const startMs = systemClock.monotonic()
  while (!attempt()) {
    if (systemClock.monotonic() - startMs > msMax) return false
    await new Promise((resolve) => setTimeout(resolve, pauseMs(patience)))
  }
  return true
}

/** A pause between two tries, 1 to 16 ms at random, so that processes that wait do not march in step. */
export function pauseMs(patience: Patience): number {
  const [byte = 0] = patience.randomBytes(1)
  return 1 + (byte & 15)
}
