import { sqlite } from 'constancia/sqlite'
import { memory } from 'constancia/testing'
import { advance, type Load } from './advancing.js'
import { BareDriver } from './bare.js'
import { syncsPerSecond } from './machine.js'
import type { Place } from './place.js'
import { type Recording, record, replay, replayAfresh } from './replaying.js'

/** How much is measured. */
export interface Sizes {
  /** Rounds that count, each with every measurement; one more goes before them, to warm up. */
  readonly rounds: number
  readonly oneRun: Load
  readonly manyRuns: Load
  readonly longSteps: number
  readonly shortSteps: number
  readonly syncs: number
}

/** What `npm run bench` measures. */
export const fullSizes: Sizes = {
  rounds: 7,
  oneRun: { runs: 1, stretches: 10, steps: 100 },
  manyRuns: { runs: 256, stretches: 6, steps: 10 },
  longSteps: 10_000,
  shortSteps: 1_000,
  syncs: 300,
}

/** Just enough to see that everything works. */
export const quickSizes: Sizes = {
  rounds: 1,
  oneRun: { runs: 1, stretches: 2, steps: 20 },
  manyRuns: { runs: 16, stretches: 2, steps: 10 },
  longSteps: 400,
  shortSteps: 40,
  syncs: 20,
}

/** Measurements of everything, in the order in which they were made. Rates are by the second, the others milliseconds. */
export interface Samples {
  readonly syncs: number[]
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

/**
 * Measures everything round by round: what is compared is measured one right after the other, so that whatever else the
 * machine does at the time reaches both.
 */
export async function measure(place: Place, sizes: Sizes): Promise<Samples> {
  const long = { file: place.file(), steps: sizes.longSteps }
  const short = { file: place.file(), steps: sizes.shortSteps }
  await record(long)
  await record(short)
  const samples = emptySamples()
  for (let round = 0; round <= sizes.rounds; round += 1) {
    // The first round only warms up.
    const into = round === 0 ? emptySamples() : samples
    into.syncs.push(syncsPerSecond(place, sizes.syncs))
    await compare(place, sizes.oneRun, { constancia: into.oneRun, bare: into.oneRunBare })
    await compare(place, sizes.manyRuns, { constancia: into.manyRuns, bare: into.manyRunsBare })
    await replayBoth({ long, short }, into)
    into.longInMemory.push(await inMemory(sizes.longSteps))
    into.shortInMemory.push(await inMemory(sizes.shortSteps))
  }
  return samples
}

function emptySamples(): Samples {
  return {
    syncs: [],
    oneRun: [],
    oneRunBare: [],
    manyRuns: [],
    manyRunsBare: [],
    longReplay: [],
    shortReplay: [],
    longReplayAfresh: [],
    shortReplayAfresh: [],
    longInMemory: [],
    shortInMemory: [],
  }
}

// Stretches of both take turns on two files. What the bare driver writes was made in memory: the same texts, complete.
async function compare(
  place: Place,
  load: Load,
  into: { readonly constancia: number[]; readonly bare: number[] },
): Promise<void> {
  const { before, stretches } = await advance(memory(), load)
  const [file, bareFile] = [place.file(), place.file()]
  const driver = await BareDriver.create(bareFile)
  driver.begin(before)
  const bareMs: number[] = []
  const { stretchMs } = await advance(sqlite({ file }), load, (stretch) => {
    const groups = stretches[stretch]
    if (groups !== undefined) bareMs.push(driver.write(groups))
  })
  driver.close()
  place.drop(file)
  place.drop(bareFile)
  const eventCount = load.runs * (load.steps + 1)
  into.constancia.push(...stretchMs.map((ms) => (eventCount / ms) * 1000))
  into.bare.push(...bareMs.map((ms) => (eventCount / ms) * 1000))
}

async function replayBoth(
  { long, short }: { readonly long: Recording; readonly short: Recording },
  into: Samples,
): Promise<void> {
  into.longReplay.push(await replay(long))
  into.shortReplay.push(await replay(short))
  into.longReplayAfresh.push(await replayAfresh(long))
  into.shortReplayAfresh.push(await replayAfresh(short))
}

async function inMemory(steps: number): Promise<number> {
  const { stretchMs } = await advance(memory(), { runs: 1, stretches: 1, steps })
  return ((steps + 1) / (stretchMs[0] ?? Number.NaN)) * 1000
}
