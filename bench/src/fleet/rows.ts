import { type Row, ratesRow, withTarget } from '../row.js'
import { percentile, ratios, spreadOf } from '../samples.js'
import type { FleetSamples, FleetSizes } from './sizes.js'

const count = (value: number): string => value.toLocaleString('en-US')

/** Sums up what was measured over PostgreSQL. */
export function fleetRows(sizes: FleetSizes, samples: FleetSamples): Row[] {
  return [...steps(sizes, samples), ...waking(sizes, samples), ...queues(sizes, samples)]
}

function steps({ manyRuns: { runs } }: FleetSizes, samples: FleetSamples): Row[] {
  const one = {
    id: 'postgres-one-run',
    what: 'PostgreSQL: one run, step after step; time against a bare commit each',
  }
  const many = {
    id: 'postgres-many-runs',
    what: `PostgreSQL: ${runs} runs at once; share of the rate of bare inserts in groups of ${runs}`,
  }
  const ofOne = ratesRow(one, { constancia: samples.oneRun, bare: samples.oneRunBare }, 'times')
  const ofMany = ratesRow(many, { constancia: samples.manyRuns, bare: samples.manyRunsBare }, 'rates')
  return [withTarget(ofOne, '<=', 1.5), withTarget(ofMany, '>=', 0.5)]
}

function waking({ wakes }: FleetSizes, { wakings }: FleetSamples): Row[] {
  const what = 'PostgreSQL: waking a run from another process'
  const [all, allBare] = [wakings.flatMap(({ latenciesMs }) => latenciesMs), wakings.flatMap(({ bareMs }) => bareMs)]
  const late = (lists: readonly (readonly number[])[]): number[] => lists.map((list) => percentile(list, 99))
  const [ours, bare] = [late(wakings.map((one) => one.latenciesMs)), late(wakings.map((one) => one.bareMs))]
  const middle: Row = {
    id: 'postgres-wake',
    what: `${what}; against two bare commits and a notification`,
    unit: 'ms',
    constancia: spreadOf(all),
    bare: spreadOf(allBare),
    ratio: spreadOf(ratios(all, allBare)),
  }
  const last: Row = {
    id: 'postgres-wake-p99',
    what: `${what}, 99th percentile of each ${wakes}`,
    unit: 'ms',
    constancia: spreadOf(ours),
    bare: spreadOf(bare),
  }
  return [middle, withTarget(last, '<', 50)]
}

function queues({ queuedRuns, steps: stepCount, workers }: FleetSizes, samples: FleetSamples): Row[] {
  const ofCount = (processes: number): readonly number[] => samples.queues.get(processes) ?? []
  const [first = 1] = workers
  return workers.map((processes) => {
    const row: Row = {
      id: `postgres-queue-${processes}`,
      what: `PostgreSQL: a queue of ${count(queuedRuns)} runs of ${stepCount} steps, worker processes: ${processes}`,
      unit: 'steps/s',
      constancia: spreadOf(ofCount(processes)),
    }
    if (processes === first) return row
    return {
      ...row,
      what: `${row.what}; against ${first}`,
      ratio: spreadOf(ratios(ofCount(processes), ofCount(first))),
    }
  })
}
