import type { Load } from '../advancing.js'
import type { Waking } from './waking.js'

/** How much is measured over PostgreSQL. */
export interface FleetSizes {
  readonly rounds: number
  /** Rounds of steps that come first and do not count. */
  readonly uncountedRounds: number
  readonly oneRun: Load
  readonly manyRuns: Load
  readonly wakes: number
  /** Wakes of a new process that come first and do not count. */
  readonly uncountedWakes: number
  readonly queuedRuns: number
  readonly steps: number
  /** Steps of each worker process that come first and do not count. */
  readonly uncountedSteps: number
  /** By how many processes a queue is emptied, one count after the other. */
  readonly workers: readonly number[]
}

/** What `npm run bench` measures. */
export const fullFleetSizes: FleetSizes = {
  rounds: 3,
  // Until it has done some six thousand steps, a process compiles what it does on the core that the server needs.
  uncountedRounds: 2,
  oneRun: { runs: 1, stretches: 8, steps: 400 },
  // Long enough that filling and emptying what is under way, which each stretch does, counts for little.
  manyRuns: { runs: 256, stretches: 6, steps: 40 },
  wakes: 200,
  uncountedWakes: 10,
  queuedRuns: 6_000,
  steps: 10,
  uncountedSteps: 3_000,
  workers: [1, 2, 4],
}

/** Just enough to see that everything works. */
export const quickFleetSizes: FleetSizes = {
  rounds: 1,
  uncountedRounds: 1,
  oneRun: { runs: 1, stretches: 2, steps: 10 },
  manyRuns: { runs: 16, stretches: 2, steps: 5 },
  wakes: 3,
  uncountedWakes: 1,
  queuedRuns: 40,
  steps: 2,
  uncountedSteps: 0,
  workers: [1, 2],
}

/** What was measured, in the order in which it was. Rates are by the second. */
export interface FleetSamples {
  readonly oneRun: number[]
  readonly oneRunBare: number[]
  readonly manyRuns: number[]
  readonly manyRunsBare: number[]
  readonly wakings: Waking[]
  /** Steps a second, by the number of processes. */
  readonly queues: ReadonlyMap<number, number[]>
}
