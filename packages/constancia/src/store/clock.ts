/**
 * Time, as everything in Constancia sees it. This is the one file that asks the machine for it; tests and simulators
 * pass a clock of their own.
 */
export interface Clock {
  /** UTC milliseconds since 1970. */
  now(): number
  /** Milliseconds from an arbitrary start, never going back. */
  monotonic(): number
  /** Calls once after at least so many milliseconds, also beyond 2^31; returns what disarms it. */
  after(delayMs: number, call: () => void): () => void
}

// Node.js fires at once, with a warning, what is further away than this.
const timeoutMsMax = 2 ** 31 - 1

/** The machine's own clock. A timer that is armed keeps the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: armTimer,
}

function armTimer(delayMs: number, call: () => void): () => void {
  const dueMs = performance.now() + delayMs
  let timeout: NodeJS.Timeout
  const arm = (): void => {
    const leftMs = Math.max(0, Math.ceil(dueMs - performance.now()))
    timeout = setTimeout(leftMs > 0 ? arm : call, Math.min(leftMs, timeoutMsMax))
  }
  arm()
  return () => clearTimeout(timeout)
}
