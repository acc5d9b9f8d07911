import { statSync } from 'node:fs'
import { textBytes } from '../bare.js'
import type { Place } from '../place.js'
import { apart } from './apart.js'
import type { Advancing, Stayed, Woken } from './orders.js'
import { listenerId, startProbe } from './parked.js'
import { drainWith } from './short-runs.js'
import { wakeFromElsewhere } from './waking.js'

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

/** Measures many runs, everything in processes of its own; what is compared goes one right after the other. */
export async function measureMany(place: Place, sizes: ManySizes): Promise<ManySamples> {
  const samples: ManySamples = {
    diskBytes: 0,
    empty: [],
    parked: [],
    wakeOwn: [],
    wakeElsewhere: [],
    few: [],
    many: [],
    pairs: [],
    drainOne: [],
    drainMany: [],
  }
  await measureParked(place, sizes, samples)
  for (let round = 0; round < sizes.rounds; round += 1) {
    samples.few.push(await advance(place, sizes.fewRuns, sizes.steps))
    samples.many.push(await advance(place, sizes.manyRuns, sizes.steps))
    samples.pairs.push(await call(place, sizes.pairs))
    samples.drainOne.push(await drain(place, sizes, 1))
    samples.drainMany.push(await drain(place, sizes, sizes.workers))
  }
  return samples
}

async function measureParked(place: Place, sizes: ManySizes, samples: ManySamples): Promise<void> {
  const [file, emptyFile] = [place.file(), place.file()]
  const { idleMs, parkedRuns, wakes } = sizes
  await apart({ kind: 'park', file: emptyFile, runs: 0 })
  await apart({ kind: 'park', file, runs: parkedRuns })
  samples.diskBytes = (statSync(file).size - statSync(emptyFile).size - (await textBytes(file))) / parkedRuns
  for (let round = 0; round < sizes.rounds; round += 1) {
    samples.empty.push(await stay(emptyFile, 100))
    samples.parked.push(await stay(file, idleMs))
    const ids = (from: number): string[] => Array.from({ length: wakes }, (_, index) => listenerId(from + index))
    const order = { kind: 'wake', file, runs: ids(2 * round * wakes) } as const
    samples.wakeOwn.push(await onNewFile(place, (bareFile) => apart({ ...order, bareFile })))
    const runs = ids((2 * round + 1) * wakes)
    samples.wakeElsewhere.push(await onNewFile(place, (bareFile) => wakeFromElsewhere(file, bareFile, runs)))
  }
  place.drop(file)
  place.drop(emptyFile)
}

async function stay(file: string, idleMs: number): Promise<Stayed> {
  await startProbe(file)
  return apart({ kind: 'stay', file, idleMs })
}

async function advance(place: Place, runs: number, steps: number): Promise<Advancing> {
  return onNewFile(place, (file) => apart({ kind: 'advance', file, runs, steps }))
}

async function call(place: Place, pairs: number): Promise<number> {
  return onNewFile(place, (file) => apart({ kind: 'call', file, pairs }))
}

async function drain(place: Place, { queuedRuns: runs }: ManySizes, workers: number): Promise<number> {
  return onNewFile(place, async (file) => {
    const queue = { where: { file }, runs, steps: 1 }
    await apart({ kind: 'fill', ...queue })
    return drainWith({ ...queue, processCount: workers, uncountedSteps: 0 })
  })
}

async function onNewFile<T>(place: Place, work: (file: string) => Promise<T>): Promise<T> {
  const file = place.file()
  try {
    return await work(file)
  } finally {
    place.drop(file)
  }
}
