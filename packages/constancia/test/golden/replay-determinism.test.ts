import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Flow, type FlowContext, flow, open, type Run } from '../../dist/index.js'
import { defaultLimits } from '../../dist/journal/index.js'
import { type StoreFactory, systemClock } from '../../dist/store/index.js'
import { sqlite } from '../../dist/store/sqlite/index.js'
import { crashTest, memory, memoryDisk } from '../../dist/testing/index.js'
import { type StoreName, stores } from '../engine/stores.js'
import { takeSchema } from '../postgres/used-schemas.js'
import { isCampaign } from './campaign.js'
import { Watcher } from './watched.js'

const timeout = 1_800_000

/** What the code of a flow sees, one list for each time that it runs. */
class Sights {
  readonly all: string[][] = []
  executed = 0

  begin(): Sight {
    const seen: string[] = []
    this.all.push(seen)
    return new Sight(this, seen)
  }
}

class Sight {
  readonly #sights: Sights
  readonly seen: string[]

  constructor(sights: Sights, seen: string[]) {
    this.#sights = sights
    this.seen = seen
  }

  /** A step that takes so many turns of the event loop; its outcome is noted when the flow sees it. */
  step(ctx: FlowContext, name: string, turns: number, fails = false): Promise<string> {
    const run = async (): Promise<string> => {
      this.#sights.executed += 1
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      if (fails) throw new Error(name)
      return name
    }
    const note = (): void => void this.seen.push(name)
    const step = ctx.step(name, run, { retry: { attemptsMax: 1 } })
    step.then(note, note)
    return step
  }
}

type Shape = (ctx: FlowContext, sight: Sight) => Promise<unknown>

// Each begins many things at once that come out in another order than they were asked for.
const shapes: Readonly<Record<string, Shape>> = {
  'Promise.all': (ctx, sight) =>
    Promise.all([3, 1, 2, 0].map((turns, index) => sight.step(ctx, `all ${index}`, turns))),
  'Promise.race, with a longer way for the first': async (ctx, sight) => {
    // All of them may be in the journal on replay: what counts is who was first there, not whose promises are shorter.
    const longWay = sight.step(ctx, 'first', 0).then(same).then(same).then(same).then(same).then(same)
    return Promise.race([longWay, sight.step(ctx, 'second', 2), sight.step(ctx, 'third', 3)])
  },
  'Promise.any': (ctx, sight) =>
    Promise.any([sight.step(ctx, 'bad', 0, true), sight.step(ctx, 'good', 2), sight.step(ctx, 'better', 1).then(same)]),
  'Promise.allSettled': (ctx, sight) =>
    Promise.allSettled([sight.step(ctx, 'a', 2, true), sight.step(ctx, 'b', 1), sight.step(ctx, 'c', 0, true)]).then(
      (all) => all.map(({ status }) => status),
    ),
  'a loop of races, whose losers come in later': async (ctx, sight) => {
    const winners: string[] = []
    for (let round = 0; round < 4; round += 1) {
      const racers = [0, 1, 2].map((racer) => sight.step(ctx, `${round}.${racer}`, (racer * 2 + round) % 3))
      winners.push(await Promise.race(racers))
    }
    return winners
  },
  'as many branches as a step says': async (ctx, sight) => {
    const count = await ctx.step('count', () => 5)
    const items = Array.from({ length: count }, (_, index) => index)
    return ctx.map(items, (item, own) => sight.step(own, `item ${item}`, (item * 3) % 4), { concurrency: 3 })
  },
  'branches that race inside branches': (ctx, sight) =>
    ctx.parallel([
      async (own) => Promise.race([sight.step(own, 'x', 1), sight.step(own, 'y', 0)]),
      async (own) => Promise.all([sight.step(own, 'z', 2), own.random(), own.uuid()]),
      async (own) => sight.step(own, 'w', 0, true).catch(() => 'caught'),
    ]),
}

function same<T>(value: T): T {
  return value
}

function shapedFlow(sights: Sights, shape: Shape): Flow<undefined, unknown> {
  return flow<undefined>({ name: 'shaped', version: 1, run: async (ctx) => shape(ctx, sights.begin()) })
}

function windingFlow(sights: Sights): Flow<undefined, unknown> {
  return flow<undefined>({
    name: 'winding',
    version: 1,
    async run(ctx) {
      const sight = sights.begin()
      for (const [name, shape] of Object.entries(shapes))
        sight.seen.push(`${name}: ${JSON.stringify(await shape(ctx, sight))}`)
      sight.seen.push(`${ctx.random()} ${ctx.uuid()} ${ctx.now()}`)
      return sight.seen.concat(await ctx.signal<string>('go'))
    },
  })
}

async function until(run: Run, holds: (row: Awaited<ReturnType<Run['row']>>) => boolean): Promise<void> {
  while (!holds(await run.row())) await new Promise((resolve) => setImmediate(resolve))
}

/** Marks every run ready, so that whoever opens the store next replays it. */
async function wakeAll(store: StoreFactory): Promise<void> {
  const parts = { clock: systemClock, randomBytes, limits: defaultLimits, warn: () => undefined }
  const handle = await store(parts)
  await handle.rebuild()
  await handle.close()
}

async function replay(store: StoreFactory, count: number): Promise<void> {
  const sights = new Sights()
  const winding = windingFlow(sights)
  const first = await open({ store, flows: [winding] })
  const { id } = await first.start(winding, undefined, { id: 'winding' })
  await until(first.run(id), ({ status }) => status === 'waiting')
  const journal = await first.run(id).export()
  await first.close()
  const { executed } = sights
  for (let time = 0; time < count; time += 1) {
    await wakeAll(store)
    const again = await open({ store, flows: [winding] })
    await until(again.run(id), ({ status, epoch }) => status === 'waiting' && epoch === time + 2)
    await again.close()
  }
  expect(sights.all).toHaveLength(count + 1)
  expect(new Set(sights.all.map((seen) => seen.join('\n'))).size).toBe(1)
  expect(sights.executed).toBe(executed)
  const last = await open({ store, flows: [winding] })
  expect(await last.run(id).export()).toEqual(journal)
  await last.run(id).signal('go', 'gone')
  expect(await last.run(id).result()).toEqual(sights.all[0]?.concat('gone'))
  await last.close()
}

interface Place {
  readonly factory: StoreFactory
  dispose(): Promise<void> | void
}

const placeOn: Readonly<Record<StoreName, () => Place | Promise<Place>>> = {
  memory: () => ({ factory: memory(memoryDisk()), dispose: () => undefined }),
  SQLite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'constancia-replay-'))
    return {
      factory: sqlite({ file: join(folder, 'runs.db') }),
      dispose: () => rmSync(folder, { recursive: true, force: true }),
    }
  },
  PostgreSQL: async () => {
    const schema = await takeSchema('real')
    return { factory: schema.factory(), dispose: () => schema.giveBack() }
  },
}

const countOn = { memory: 1_000, SQLite: isCampaign ? 1_000 : 20, PostgreSQL: isCampaign ? 200 : 20 }

describe.each(stores)('replay on %s', (name) => {
  let place: Place

  beforeEach(async () => {
    place = await placeOn[name]()
    return () => place.dispose()
  })

  test(`R-A5 R-A4 gives the code the same sequence, ${countOn[name]} times`, { timeout }, async () => {
    await replay(place.factory, countOn[name])
  })
})

describe.each(Object.entries(shapes))('%s', (_, shape) => {
  test('R-B7 sees outcomes in the order in which they are recorded', async () => {
    const sights = new Sights()
    const shaped = shapedFlow(sights, shape)
    const runtime = await open({ store: memory(memoryDisk()), flows: [shaped] })
    const run = await runtime.start(shaped, undefined)
    await run.result()
    const outcomes = (await run.events()).filter(({ kind }) => kind === 'StepCompleted' || kind === 'StepFailed')
    const recorded = outcomes.map(({ body }) => (JSON.parse(body) as { name: string }).name)
    // The end does not wait until losers are seen; all others are, in this order.
    const [seen = []] = sights.all
    expect(seen.length).toBeGreaterThan(0)
    expect(recorded.filter((name) => seen.includes(name))).toEqual(seen)
    await runtime.close()
  })

  test('R-A5 R-B7 sees the same wherever its process ends or is overtaken, as far as it comes', {
    timeout,
  }, async () => {
    const sights = new Sights()
    await crashTest({ flow: shapedFlow(sights, shape), input: undefined, pairs: true })
    const [reference = []] = sights.all
    expect(sights.all.length).toBeGreaterThan(100)
    for (const seen of sights.all) expect(seen).toEqual(reference.slice(0, seen.length))
  })
})

describe('an outcome', () => {
  test('R-A2 R-A7 is stored before the flow sees it, in every life', async () => {
    const watcher = new Watcher()
    let seenCount = 0
    const tooEarly: string[] = []
    const eager = flow<undefined>({
      name: 'eager',
      version: 1,
      async run(ctx) {
        const check = (op: string) => (): void => {
          seenCount += 1
          if (!watcher.isStored(`crash-test/${op}`)) tooEarly.push(op)
        }
        await ctx.step('a', () => 1).then(check('0'))
        await Promise.all([ctx.step('b', () => 2).then(check('1')), ctx.step('c', () => 3).then(check('2'))])
        await ctx.step('d', () => Promise.reject(new Error('d')), { retry: { attemptsMax: 1 } }).catch(check('3'))
      },
    })
    await crashTest({ flow: eager, input: undefined, store: watcher.newDisk, pairs: true })
    expect(seenCount).toBeGreaterThan(100)
    expect(tooEarly).toEqual([])
  })
})
