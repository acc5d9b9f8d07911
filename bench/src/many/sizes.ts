import type { Advancing, Stayed, Woken } from './orders.js'

/** How much is measured of many runs. */
export interface ManySizes {
  readonly rounds: number
  readonly parkedRuns: number
  readonly idleMs: number
  /** How many of the parked runs are woken in each round, from each side. */
  readonly wakes: number
  readonly fewRuns: number
  readonly manyRuns: number
  readonly steps: number
  readonly pairs: number
  readonly queuedRuns: number
  readonly workers: number
}

/** What `npm run bench` measures. */
export const fullManySizes: ManySizes = {
  rounds: 3,
  parkedRuns: 100_000,
  idleMs: 5_000,
  wakes: 100,
  fewRuns: 1_000,
  manyRuns: 10_000,
  steps: 20,
  pairs: 2_000,
  queuedRuns: 20_000,
  workers: 4,
}

/** Just enough to see that everything works. */
export const quickManySizes: ManySizes = {
  rounds: 1,
  parkedRuns: 200,
  idleMs: 100,
  wakes: 5,
  fewRuns: 20,
  manyRuns: 60,
  steps: 5,
  pairs: 20,
  queuedRuns: 200,
  workers: 2,
}

/** What was measured, round by round. */
export interface ManySamples {
  /** Bytes of the file for a parked run, without the texts of its events. */
  diskBytes: number
  readonly empty: Stayed[]
  readonly parked: Stayed[]
  /** From `signal` to the next step; one for each round. */
  readonly wakeOwn: Woken[]
  readonly wakeElsewhere: Woken[]
  readonly few: Advancing[]
  readonly many: Advancing[]
  readonly pairs: number[]
  readonly drainOne: number[]
  readonly drainMany: number[]
}
