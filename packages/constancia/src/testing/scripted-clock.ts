import type { Clock } from '../store/index.js'

interface Timer {
  readonly atMs: number
  readonly call: () => void
}

/** Time that stands still until it is told to move. Starts at a fixed moment, so that runs can be compared. */
export class ScriptedClock implements Clock {
  #nowMs: number
  readonly #timers = new Set<Timer>()

  /** UTC milliseconds since 1970; 2026-01-01 unless set. */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  monotonic(): number {
    return this.#nowMs
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, call }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** When the next timer is due; undefined if none is armed. */
  get nextMs(): number | undefined {
    let next: number | undefined
    for (const { atMs } of this.#timers) if (next === undefined || atMs < next) next = atMs
    return next
  }

  /** How many timers are armed. */
  get armedCount(): number {
    return this.#timers.size
  }

  /** Moves time forward, and calls the timers that come due, in their order. */
  advance(byMs: number): void {
    this.advanceTo(this.#nowMs + byMs)
  }

  /** Moves time forward to a moment; never back. */
  advanceTo(toMs: number): void {
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= toMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (due === undefined) break
      this.#timers.delete(due)
      this.#nowMs = Math.max(this.#nowMs, due.atMs)
      due.call()
    }
    this.#nowMs = Math.max(this.#nowMs, toMs)
  }
}
