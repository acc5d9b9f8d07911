import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { type FlowContext, flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { drained, gate, kindsOf, Rig, stores, until, untilStatus } from './rig.js'

type Body = (ctx: FlowContext) => Promise<unknown>

const step = (ctx: FlowContext): Promise<number> => ctx.step('after', () => 1)

/** Flows that await what is not in the journal, and where the message must say it was found. */
const foreign: readonly (readonly [string, Body, string])[] = [
  ['a timer before its first word', (ctx) => pause(5).then(() => step(ctx)), 'neither ended nor asked'],
  ['an immediate before its first word', (ctx) => setImmediate().then(() => step(ctx)), ''],
  [
    'a timer between two words',
    async (ctx) => {
      await ctx.step('before', () => 1)
      await pause(5)
      return step(ctx)
    },
    'neither ended nor asked',
  ],
  [
    'a timer while a step is under way, and then says a word',
    async (ctx) => {
      const slow = ctx.step('slow', () => pause(30))
      await pause(5)
      await step(ctx)
      await slow
    },
    'step "after" was asked for outside a turn',
  ],
  [
    'a timer while a step is under way, and then sleeps',
    async (ctx) => {
      const slow = ctx.step('slow', () => pause(30))
      await pause(5)
      await ctx.sleep(1)
      await slow
    },
    'a sleep was asked for outside a turn',
  ],
  [
    'a timer while a step is under way, and then waits for a signal',
    async (ctx) => {
      const slow = ctx.step('slow', () => pause(30))
      await pause(5)
      await ctx.signal('word')
      await slow
    },
    'signal "word" was asked for outside a turn',
  ],
  [
    'a timer while a step is under way, and then begins branches',
    async (ctx) => {
      const slow = ctx.step('slow', () => pause(30))
      await pause(5)
      await ctx.parallel([step])
      await slow
    },
    'ctx.parallel was called outside a turn',
  ],
  [
    'a timer while a step is under way, and then ends',
    async (ctx) => {
      void ctx.step('slow', () => pause(30))
      await pause(5)
    },
    'The flow ended outside a turn',
  ],
  [
    'a timer while a step is under way, and then fails',
    async (ctx) => {
      void ctx.step('slow', () => pause(30))
      await pause(5)
      throw new Error('too late')
    },
    'The flow ended outside a turn',
  ],
  [
    'a promise that never settles',
    async (ctx) => {
      await ctx.step('before', () => 1)
      await new Promise(() => undefined)
    },
    'neither ended nor asked',
  ],
  [
    'a race that a timer wins',
    (ctx) => Promise.race([ctx.step('slow', () => pause(30)), pause(5)]),
    'ended outside a turn',
  ],
  ...(['now', 'random', 'uuid', 'log'] as const).map((word): readonly [string, Body, string] => [
    `a timer while a step is under way, and then says ${word}`,
    async (ctx) => {
      const slow = ctx.step('slow', () => pause(30))
      await pause(5)
      try {
        ctx[word]('x')
      } catch {
        // Caught or not: the run is parked.
      }
      await slow
    },
    `ctx.${word} was called outside a turn`,
  ]),
]

/** Words inside the function of a step. */
const inner: readonly (readonly [string, (ctx: FlowContext) => unknown])[] = [
  ['step', (ctx) => ctx.step('inner', () => 1)],
  ['sleep', (ctx) => ctx.sleep(1)],
  ['signal', (ctx) => ctx.signal('word')],
  ['map', (ctx) => ctx.map([1], (_item, branch) => branch.step('inner', () => 1))],
  ['now', (ctx) => ctx.now()],
  ['random', (ctx) => ctx.random()],
  ['uuid', (ctx) => ctx.uuid()],
  ['log', (ctx) => ctx.log('x')],
]

const graceMs = 5_000

describe.each(stores)('on %s', (store) => {
  test.each(foreign)(
    'R-A5 a flow that awaits %s is parked with foreign_await, and goes on under repaired code',
    async (_name, body, message) => {
      const rig = new Rig(store)
      const bad = flow({ name: 'foreign', version: 1, retry: { attemptsMax: 1 }, run: body })
      const life = await rig.live([bad])
      const run = await life.runtime.start(bad, undefined, { id: 'r' })
      await untilStatus(run, 'stuck')
      const { stuck } = await run.row()
      expect(stuck?.code).toBe('foreign_await')
      expect(stuck?.message).toContain(message)
      expect(stuck?.message).toContain('Wrap what it awaits in ctx.step')
      await pause(8)
      await drained()
      expect(await kindsOf(run)).not.toContain('FlowCompleted')
      expect((await run.row()).status).toBe('stuck')
      expect((await life.runtime.runs({ status: 'stuck' })).items).toHaveLength(1)
      // Repaired code says what the journal has, in its order, and ends.
      const said = (await run.events())
        .filter(({ kind }) => kind === 'StepCompleted')
        .map(({ body }) => JSON.parse(body).name)
      const good = flow({
        name: 'foreign',
        version: 1,
        run: async (ctx) => Promise.all(said.map((name) => ctx.step(name, () => 0))),
      })
      const next = await rig.succeed(life, [good])
      await next.runtime.run('r').retry()
      expect(await next.runtime.run('r').result()).toHaveLength(said.length)
    },
  )

  test.each(inner)(
    'R-A5 C06 ctx.%s inside the function of a step parks the run, which then executes the step anew',
    async (_name, say) => {
      const rig = new Rig(store)
      let isRepaired = false
      const attempts: number[] = []
      const used = flow({
        name: 'used',
        version: 1,
        retry: { attemptsMax: 1 },
        run: (ctx) =>
          ctx.step('outer', async ({ attempt }) => {
            attempts.push(attempt)
            if (!isRepaired) await say(ctx)
            return 'done'
          }),
      })
      const life = await rig.live([used], { worker: { graceMs } })
      const run = await life.runtime.start(used, null, { id: 'r' })
      await until(() => attempts.length === 1, 'the step begins')
      await drained()
      // The word never comes back to a step that awaits it: its attempt is given up when its time is over.
      await rig.advance(graceMs)
      await untilStatus(run, 'stuck')
      expect((await run.row()).stuck).toMatchObject({ code: 'foreign_await' })
      expect((await run.row()).stuck?.message).toContain('outside a turn')
      expect(await kindsOf(run)).toEqual(['FlowStarted'])
      isRepaired = true
      await run.retry()
      expect(await run.result()).toBe('done')
      expect(attempts).toEqual([1, 1])
    },
  )

  test('R-A5 a step under way while its run is parked is recorded, and is not executed again under repaired code', async () => {
    const rig = new Rig(store)
    let isRepaired = false
    const slow = gate<string>()
    const calls: string[] = []
    const foreigner = flow({
      name: 'foreigner',
      version: 1,
      async run(ctx) {
        const one = ctx.step('slow', () => {
          calls.push('slow')
          return slow.promise
        })
        if (!isRepaired) await pause(2)
        return [await ctx.step('two', () => calls.push('two')), await one]
      },
    })
    const life = await rig.live([foreigner])
    const run = await life.runtime.start(foreigner, null, { id: 'r' })
    await until(() => calls.length > 0, 'the step is under way')
    await pause(10)
    expect((await run.row()).status).toBe('running')
    slow.open('came late')
    await untilStatus(run, 'stuck')
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepCompleted'])
    isRepaired = true
    await run.retry()
    expect(await run.result()).toEqual([2, 'came late'])
    expect(calls).toEqual(['slow', 'two'])
  })

  test('R-A5 microtasks and ticks between two words are no foreign await', async () => {
    const rig = new Rig(store)
    const busy = flow({
      name: 'busy',
      version: 1,
      async run(ctx) {
        let sum = 0
        for (let i = 0; i < 5; i += 1) {
          sum += await ctx.step('one', () => 1)
          for (let j = 0; j < 50; j += 1) await Promise.resolve()
          await new Promise<void>((resolve) => process.nextTick(resolve))
          await new Promise<void>((resolve) => queueMicrotask(resolve))
        }
        return sum
      },
    })
    const life = await rig.live([busy])
    expect(await (await life.runtime.start(busy, null)).result()).toBe(5)
  })
})
