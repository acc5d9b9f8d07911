import { statSync } from 'node:fs'
import { textBytes } from '../bare.js'
import type { Chapter, Measuring } from '../chapter.js'
import type { Place } from '../place.js'
import { apart } from './apart.js'
import type { Advancing, Stayed } from './orders.js'
import { listenerId, startProbe } from './parked.js'
import { manyRows, parkedRows } from './rows.js'
import { drainWith } from './short-runs.js'
import { fullManySizes, type ManySamples, type ManySizes, quickManySizes } from './sizes.js'
import { wakeFromElsewhere } from './waking.js'

/** Measures parked runs and their waking, each in processes of its own. */
export async function measureParked(measuring: Measuring): Promise<Chapter> {
  const sizes = measuring.isQuick ? quickManySizes : fullManySizes
  const samples = emptySamples()
  await park(measuring, sizes, samples)
  return { rows: parkedRows(sizes, samples), rounds: `Rounds of parked runs: ${sizes.rounds}.` }
}

/** Measures many runs at once, each in processes of its own; what is compared goes one right after the other. */
export async function measureMany({ place, isQuick, tell }: Measuring): Promise<Chapter> {
  const sizes = isQuick ? quickManySizes : fullManySizes
  const samples = emptySamples()
  for (let round = 0; round < sizes.rounds; round += 1) {
    samples.few.push(await advance(place, sizes.fewRuns, sizes.steps))
    samples.many.push(await advance(place, sizes.manyRuns, sizes.steps))
    samples.pairs.push(await call(place, sizes.pairs))
    samples.drainOne.push(await drain(place, sizes, 1))
    samples.drainMany.push(await drain(place, sizes, sizes.workers))
    tell(`many runs: round ${round + 1} of ${sizes.rounds}`)
  }
  return { rows: manyRows(sizes, samples), rounds: `Rounds of many runs: ${sizes.rounds}.` }
}

function emptySamples(): ManySamples {
  return {
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
}

async function park({ place, tell }: Measuring, sizes: ManySizes, samples: ManySamples): Promise<void> {
  const [file, emptyFile] = [place.file(), place.file()]
  const { idleMs, parkedRuns, wakes } = sizes
  await apart({ kind: 'park', file: emptyFile, runs: 0 })
  await apart({ kind: 'park', file, runs: parkedRuns })
  tell(`parked runs: ${parkedRuns} started`)
  samples.diskBytes = (statSync(file).size - statSync(emptyFile).size - (await textBytes(file))) / parkedRuns
  for (let round = 0; round < sizes.rounds; round += 1) {
    samples.empty.push(await stay(emptyFile, 100))
    samples.parked.push(await stay(file, idleMs))
    const ids = (from: number): string[] => Array.from({ length: wakes }, (_, index) => listenerId(from + index))
    const order = { kind: 'wake', file, runs: ids(2 * round * wakes) } as const
    samples.wakeOwn.push(await onNewFile(place, (bareFile) => apart({ ...order, bareFile })))
    const runs = ids((2 * round + 1) * wakes)
    samples.wakeElsewhere.push(await onNewFile(place, (bareFile) => wakeFromElsewhere(file, bareFile, runs)))
    tell(`parked runs: round ${round + 1} of ${sizes.rounds}`)
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
