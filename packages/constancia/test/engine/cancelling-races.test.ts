import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ConstanciaError, flow, type OpenOptions, open, type Runtime } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { kindsOf } from './rig.js'

const runCount = 1_000
const atOnce = 40

let folder: string
const runtimes: Runtime[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'constancia-cancelling-'))
})

afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()))
  rmSync(folder, { recursive: true, force: true })
})

/** What somebody who cancelled was told. */
type Answer = 'requested' | 'duplicate' | 'ended'

async function cancel(runtime: Runtime, id: string): Promise<Answer> {
  try {
    return await runtime.run(id).cancel()
  } catch (error) {
    if (error instanceof ConstanciaError && error.code === 'run_ended') return 'ended'
    throw error
  }
}

async function endOf(runtime: Runtime, id: string): Promise<string> {
  try {
    return String(await runtime.run(id).result())
  } catch (error) {
    if (error instanceof ConstanciaError) return error.code
    throw error
  }
}

test('C19 R-B8 1,000 runs that two clients cancel just as they complete have one end each, and both were told the truth', {
  timeout: 240_000,
}, async () => {
  const lastSteps = new Map<string, () => void>()
  const quick = flow({
    name: 'quick',
    version: 1,
    run: async (ctx) => {
      await ctx.step('last', async () => {
        await pause(1)
        lastSteps.get(ctx.runId)?.()
      })
      return 'done'
    },
  })
  const options: OpenOptions = {
    store: sqlite({ file: join(folder, 'runs.db') }),
    flows: [quick],
    log: () => undefined,
  }
  for (const name of ['one', 'two']) runtimes.push(await open({ ...options, worker: { name, pollMs: 20 } }))
  const [one, two] = runtimes as [Runtime, Runtime]
  // How long after its last step's function a run ends, as far as those before tell: this machine knows, nobody else does.
  let endsAfterMs = 2
  const told: Record<Answer, number> = { requested: 0, duplicate: 0, ended: 0 }

  const race = async (id: string): Promise<void> => {
    const ends = new Promise<void>((resolve) => lastSteps.set(id, resolve))
    await one.start(quick, undefined, { id })
    await ends
    const late = async (runtime: Runtime): Promise<Answer> => {
      const untilMs = performance.now() + Math.max(0, endsAfterMs + Math.random() * 4 - 2)
      while (performance.now() < untilMs) await new Promise((resolve) => setImmediate(resolve))
      return cancel(runtime, id)
    }
    const answers = await Promise.all([late(one), late(two)])
    for (const answer of answers) told[answer] += 1
    endsAfterMs = Math.max(0, endsAfterMs + (answers.includes('requested') ? 0.5 : -0.5))
    await judge(id, answers)
  }

  const judge = async (id: string, answers: readonly Answer[]): Promise<void> => {
    const ends = await Promise.all([endOf(one, id), endOf(two, id)])
    const kinds = await kindsOf(one.run(id))
    const isCancelled = answers.includes('requested')
    const what = `${id}: told ${answers.join(' and ')}, found ${kinds.join(' ')}`
    expect(ends, what).toEqual(isCancelled ? ['run_cancelled', 'run_cancelled'] : ['done', 'done'])
    expect(answers.filter((answer) => answer === 'requested').length, what).toBe(isCancelled ? 1 : 0)
    expect(answers.includes('duplicate') && !isCancelled, what).toBe(false)
    expect(kinds.filter((kind) => kind === 'CancelRequested').length, what).toBe(isCancelled ? 1 : 0)
    expect(
      kinds.filter((kind) => /^Flow(Completed|Failed|Cancelled)$/.test(kind)),
      what,
    ).toEqual([kinds.at(-1)])
    expect(await Promise.all([cancel(one, id), cancel(two, id)]), what).toEqual(['ended', 'ended'])
    expect(await kindsOf(two.run(id)), what).toEqual(kinds)
  }

  for (let first = 0; first < runCount; first += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => race(`run-${first + index}`)))
  }
  process.stdout.write(`told ${JSON.stringify(told)}\n`)
  expect(told.requested + told.duplicate + told.ended).toBe(2 * runCount)
  // Both happened often, or the moment was not there.
  expect(told.requested).toBeGreaterThan(runCount / 10)
  expect(told.ended).toBeGreaterThan(runCount / 10)
})
