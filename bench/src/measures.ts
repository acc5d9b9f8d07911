import { memory } from 'constancia/testing'
import { advance, type Load } from './advancing.js'
import type { Chapter, Measuring } from './chapter.js'
import { compare } from './comparing.js'
import type { Place } from './place.js'
import { type Recording, record, replay, replayAfresh } from './replaying.js'
import { stepRows } from './rows.js'
import { fullSizes, quickSizes, type Samples, type Sizes } from './sizes.js'

/** Measures steps and replays on SQLite and in memory. */
export async function measureSteps(measuring: Measuring): Promise<Chapter> {
  const sizes = measuring.isQuick ? quickSizes : fullSizes
  const { rounds, oneRun, manyRuns } = sizes
  const [one, many] = [rounds * oneRun.stretches, rounds * manyRuns.stretches]
  return {
    rows: stepRows(sizes, await measure(measuring, sizes)),
    rounds:
      `Rounds of steps and replays: ${rounds}; of one run ${one} stretches of ${oneRun.steps} steps, of many ` +
      `${many} of ${manyRuns.steps} steps each.`,
  }
}

// Round by round: what is compared is measured one right after the other, so that whatever else the machine does at the time reaches both.
async function measure({ place, tell }: Measuring, sizes: Sizes): Promise<Samples> {
  const long = { file: place.file(), steps: sizes.longSteps }
  const short = { file: place.file(), steps: sizes.shortSteps }
  await record(long)
  await record(short)
  const samples = emptySamples()
  for (let round = 0; round <= sizes.rounds; round += 1) {
    // The first round only warms up.
    const into = round === 0 ? emptySamples() : samples
    await compareFiles(place, sizes.oneRun, { constancia: into.oneRun, bare: into.oneRunBare })
    await compareFiles(place, sizes.manyRuns, { constancia: into.manyRuns, bare: into.manyRunsBare })
    await replayBoth({ long, short }, into)
    into.longInMemory.push(await inMemory(sizes.longSteps))
    into.shortInMemory.push(await inMemory(sizes.shortSteps))
    tell(round === 0 ? 'steps and replays: warm' : `steps and replays: round ${round} of ${sizes.rounds}`)
  }
  return samples
}

function emptySamples(): Samples {
  return {
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

async function compareFiles(
  place: Place,
  load: Load,
  into: { readonly constancia: number[]; readonly bare: number[] },
): Promise<void> {
  const [file, bareFile] = [place.file(), place.file()]
  const { constancia, bare } = await compare({ constancia: { file }, bare: { file: bareFile } }, load)
  place.drop(file)
  place.drop(bareFile)
  into.constancia.push(...constancia)
  into.bare.push(...bare)
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
