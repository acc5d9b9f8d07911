import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CrashReport, crashTest } from '../../dist/testing/index.js'
import { isCampaign, keepResults } from './campaign.js'
import {
  isSettled,
  type Outcome,
  opCount,
  plainOutcome,
  programFlow,
  type Scripted,
  scripted,
  till,
} from './program.js'

const programCount = isCampaign ? 5_000 : 100
// Programs up to this size are also ended twice, at every pair of places.
const pairOpCountMax = isCampaign ? 8 : 4
const seed = Number(process.env['CONSTANCIA_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const timeout = isCampaign ? 7_200_000 : 1_800_000

interface Trial {
  readonly report: CrashReport
  readonly outcome: Outcome
}

async function crash({ program, signals }: Scripted): Promise<Trial> {
  let outcome: Outcome | undefined
  const flow = programFlow((seen) => {
    outcome = seen
  })
  const pairs = opCount(program) <= pairOpCountMax
  const report = await crashTest({ flow, input: program, signals, destination: till, pairs, patienceMs: 5 })
  return { report, outcome: outcome ?? {} }
}

// A signal that is sent after so many events may be what the run waits for to come so far: then all are sent early.
async function crashOrSendEarly(one: Scripted): Promise<Trial> {
  try {
    return await crash(one)
  } catch (error) {
    if (!String(error).includes('does not script')) throw error
    return crash({ ...one, signals: one.signals.map((signal) => ({ ...signal, afterEvents: 1 })) })
  }
}

test('R-A5 R-A7 R-B7 R-C4 T1 T2 programs made up by chance end the same wherever their process ends', {
  timeout,
}, async () => {
  process.stdout.write(`seed ${seed}; CONSTANCIA_SEED=${seed} repeats it\n`)
  const tally = { programs: 0, trials: 0, pairs: 0, comparedWithPlain: 0, refused: 0 }
  const check = async (one: Scripted): Promise<void> => {
    const { report, outcome } = await crashOrSendEarly(one)
    tally.programs += 1
    tally.trials += report.triedCount
    tally.pairs += report.countOf('pair')
    tally.refused += report.refusedCount
    if (!isSettled(one.program)) return
    tally.comparedWithPlain += 1
    expect(outcome).toEqual(await plainOutcome(one.program, one.signals))
  }
  // How much a program brings is chance: there are as many as it takes.
  const isEnough = (): boolean =>
    tally.programs >= programCount && tally.trials >= programCount * 40 && tally.comparedWithPlain >= programCount / 10
  for (let more = 0; more < 20 && !isEnough(); more += 1)
    await fc.assert(fc.asyncProperty(scripted, check), { seed: seed + more, numRuns: programCount })
  const counts = Object.entries(tally).map(([what, count]) => `${what} ${count}`)
  process.stdout.write(`${counts.join(', ')}\n`)
  keepResults('random-flows', [`Seed ${seed}: ${counts.join(', ')}.`])
  expect(isEnough()).toBe(true)
})
