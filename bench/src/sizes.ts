import type { Load } from './advancing.js'

/** How much is measured. */
export interface Sizes {
  /** Rounds that count, each with every measurement; one more goes before them, to warm up. */
  readonly rounds: number
  readonly oneRun: Load
  readonly manyRuns: Load
  readonly longSteps: number
  readonly shortSteps: number
}

/** What `npm run bench` measures. */
export const fullSizes: Sizes = {
  rounds: 7,
  oneRun: { runs: 1, stretches: 10, steps: 100 },
  manyRuns: { runs: 256, stretches: 6, steps: 10 },
  longSteps: 10_000,
  shortSteps: 1_000,
}

/** Just enough to see that everything works. */
export const quickSizes: Sizes = {
  rounds: 1,
  oneRun: { runs: 1, stretches: 2, steps: 20 },
  manyRuns: { runs: 16, stretches: 2, steps: 10 },
  longSteps: 400,
  shortSteps: 40,
}

/** Measurements of everything, in the order in which they were made. Rates are by the second, the others milliseconds. */
export interface Samples {
  readonly oneRun: number[]
  readonly oneRunBare: number[]
  readonly manyRuns: number[]
  readonly manyRunsBare: number[]
  readonly longReplay: number[]
  readonly shortReplay: number[]
  readonly longReplayAfresh: number[]
  readonly shortReplayAfresh: number[]
  readonly longInMemory: number[]
  readonly shortInMemory: number[]
}
