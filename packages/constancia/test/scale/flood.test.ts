import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Limits, open, type Run, type Runtime } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import { isCampaign } from '../processes/campaign.js'
import { type Desk, flood, floodedFlow, lowerQuartile, tickingFlow } from './flood.js'

const perSecond = 200
const seconds = isCampaign ? 60 : 4
const total = perSecond * seconds
const eventCountMax = isCampaign ? 1_000 : 200
// So many latencies say what is usual.
const tickCount = 40
// The sender is never further ahead of the run: so its turns of the line fall into the flood, however slow the machine.
const aheadMax = eventCountMax / 2
const numbers = Array.from({ length: total }, (_, n) => n)
const limitMs = 600_000

const cleanUps: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface World {
  readonly runtime: Runtime
  readonly run: Run
  readonly desk: Desk
  readonly go: () => void
  /** Latencies of a run that has nothing to do with it, from now on. */
  readonly latenciesMs: number[]
}

/** A process with a run that is going to be flooded and another one that is not. */
async function begin(isHeld: boolean, limits: Partial<Limits>): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'constancia-flood-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  let go: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  const desk: Desk = { begun: [], go: isHeld ? held : Promise.resolve() }
  const flooded = floodedFlow(desk, { eventCountMax, total })
  const latenciesMs: number[] = []
  let isOver = false
  const ticking = tickingFlow(latenciesMs, () => isOver)
  const store = sqlite({ file: join(folder, 'runs.db') })
  const runtime = await open({ store, flows: [flooded, ticking], limits, log: () => undefined })
  cleanUps.push(() => runtime.close())
  const run = await runtime.start(flooded, 0, { id: 'r' })
  const other = await runtime.start(ticking, null)
  while (latenciesMs.length < tickCount) await pause(20)
  cleanUps.push(async () => {
    isOver = true
    await other.result()
  })
  return { runtime, run, desk, go, latenciesMs }
}

/** The runs of the line, the first one first, with how many events each has. */
async function lineOf(runtime: Runtime): Promise<number[]> {
  const counts: number[] = []
  for (let id: string | undefined = 'r'; id !== undefined; ) {
    const run: Run = runtime.run(id)
    counts.push((await run.events()).length)
    id = (await run.row()).continuedAs
  }
  return counts
}

describe('200 signals a second to one run that goes on as a new one again and again', () => {
  test(
    'C23 it goes on as a new run under load, handles each signal once and in order, and other runs keep their pace',
    async () => {
      const { runtime, run, desk, latenciesMs } = await begin(false, {})
      const before = latenciesMs.splice(0)
      const isTooFar = (sent: number): boolean => sent - desk.begun.length > aheadMax
      const { refusedCount, codes } = await flood(run, { total, perSecond, isTooFar })
      const during = latenciesMs.splice(0)
      const rolledOver = (await lineOf(runtime)).length
      expect({ refusedCount, codes }).toEqual({ refusedCount: 0, codes: [] })
      expect(await run.result()).toBe(total)
      expect(desk.begun).toEqual(numbers)
      expect(rolledOver).toBeGreaterThanOrEqual(3)
      // Each signal has its event and one of its step; what came while the last steps ended was carried over.
      for (const eventCount of await lineOf(runtime)) expect(eventCount).toBeLessThan(2 * eventCountMax)
      const [quietMs, busyMs] = [lowerQuartile(before), lowerQuartile(during)]
      console.log(`A step of another run: ${quietMs.toFixed(1)} ms before, ${busyMs.toFixed(1)} ms during the flood.`)
      expect(busyMs).toBeLessThan(50 + 5 * quietMs)
    },
    limitMs,
  )

  test(
    'C23 while one of its steps does not end the sender is told too_many_signals, the run lives on, and then handles each signal once',
    async () => {
      const { runtime, run, desk, go, latenciesMs } = await begin(true, { unreadSignalCountMax: 100 })
      const before = latenciesMs.splice(0)
      let isRefused = false
      const onRefused = (): void => {
        isRefused = true
      }
      const flooding = flood(run, { total, perSecond, onRefused })
      while (!isRefused || latenciesMs.length < tickCount) await pause(20)
      const during = latenciesMs.splice(0)
      expect(await run.row()).toMatchObject({ outcome: 'open', stuck: undefined, continuedAs: undefined })
      expect(desk.begun.length).toBeLessThan(100)
      go()
      const { refusedCount, codes } = await flooding
      expect(codes).toEqual([])
      expect(refusedCount).toBeGreaterThan(0)
      expect(await run.result()).toBe(total)
      expect(desk.begun).toEqual(numbers)
      expect((await lineOf(runtime)).length).toBeGreaterThanOrEqual(3)
      expect(lowerQuartile(during)).toBeLessThan(50 + 5 * lowerQuartile(before))
    },
    limitMs,
  )
})
