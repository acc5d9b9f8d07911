import { flow, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { drained, kindsOf, Rig, stores, until, untilStatus } from './rig.js'

type Method = 'append' | 'suspend' | 'read' | 'claim' | 'run' | 'release'

/** A store that fails at the n-th call of a method, for the run whose turn it is. */
function failing(method: Method, at: number, times = 1) {
  const fault = { count: 0, calls: 0, isOn: true }
  const meddle = (real: Store): Store => {
    const call = real[method].bind(real) as (...args: unknown[]) => Promise<unknown>
    const fail = async (...args: unknown[]): Promise<unknown> => {
      fault.calls += 1
      if (!fault.isOn || fault.calls < at || fault.count >= times) return call(...args)
      fault.count += 1
      throw new Error(`${method} failed`)
    }
    return overStore(real, { [method]: fail })
  }
  return { fault, meddle }
}

const steps = (calls: string[]) =>
  flow({
    name: 'steps',
    version: 1,
    async run(ctx, name: string) {
      await ctx.step('one', () => calls.push(`${name} one`))
      await ctx.sleep(100)
      await ctx.step('two', () => calls.push(`${name} two`))
      return name
    },
  })

const minuteMs = 60_000

describe.each(stores)('on %s', (store) => {
  test.each([
    ['append', 1],
    ['append', 2],
    ['append', 3],
    ['append', 4],
    ['append', 5],
    ['suspend', 1],
    ['read', 1],
    ['read', 2],
    ['claim', 1],
    ['claim', 2],
    ['claim', 3],
  ] as const)(
    'C46 R-A2 a store that fails once, at %s number %i: the run goes on by itself, the others are untouched, and no step that is stored executes again',
    async (method, at) => {
      const rig = new Rig(store)
      const calls: string[] = []
      const flowed = steps(calls)
      const { fault, meddle } = failing(method, at)
      const life = await rig.live([flowed], { meddle, worker: { pollMs: 1_000 } })
      const runs: Run<string>[] = []
      for (let n = 0; n < 5; n += 1) runs.push(await life.runtime.start(flowed, `r${n}`, { id: `r${n}` }))
      for (let look = 0; look < 50; look += 1) {
        if ((await life.runtime.runs({ status: 'completed' })).items.length === 5) break
        await rig.advance(1_000)
      }
      for (const [n, run] of runs.entries()) {
        expect(await run.result()).toBe(`r${n}`)
        expect(await kindsOf(run)).toEqual([
          'FlowStarted',
          'StepCompleted',
          'TimerSet',
          'TimerFired',
          'StepCompleted',
          'FlowCompleted',
        ])
      }
      expect(fault.count).toBe(1)
      // The one whose outcome was lost executes again, and no other.
      expect(calls.length).toBeLessThanOrEqual(11)
      expect(new Set(calls).size).toBe(10)
      expect(life.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    },
  )

  test('C46 a store that is down for ten minutes is neither hammered nor reported a hundred times, and every run goes on when it is up', async () => {
    const rig = new Rig(store)
    const calls: string[] = []
    const flowed = steps(calls)
    const { fault, meddle } = failing('claim', 2, Infinity)
    const life = await rig.live([flowed], { meddle, worker: { pollMs: 1_000 } })
    const run = await life.runtime.start(flowed, 'r', { id: 'r' })
    await rig.advance(10 * minuteMs)
    expect(fault.count).toBeGreaterThan(10)
    expect(fault.count).toBeLessThan(1_000)
    expect(life.lines.filter(({ level }) => level === 'error').length).toBeLessThanOrEqual(2)
    fault.isOn = false
    await rig.advance(2_000)
    expect(await run.result()).toBe('r')
  })

  test('C46 a run whose appends fail again and again is not tried in a tight loop, and the others go on', async () => {
    const rig = new Rig(store)
    let failCount = 0
    let isOn = true
    const meddle = (real: Store): Store =>
      overStore(real, {
        async append(request) {
          if (!isOn || request.claim.run !== 'bad') return real.append(request)
          failCount += 1
          throw new Error('append failed')
        },
      })
    const calls: string[] = []
    const flowed = steps(calls)
    const life = await rig.live([flowed], { meddle, worker: { pollMs: 1_000 } })
    const bad = await life.runtime.start(flowed, 'bad', { id: 'bad' })
    for (let spins = 0; spins < 30; spins += 1) await drained()
    expect(failCount).toBeLessThanOrEqual(2)
    const good = await life.runtime.start(flowed, 'good', { id: 'good' })
    await rig.advance(10 * minuteMs)
    expect(await good.result()).toBe('good')
    expect(failCount).toBeGreaterThan(2)
    expect(failCount).toBeLessThan(1_000)
    isOn = false
    await rig.advance(2 * minuteMs)
    expect(await bad.result()).toBe('bad')
  })

  test('R-A1 a journal that was changed parks its run as journal_damaged before anything executes, and the others go on', async () => {
    const rig = new Rig(store)
    const calls: string[] = []
    const flowed = steps(calls)
    const first = await rig.live([flowed])
    for (const id of ['bad', 'good']) await untilStatus(await first.runtime.start(flowed, id, { id }), 'waiting')
    calls.length = 0
    const meddle = (real: Store): Store =>
      overStore(real, {
        async read(stream, range) {
          const events = await real.read(stream, range)
          if (stream !== 'run/bad') return events
          return events.map((event) => (event.kind === 'StepCompleted' ? { ...event, data: '99' } : event))
        },
      })
    const life = await rig.succeed(first, [flowed], { meddle })
    await until(async () => (await life.runtime.run('good').row()).outcome === 'completed', 'the good one ends')
    await untilStatus(life.runtime.run('bad'), 'stuck')
    expect((await life.runtime.run('bad').row()).stuck).toMatchObject({
      code: 'journal_damaged',
      message: expect.stringContaining('Event 1 of run/bad'),
    })
    expect(calls).toEqual(['good two'])
    // With its journal restored it goes on.
    const next = await rig.succeed(life, [flowed])
    await next.runtime.run('bad').retry('restored')
    expect(await next.runtime.run('bad').result()).toBe('bad')
  })
})
