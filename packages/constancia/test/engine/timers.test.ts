import { setTimeout as pause } from 'node:timers/promises'
import { days, type Flow, flow } from 'constancia'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gate, kindsOf, Rig, stores, until, untilStatus } from './rig.js'

const warnings: Error[] = []
const note = (warning: Error): void => void warnings.push(warning)

beforeEach(() => {
  warnings.length = 0
  process.on('warning', note)
})

afterEach(() => {
  process.off('warning', note)
  expect(warnings.filter(({ name }) => name === 'TimeoutOverflowWarning')).toEqual([])
})

const bad: readonly unknown[] = [
  Number.NaN,
  Infinity,
  -Infinity,
  -1,
  -0.001,
  1e20,
  'abc',
  '5',
  '',
  null,
  undefined,
  {},
  [],
  5n,
  true,
  new Date(Number.NaN),
  new Date('the year 300000'),
  new Date(Date.UTC(300_000, 0, 1)),
]

describe.each(stores)('on %s', (store) => {
  test('C16 R-B3 a sleep of 30 days fires once, after a restart on day 29, and not a millisecond early', async () => {
    const rig = new Rig(store)
    const month = flow({
      name: 'month',
      version: 1,
      run: async (ctx) => [ctx.now(), await ctx.sleep(days(30)), ctx.now()],
    })
    const startedMs = rig.clock.now()
    let life = await rig.live([month])
    await untilStatus(await life.runtime.start(month, null, { id: 'r' }), 'waiting')
    await rig.advance(days(29))
    await life.crash()
    life = await rig.live([month])
    const run = life.runtime.run('r')
    await rig.advance(days(1) - 1)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'TimerSet'])
    await rig.advance(1)
    expect(await run.result()).toEqual([startedMs, undefined, startedMs + days(30)])
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'TimerSet', 'TimerFired', 'FlowCompleted'])
  })

  test('R-B3 a run that sleeps holds nothing: neither claim nor timer of its own, and it fires while no process was up', async () => {
    const rig = new Rig(store)
    const years = flow({ name: 'years', version: 1, run: (ctx) => ctx.sleep(new Date(Date.UTC(2031, 0, 1))) })
    const life = await rig.live([years])
    const run = await life.runtime.start(years, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    expect(await run.row()).toMatchObject({
      claim: undefined,
      wakeAtMs: Date.UTC(2031, 0, 1),
      waitingFor: [{ kind: 'timer', op: '0', name: 'sleep', untilMs: Date.UTC(2031, 0, 1) }],
    })
    await life.runtime.close()
    expect(rig.clock.armedCount).toBe(0)
    rig.clock.advance(days(365 * 7))
    const next = await rig.live([years])
    await next.runtime.run('r').result()
    expect(await kindsOf(next.runtime.run('r'))).toEqual(['FlowStarted', 'TimerSet', 'TimerFired', 'FlowCompleted'])
  })

  test.each([
    [
      'a timeout of a step',
      (days30: number) =>
        flow({
          name: 'f',
          version: 1,
          run: (ctx) => ctx.step('s', () => pause(20).then(() => 'ok'), { timeoutMs: days30 }),
        }),
    ],
    [
      'a sleep',
      (days30: number) =>
        flow({
          name: 'f',
          version: 1,
          run: (ctx) => Promise.race([ctx.sleep(days30), ctx.sleep(30).then(() => 'ok')]),
        }),
    ],
    [
      'a limit for a signal',
      (days30: number) =>
        flow({
          name: 'f',
          version: 1,
          run: (ctx) =>
            Promise.race([ctx.signal('s', undefined, { within: days30 * 3 }), ctx.sleep(30).then(() => 'ok')]),
        }),
    ],
  ] as const)(
    'C16 R-B3 on the real clock %s of 30 days and more neither fires early nor warns nor keeps the processor busy',
    async (_name, make) => {
      const rig = new Rig(store, 'real')
      const long = make(days(30))
      const life = await rig.live([long], { worker: { pollMs: days(40) } })
      const run = await life.runtime.start(long as Flow, null)
      expect(await run.result()).toBe('ok')
      // What is busy is so all the time; what starts a process up, or cleans up after it, is not.
      const busyMs: number[] = []
      for (let look = 0; look < 10; look += 1) {
        const before = process.cpuUsage()
        await pause(100)
        const { user, system } = process.cpuUsage(before)
        busyMs.push((user + system) / 1_000)
      }
      expect(Math.min(...busyMs)).toBeLessThan(50)
      expect((await run.row()).epoch).toBeLessThanOrEqual(2)
    },
  )

  test.each([30, 90, 365])(
    'C16 R-C1 on the real clock a lease of %i days is renewed in its own time, and not all the time',
    async (count) => {
      const rig = new Rig(store, 'real')
      const open = gate()
      const long = flow({ name: 'long', version: 1, run: (ctx) => ctx.step('s', () => open.promise) })
      const life = await rig.live([long], { worker: { leaseMs: days(count) } })
      const run = await life.runtime.start(long as Flow, null)
      await untilStatus(run, 'running')
      const leaseUntilMs = async (): Promise<number | undefined> => (await run.row()).claim?.leaseUntilMs
      const seen = new Set<number | undefined>()
      // So long that a heart's thread is up; its first beat comes at once.
      for (let look = 0; look < 25; look += 1) {
        seen.add(await leaseUntilMs())
        await pause(10)
      }
      expect(seen.size).toBeLessThanOrEqual(2)
      open.open()
      await run.result()
    },
  )

  test('C16 R-B3 a timer of 30 days is not fired by 300 real milliseconds', async () => {
    const rig = new Rig(store, 'real')
    const month = flow({ name: 'month', version: 1, run: (ctx) => ctx.sleep(days(30)) })
    const life = await rig.live([month])
    const run = await life.runtime.start(month, null)
    await untilStatus(run, 'waiting')
    await pause(300)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'TimerSet'])
    expect((await run.row()).epoch).toBe(1)
  })

  test.each(bad.map((one) => [one] as const))(
    'C16 R-B3 to sleep for %o is refused at the call; the flow catches it, and nothing is journaled',
    async (value) => {
      const rig = new Rig(store)
      const refused = flow({
        name: 'refused',
        version: 1,
        async run(ctx) {
          const codes = [await ctx.sleep(value as number).catch((error: { code: string }) => error.code)]
          if (!(value instanceof Date)) {
            codes.push(
              await ctx.signal('s', undefined, { within: value as number }).then(
                () => '',
                (error: { code: string }) => error.code,
              ),
            )
            if (value !== undefined)
              codes.push(
                await ctx
                  .step('s', () => 1, { timeoutMs: value as number })
                  .then(
                    () => '',
                    (error: { code: string }) => error.code,
                  ),
              )
          }
          return [...new Set(codes)]
        },
      })
      const life = await rig.live([refused])
      const run = await life.runtime.start(refused, null)
      expect(await run.result()).toEqual(['invalid_option'])
      expect(await kindsOf(run)).toEqual(['FlowStarted', 'FlowCompleted'])
    },
  )

  test.each([
    ['0 ms', 0],
    ['half a millisecond', 0.5],
    ['a past date', new Date(0)],
    ['a date before 1970', new Date(-1e12)],
    ['-0', -0],
  ] as const)('C16 R-B3 to sleep for %s fires at once and is journaled', async (_name, value) => {
    const rig = new Rig(store)
    const short = flow({ name: 'short', version: 1, run: (ctx) => ctx.sleep(value) })
    const startedMs = rig.clock.now()
    const life = await rig.live([short])
    const run = await life.runtime.start(short, null)
    await rig.rest(run)
    expect(rig.clock.now() - startedMs).toBeLessThanOrEqual(1)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'TimerSet', 'TimerFired', 'FlowCompleted'])
  })

  test('C16 R-B3 the longest sleep there is, a thousand years, is kept as it was asked for', async () => {
    const rig = new Rig(store)
    const longest = flow({
      name: 'longest',
      version: 1,
      run: (ctx) => Promise.race([ctx.sleep(days(366 * 1_000)), ctx.sleep(new Date(8.64e15)), ctx.sleep(5)]),
    })
    const life = await rig.live([longest])
    const run = await life.runtime.start(longest, null)
    await untilStatus(run, 'waiting')
    await rig.advance(5)
    await run.result()
    const specs = (await run.events())
      .filter(({ kind }) => kind === 'TimerSet')
      .map(({ body }) => JSON.parse(body).timer)
    expect(specs).toEqual([{ afterMs: days(366_000) }, { untilMs: 8.64e15 }, { afterMs: 5 }])
  })

  test('R-B3 R-B7 timers that come due together fire in the order of their moments, live and when a process comes too late', async () => {
    for (const late of [false, true]) {
      const rig = new Rig(store)
      const three = flow({
        name: 'three',
        version: 1,
        async run(ctx) {
          const order: number[] = []
          await Promise.all([30, 10, 20, 10].map(async (ms, index) => ctx.sleep(ms).then(() => order.push(index))))
          return order
        },
      })
      const life = await rig.live([three])
      await untilStatus(await life.runtime.start(three, null, { id: 'r' }), 'waiting')
      if (late) await life.crash()
      if (late) rig.clock.advance(1_000)
      const next = late ? await rig.live([three]) : life
      await rig.rest(next.runtime.run('r'))
      expect(await next.runtime.run('r').result()).toEqual([1, 3, 2, 0])
    }
  })

  test('R-B3 thousands of runs that sleep arm one timer', async () => {
    const rig = new Rig(store)
    const sleeping = flow({ name: 'sleeping', version: 1, run: (ctx, ms: number) => ctx.sleep(ms) })
    const life = await rig.live([sleeping])
    await until(() => rig.clock.armedCount > 0, 'it is idle')
    const idleCount = rig.clock.armedCount
    const count = store === 'memory' ? 2_000 : 300
    await Promise.all(Array.from({ length: count }, (_, index) => life.runtime.start(sleeping, days(1 + index))))
    await until(
      async () =>
        (await life.runtime.runs({ status: 'waiting', limit: 1_000 })).items.length === Math.min(1_000, count),
      'all sleep',
    )
    await until(async () => (await life.runtime.runs({ status: 'running' })).items.length === 0, 'none runs')
    await until(() => rig.clock.armedCount === idleCount, 'one timer is armed')
  })
})
