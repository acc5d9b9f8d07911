import { type Row, ratesRow, withTarget } from './row.js'
import { ratios, spreadOf } from './samples.js'
import type { Samples, Sizes } from './sizes.js'

const count = (value: number): string => value.toLocaleString('en-US')

/** Sums up what was measured of steps and replays. */
export function stepRows(sizes: Sizes, samples: Samples): Row[] {
  return [...comparisons(sizes, samples), ...replays(sizes, samples), ...inMemory(sizes, samples)]
}

function comparisons(sizes: Sizes, samples: Samples): Row[] {
  const one = { id: 'one-run', what: 'one run, step after step; time against a bare commit each' }
  const many = {
    id: 'many-runs',
    what: `${sizes.manyRuns.runs} runs at once; share of the bare driver's rate in groups of ${sizes.manyRuns.runs}`,
  }
  const ofOne = ratesRow(one, { constancia: samples.oneRun, bare: samples.oneRunBare }, 'times')
  const ofMany = ratesRow(many, { constancia: samples.manyRuns, bare: samples.manyRunsBare }, 'rates')
  return [withTarget(ofOne, '<=', 1.3), withTarget(ofMany, '>=', 0.6)]
}

function replays({ longSteps, shortSteps }: Sizes, samples: Samples): Row[] {
  const replay = (id: string, what: string, times: readonly number[]): Row => ({
    id,
    what,
    unit: 'ms',
    constancia: spreadOf(times),
  })
  const growth = { what: `replay of ${count(longSteps)} steps against ${count(shortSteps)}`, times: samples.longReplay }
  const grown: Row = {
    ...replay('replay-growth', growth.what, growth.times),
    ratio: spreadOf(ratios(samples.longReplay, samples.shortReplay)),
  }
  return [
    withTarget(replay('replay', `replay of ${count(longSteps)} steps`, samples.longReplay), '<=', 150),
    withTarget(grown, '<=', 12),
    replay('replay-afresh', `replay of ${count(longSteps)} steps, in a new process`, samples.longReplayAfresh),
    replay('replay-afresh-short', `replay of ${count(shortSteps)} steps, in a new process`, samples.shortReplayAfresh),
  ]
}

function inMemory({ longSteps, shortSteps }: Sizes, samples: Samples): Row[] {
  const row = (id: string, steps: number, rates: readonly number[]): Row => ({
    id,
    what: `one run of ${count(steps)} steps, in memory`,
    unit: 'steps/s',
    constancia: spreadOf(rates),
  })
  return [row('memory-long', longSteps, samples.longInMemory), row('memory-short', shortSteps, samples.shortInMemory)]
}
