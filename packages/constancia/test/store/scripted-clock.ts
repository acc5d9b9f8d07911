import type { Clock } from '../../dist/store/index.js'

/** A clock that stands still but for `advance`. */
export interface ScriptedClock extends Clock {
  advance(ms: number): Promise<void>
}

interface Timer {
  readonly dueMs: number
  readonly call: () => void
}

/** Starts at this moment, UTC milliseconds since 1970. */
export function scriptedClock(startMs: number): ScriptedClock {
  let nowMs = startMs
  const timers = new Set<Timer>()
  const nextUntil = (endMs: number): Timer | undefined =>
    [...timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0]
  return {
    now: () => nowMs,
    monotonic: () => nowMs - startMs,
    after: (delayMs, call) => {
      const timer = { dueMs: nowMs + delayMs, call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance: async (ms) => {
      const endMs = nowMs + ms
      // A step of more than a minute calls each timer that is armed once, and those they arm not again and again.
      const calls = ms > 60_000 ? timers.size : Number.POSITIVE_INFINITY
      for (let count = 0; count < calls; count++) {
        const timer = nextUntil(endMs)
        if (timer === undefined) break
        timers.delete(timer)
        nowMs = Math.max(nowMs, timer.dueMs)
        timer.call()
        await Promise.resolve()
      }
      nowMs = endMs
    },
  }
}
