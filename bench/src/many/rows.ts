import { type Row, withTarget } from '../row.js'
import { percentile, ratios, type Spread, spreadOf } from '../samples.js'
import type { Woken } from './orders.js'
import type { ManySamples, ManySizes } from './sizes.js'

const mebibyte = 2 ** 20
const count = (value: number): string => value.toLocaleString('en-US')

/** Sums up what was measured of parked runs. */
export function parkedRows(sizes: ManySizes, samples: ManySamples): Row[] {
  return [...parked(sizes, samples), ...waking(sizes, samples)]
}

/** Sums up what was measured of many runs at once. */
export function manyRows(sizes: ManySizes, samples: ManySamples): Row[] {
  return [...inFlight(sizes, samples), ...shortRuns(sizes, samples)]
}

function parked({ parkedRuns }: ManySizes, { empty, parked: stayed, diskBytes }: ManySamples): Row[] {
  const runs = `${count(parkedRuns)} parked runs`
  const grown = stayed.map(({ heapBytes }, index) => (heapBytes - (empty[index]?.heapBytes ?? Number.NaN)) / mebibyte)
  const row = (id: string, what: string, unit: string, values: readonly number[]): Row => ({
    id,
    what: `${runs}: ${what}`,
    unit,
    constancia: spreadOf(values),
  })
  const start = row(
    'parked-start',
    'from the start of a process to the first step of a run that is due',
    'ms',
    stayed.map(({ startMs }) => startMs),
  )
  return [
    withTarget(start, '<=', 2_000),
    withTarget(row('parked-heap', 'growth of the heap against an empty store', 'MiB', grown), '<=', 1),
    withTarget(
      row('parked-disk', 'bytes of the file for each, beyond its own texts', 'bytes', [diskBytes]),
      '<=',
      1024,
    ),
    row(
      'parked-resident',
      'memory of the process',
      'MiB',
      stayed.map(({ residentBytes }) => residentBytes / mebibyte),
    ),
    row(
      'parked-idle',
      'share of one processor while nothing happens',
      '%',
      stayed.map(({ idlePercent }) => idlePercent),
    ),
  ]
}

function waking({ parkedRuns }: ManySizes, { wakeOwn, wakeElsewhere }: ManySamples): Row[] {
  const among = `waking one of ${count(parkedRuns)}`
  const rows = (id: string, from: string, rounds: readonly Woken[]): [Row, Row] => [
    {
      id,
      what: `${among} from ${from}; one bare commit`,
      unit: 'ms',
      constancia: spreadOf(rounds.flatMap(({ latenciesMs }) => latenciesMs)),
      bare: spreadOf(rounds.flatMap(({ bareMs }) => bareMs)),
    },
    {
      id: `${id}-p99`,
      what: `${among} from ${from}, 99th of 100`,
      unit: 'ms',
      constancia: spreadOf(rounds.map(({ latenciesMs }) => percentile(latenciesMs, 99))),
      bare: spreadOf(rounds.map(({ bareMs }) => percentile(bareMs, 99))),
    },
  ]
  const [own, ownLate] = rows('wake-own', 'the same process', wakeOwn)
  const [elsewhere, elsewhereLate] = rows('wake-elsewhere', 'another process', wakeElsewhere)
  return [withTarget(own, '<=', 5), ownLate, withTarget(elsewhere, '<=', 10), elsewhereLate]
}

function inFlight({ fewRuns, manyRuns, steps }: ManySizes, { few, many }: ManySamples): Row[] {
  const stepUs = { few: few.map((one) => one.stepUs), many: many.map((one) => one.stepUs) }
  const runs = (value: number): string => `${count(value)} runs of ${steps} steps in flight`
  const row = (id: string, what: string, unit: string, constancia: Spread): Row => ({ id, what, unit, constancia })
  const growth: Row = {
    ...row('flight-many', `${runs(manyRuns)}; against ${count(fewRuns)}`, 'µs/step', spreadOf(stepUs.many)),
    ratio: spreadOf(ratios(stepUs.many, stepUs.few)),
  }
  const heap = spreadOf(many.map(({ heapPeakBytes }) => heapPeakBytes / mebibyte))
  const resident = spreadOf(many.map(({ residentPeakBytes }) => residentPeakBytes / mebibyte))
  return [
    row('flight-few', runs(fewRuns), 'µs/step', spreadOf(stepUs.few)),
    withTarget(growth, '<=', 1.5),
    row('flight-resident', `${runs(manyRuns)}: most memory of the process`, 'MiB', resident),
    row('flight-heap', `${runs(manyRuns)}: largest heap, garbage included`, 'MiB', heap),
    row(
      'flight-block',
      `${runs(manyRuns)}: longest that the event loop was kept`,
      'ms',
      spreadOf(many.map(({ blockMs }) => blockMs)),
    ),
  ]
}

function shortRuns({ queuedRuns, workers, pairs }: ManySizes, samples: ManySamples): Row[] {
  const row = (id: string, what: string, unit: string, values: readonly number[]): Row => ({
    id,
    what,
    unit,
    constancia: spreadOf(values),
  })
  const queue = `a queue of ${count(queuedRuns)} runs of one step`
  return [
    row('children', `${count(pairs)} parents at once, each with a child`, 'pairs/s', samples.pairs),
    row('queue-one', `${queue}, one worker process`, 'runs/s', samples.drainOne),
    {
      ...row('queue-many', `${queue}, ${workers} worker processes; against one`, 'runs/s', samples.drainMany),
      ratio: spreadOf(ratios(samples.drainMany, samples.drainOne)),
    },
  ]
}
