import type { ConstanciaError } from '../../journal/index.js'
import { storeError, systemClock } from '../index.js'
import { type Fault, faultOf, lockedError, unavailableError } from './faults.js'

/** How long what goes wrong for a while is borne. */
export interface Patience {
  /** How people know the database: host, port, name, schema. */
  readonly place: string
  readonly waitMsMax: number
  /** So long a line may be silent. */
  readonly answerMsMax: number
  readonly randomBytes: (count: number) => Uint8Array
  /** Told when the database goes away and when it is back, each once. */
  readonly report: (isAway: boolean, cause?: unknown) => void
  /** Cuts every wait short, once somebody wants to close. */
  readonly isClosing: () => boolean
}

// Shorter pauses between two times of being away are none: some calls get through while others do not.
const backMsMin = 5_000

/** Tells when a database goes away, so that it is said once however many calls notice it. */
export class Outages {
  #isAway = false
  #awayMs = Number.NEGATIVE_INFINITY

  /** Takes what a call found. Returns whether that is news: an outage begins. */
  note(isAway: boolean): boolean {
    const wasAway = this.#isAway
    this.#isAway = isAway
    if (!isAway) return false
    const nowMs = systemClock.monotonic()
    const goneMs = nowMs - this.#awayMs
    this.#awayMs = nowMs
    return !wasAway && goneMs > backMsMin
  }
}

/** Counts the time that one call has been waiting, over all its tries. */
export class Wait {
  readonly #patience: Patience
  #sinceMs: number | undefined
  #tries = 0

  constructor(patience: Patience) {
    this.#patience = patience
  }

  /**
   * Tells what an error means and, where it passes, waits a while before the next try. Throws `store_unavailable` or
   * `store_locked` once that has gone on for too long, and every other fault at once.
   */
  async bear(error: unknown): Promise<Fault['kind']> {
    const fault = faultOf(error, this.#patience.place)
    if (fault.kind === 'refused' || fault.kind === 'foreign') throw fault.error
    const { place, waitMsMax, isClosing, report } = this.#patience
    if (fault.kind === 'away') report(true, error)
    const nowMs = systemClock.monotonic()
    this.#sinceMs ??= nowMs
    const waitedMs = Math.round(nowMs - this.#sinceMs)
    if (waitedMs >= waitMsMax || (fault.kind === 'away' && isClosing())) {
      throw fault.kind === 'away' ? unavailableError(place, waitedMs, error) : lockedError(place, waitedMs, error)
    }
    await this.#pause(fault.kind === 'away' ? 100 : 5)
    return fault.kind
  }

  // Longer and longer, and never in step with others.
  #pause(firstMs: number): Promise<void> {
    const [chance = 0] = this.#patience.randomBytes(1)
    const delayMs = Math.min(firstMs * 2 ** this.#tries++, 1000) * (0.5 + chance / 512)
    return new Promise((resolve) => void systemClock.after(delayMs, resolve))
  }
}

/** Tries again for as long as patience lasts. For what may be done twice. */
export async function patiently<T>(patience: Patience, call: () => Promise<T>): Promise<T> {
  const wait = new Wait(patience)
  for (;;) {
    try {
      const result = await call()
      patience.report(false)
      return result
    } catch (error) {
      await wait.bear(error)
    }
  }
}

/** What every call on a closed store fails with. */
export function closedError(): ConstanciaError {
  return storeError(
    'store_closed',
    'The store was closed, so nothing was read or written. The run is as it was; open the store again.',
  )
}
