import { setTimeout as pause } from 'node:timers/promises'
import { type Flow, type FlowContext, flow } from 'constancia'
import { factsOf } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, stores, untilStatus } from './rig.js'

type Body = (ctx: FlowContext) => Promise<unknown>

const made = (run: Body): Flow<null, unknown> => flow<null, unknown>({ name: 'changing', version: 1, run })

/** What differs from one process to the next. */
const outside = { clockMs: 1_000, dice: 0.25, variable: 'red', fields: { one: 1, two: 2 } as Record<string, number> }
const changed = { clockMs: 2_000, dice: 0.75, variable: 'blue', fields: { two: 2, one: 1 } as Record<string, number> }

type Outside = typeof outside

const impure: readonly (readonly [string, (world: Outside) => Body, string, string])[] = [
  [
    'the system clock as the duration of a timer',
    (world) => async (ctx) => {
      await ctx.sleep(world.clockMs)
      await ctx.signal('go')
    },
    '{"afterMs":1000}',
    '{"afterMs":2000}',
  ],
  [
    'the system clock as the date of a timer',
    (world) => async (ctx) => {
      await ctx.sleep(new Date(world.clockMs))
      await ctx.signal('go')
    },
    '{"untilMs":1000}',
    '{"untilMs":2000}',
  ],
  [
    'a random number as the name of a step',
    (world) => async (ctx) => {
      await ctx.step(`try ${world.dice}`, () => 1)
      await ctx.signal('go')
    },
    'step "try 0.25"',
    'step "try 0.75"',
  ],
  [
    'an environment variable that chooses a word',
    (world) => async (ctx) => {
      if (world.variable === 'red') await ctx.step('red', () => 1)
      else await ctx.sleep(5)
      await ctx.signal('go')
    },
    'step "red"',
    'a sleep',
  ],
  [
    'the order of the keys of an object from outside',
    (world) => async (ctx) => {
      for (const key of Object.keys(world.fields)) await ctx.step(key, () => 1)
      await ctx.signal('go')
    },
    'step "one"',
    'step "two"',
  ],
  [
    'the system clock, which leaves a word out',
    (world) => async (ctx) => {
      if (world.clockMs < 1_500) await ctx.step('early', () => 1)
      await ctx.signal('go')
    },
    'step "early"',
    'signal "go"',
  ],
  [
    'a random number that chooses how many branches there are',
    (world) => async (ctx) => {
      await ctx.map(Array.from({ length: world.dice < 0.5 ? 3 : 2 }), (_, branch, index) =>
        branch.step(`b${index}`, () => 1),
      )
      await ctx.signal('go')
    },
    'step "b2" at op 0.2.0',
    'never asked for it',
  ],
]

describe.each(stores)('on %s', (store) => {
  test.each(impure)(
    'C06 R-A5 %s: the run is parked, both sides are named, and nothing is lost',
    async (_name, body, recorded, asked) => {
      const rig = new Rig(store)
      const world = { ...outside }
      const first = await rig.live([made(body(world))])
      const [used] = [made(body(world))]
      await first.crash()
      const life = await rig.live([used])
      const run = await life.runtime.start(used, null, { id: 'r' })
      await rig.rest(run)
      const before = factsOf(await run.events())
      Object.assign(world, changed)
      const next = await rig.succeed(life, [used])
      const parked = next.runtime.run('r')
      await parked.signal('go')
      await untilStatus(parked, 'stuck')
      const { stuck, outcome } = await parked.row()
      expect(outcome).toBe('open')
      expect(stuck?.code).toBe('nondeterminism')
      expect(stuck?.message).toContain(recorded)
      expect(stuck?.message).toContain(asked)
      expect((await next.runtime.runs({ status: 'stuck' })).items.map(({ id }) => id)).toEqual(['r'])
      expect(next.lines.filter(({ level, message }) => level === 'error' && message.includes('stuck'))).toHaveLength(1)
      expect(factsOf(await parked.events()).slice(0, before.length)).toEqual(before)
      // Under the world as it was, it goes on from where it stopped.
      Object.assign(world, outside)
      await parked.retry('the variable is back')
      await parked.result()
      expect((await kindsOf(parked)).slice(before.length)).toEqual([
        'SignalReceived',
        'RetryRequested',
        'FlowCompleted',
      ])
    },
  )

  test('C06 R-A5 the clock, the dice and the ids of the runtime are the same live and on replay', async () => {
    const rig = new Rig(store)
    const seen: unknown[][] = []
    const pure = made(async (ctx) => {
      const drawn: unknown[] = [ctx.now(), ctx.random(), ctx.uuid()]
      await ctx.sleep(1_000 * ctx.random())
      await ctx.step(`at ${ctx.now()} ${ctx.random()}`, () => 1)
      const branches = await ctx.map([1, 2], async (_item, branch) => [
        branch.random(),
        await branch.step(branch.uuid(), () => 1),
      ])
      drawn.push(ctx.now(), ...branches.flat(), ctx.uuid())
      seen.push(drawn)
      await ctx.signal('go')
      return drawn
    })
    const life = await rig.live([pure])
    const run = await life.runtime.start(pure, null, { id: 'r' })
    await rig.rest(run)
    const facts = factsOf(await run.events())
    await rig.advance(86_400_000)
    const next = await rig.succeed(life, [pure])
    await next.runtime.run('r').signal('go')
    await next.runtime.run('r').result()
    expect(seen.length).toBeGreaterThanOrEqual(2)
    for (const one of seen) expect(one).toEqual(seen[0])
    expect(factsOf(await next.runtime.run('r').events()).slice(0, facts.length)).toEqual(facts)
    const numbers = seen[0]?.filter((one) => typeof one === 'number' && one < 1) as number[]
    expect(new Set(numbers).size).toBe(numbers.length)
    const uuids = seen[0]?.filter((one) => typeof one === 'string') as string[]
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(uuids).size).toBe(2)
  })

  test('C06 two runs draw different numbers, and a run started again under its id draws the same', async () => {
    const rig = new Rig(store)
    const drawing = made(async (ctx) => [ctx.random(), ctx.uuid()])
    const life = await rig.live([drawing])
    const one = await (await life.runtime.start(drawing, null, { id: 'one' })).result()
    const two = await (await life.runtime.start(drawing, null, { id: 'two' })).result()
    expect(one).not.toEqual(two)
    const other = new Rig(store)
    const elsewhere = await other.live([drawing])
    expect(await (await elsewhere.runtime.start(drawing, null, { id: 'one' })).result()).toEqual(one)
  })

  const repaired: readonly (readonly [string, Body, Body])[] = [
    ['another verb', async (ctx) => void (await ctx.step('a', () => 1)), async (ctx) => void (await ctx.sleep(1))],
    [
      'another name',
      async (ctx) => void (await ctx.step('a', () => 1)),
      async (ctx) => void (await ctx.step('b', () => 1)),
    ],
    ['another duration', async (ctx) => void (await ctx.sleep(10)), async (ctx) => void (await ctx.sleep(11))],
    [
      'a date for a duration',
      async (ctx) => void (await ctx.sleep(10)),
      async (ctx) => void (await ctx.sleep(new Date(10))),
    ],
    ['a word too few', async (ctx) => void (await ctx.step('a', () => 1)), async () => undefined],
    [
      'branches for a step',
      async (ctx) => void (await ctx.step('a', () => 1)),
      async (ctx) => void (await ctx.parallel([(b) => b.step('a', () => 1)])),
    ],
    [
      'a step for a wait with a limit',
      async (ctx) => void (await ctx.signal('x', undefined, { within: 5 })),
      async (ctx) => void (await ctx.step('x', () => 1)),
    ],
    [
      'another name while a retry waits',
      async (ctx) =>
        void (await Promise.race([
          ctx.step('a', () => Promise.reject(new Error('no')), { retry: { delayMsFirst: 1e9, delayMsMax: 1e9 } }),
          ctx.sleep(1),
        ])),
      async (ctx) => void (await Promise.race([ctx.step('b', () => 1), ctx.sleep(1)])),
    ],
  ]

  test.each(repaired)(
    'R-A5 %s is found, nothing new executes, and the old code goes on after a retry',
    async (_name, original, edited) => {
      const rig = new Rig(store)
      const executed: string[] = []
      const rest: Body = async (ctx) => {
        await ctx.signal('go')
        return ctx.step('rest', () => executed.push('rest'))
      }
      const whole = (head: Body) =>
        made(async (ctx) => {
          await head(ctx)
          return rest(ctx)
        })
      const life = await rig.live([whole(original)])
      const run = await life.runtime.start(whole(original), null, { id: 'r' }).catch(() => undefined)
      expect(run).toBeUndefined() // Another object of the same name is not the flow that was registered.
      const kept = whole(original)
      const second = await rig.succeed(life, [kept])
      const started = await second.runtime.start(kept, null, { id: 'r' })
      await rig.rest(started)
      const third = await rig.succeed(second, [whole(edited)])
      await third.runtime.run('r').signal('go')
      await untilStatus(third.runtime.run('r'), 'stuck')
      expect((await third.runtime.run('r').row()).stuck).toMatchObject({ code: 'nondeterminism' })
      await pause(5)
      expect(executed).toEqual([])
      const fourth = await rig.succeed(third, [whole(original)])
      await rig.advance(1_000)
      expect((await fourth.runtime.run('r').row()).status).toBe('stuck')
      await fourth.runtime.run('r').retry('code of yesterday')
      await fourth.runtime.run('r').retry('again, in vain')
      expect((await rig.rest(fourth.runtime.run('r'))).status).not.toBe('stuck')
      expect(executed).toEqual(['rest'])
    },
  )
})
