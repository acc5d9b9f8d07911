import { flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { drained, gate, kindsOf, Rig, rejection, stores, until, untilStatus } from './rig.js'

const never = new Promise<never>(() => undefined)
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe.each(stores)('on %s', (store) => {
  test("R-B8 what a flow began aside hears of no cancellation that comes after the flow's own end", async () => {
    const rig = new Rig(store)
    const f = flow({
      name: 'f',
      version: 1,
      run: async (ctx) => {
        void (async () => {
          try {
            await ctx.step('slow', () => never)
          } catch {
            await ctx.step('undo', () => 1)
          }
        })()
        void ctx.call(leaf, null)
        return await ctx.step('fast', () => fast.promise)
      },
    })
    const leaf = flow({ name: 'leaf', version: 1, run: (ctx) => ctx.signal('go') })
    const fast = gate<number>()
    let cancel: (() => Promise<unknown>) | undefined
    const meddle = (real: Store): Store =>
      overStore(real, {
        append: async (request) => {
          if (request.drafts[0]?.kind === 'ChildCancelRequested') await cancel?.()
          return real.append(request)
        },
      })
    const life = await rig.live([f, leaf], { meddle })
    const run = await life.runtime.start(f, null, { id: 'r' })
    cancel = () => run.cancel()
    await untilStatus(life.runtime.run('r~1'), 'waiting')
    fast.open(1)
    await until(async () => ['cancelled', 'stuck'].includes((await run.row()).status), 'rests')
    expect((await run.row()).stuck).toBeUndefined()
    const kinds = [
      'FlowStarted',
      'ChildStarted',
      'StepCompleted',
      'CancelRequested',
      'ChildCancelRequested',
      'ChildEnded',
    ]
    expect(await kindsOf(run)).toEqual([...kinds, 'FlowCancelled'])
  })

  test('R-B8 a child is asked to end once, however much its parent learns until that is stored', async () => {
    const rig = new Rig(store)
    const gates = ['a', 'b', 'c', 'd'].map(() => gate())
    const held = gate()
    const leaf = flow({ name: 'leaf', version: 1, run: (ctx) => ctx.signal('go') })
    const f = flow({
      name: 'f',
      version: 1,
      run: async (ctx) => {
        void ctx.call(leaf, null)
        const steps = gates.map((g, index) => ctx.step(`s${index}`, () => g.promise))
        await steps[0]
      },
    })
    const meddle = (real: Store): Store =>
      overStore(real, {
        append: async (request) => {
          if (request.drafts[0]?.body.includes('"s1"')) await held.promise
          const answer = await real.append(request)
          if (request.drafts[0]?.body.includes('"s0"')) {
            gates[1]?.open()
            await drained()
          }
          return answer
        },
      })
    const life = await rig.live([leaf, f], { meddle })
    const run = await life.runtime.start(f, null, { id: 'r' })
    await untilStatus(life.runtime.run('r~0'), 'waiting')
    gates[0]?.open()
    await until(async () => (await run.events()).length === 3, 's0 is stored')
    await drained()
    await drained()
    gates[2]?.open()
    await drained()
    gates[3]?.open()
    await drained()
    held.open()
    await untilStatus(run, 'completed')
    expect((await kindsOf(run)).filter((k) => k === 'ChildCancelRequested')).toHaveLength(1)
  })

  test('C19 a wish to cancel that is stored together with an outcome is noticed while a step goes on', async () => {
    const rig = new Rig(store)
    let cancel: () => Promise<unknown> = async () => undefined
    const f = flow({
      name: 'f',
      version: 1,
      run: async (ctx) => {
        await Promise.all([ctx.step('quick', () => 1), ctx.step('slow', ({ signal }) => untilAborted(signal))])
      },
    })
    const meddle = (real: Store): Store =>
      overStore(real, {
        append: (request) => {
          const answer = real.append(request)
          if (request.drafts[0]?.body.includes('quick')) void cancel()
          return answer
        },
      })
    const life = await rig.live([f], { meddle })
    cancel = () => life.runtime.run('r').cancel()
    const run = await life.runtime.start(f, null, { id: 'r' })
    await untilStatus(run, 'cancelled')
  })

  test('C19 a wish to cancel that comes while the journal is read is noticed while a step goes on', async () => {
    const rig = new Rig(store)
    const f = flow({
      name: 'f',
      version: 1,
      run: (ctx) => ctx.step('slow', ({ signal }) => untilAborted(signal)),
    })
    const held = gate()
    let reads = 0
    const meddle = (real: Store): Store =>
      overStore(real, {
        read: async (stream, range) => {
          const answer = await real.read(stream, range)
          reads += 1
          if (reads === 1) await held.promise
          return answer
        },
      })
    const life = await rig.live([f], { meddle })
    const run = await life.runtime.start(f, null, { id: 'r' })
    await until(() => reads === 1, 'loads')
    await run.cancel()
    await drained()
    held.open()
    await untilStatus(run, 'cancelled')
  })

  test('C38 a run whose journal is too long is cancelled, also while its attempts have their time of grace', async () => {
    const rig = new Rig(store)
    const f = flow({
      name: 'f',
      version: 1,
      run: async (ctx) => {
        const slow = ctx.step('slow', () => never)
        try {
          for (;;) await ctx.step('s', () => 1)
        } finally {
          await ctx.step('release', () => 1)
        }
        await slow
      },
    })
    const life = await rig.live([f], { limits: { eventCountMax: 20 } })
    const run = await life.runtime.start(f, null, { id: 'r' })
    await until(async () => (await run.row()).head.seq >= 19, 'long')
    await drained()
    await run.cancel()
    await drained()
    await rig.advance(40_000)
    await until(async () => ['cancelled', 'stuck'].includes((await run.row()).status), 'rests')
    expect((await run.row()).status).toBe('cancelled')
  })

  test('R-A10 a child that could not be started is asked to end later, on whatever page of the outbox that stands', async () => {
    const rig = new Rig(store)
    const leaf = flow({ name: 'leaf', version: 1, run: (ctx) => ctx.signal('go') })
    const f = flow({
      name: 'f',
      version: 1,
      run: async (ctx) => {
        void ctx.call(leaf, null)
        await ctx.step('s', () => 1)
      },
    })
    let isBroken = true
    const meddle = (real: Store): Store =>
      overStore(real, {
        outbox: (query) => real.outbox({ ...query, limit: 1 }),
        create: (request) =>
          isBroken && request.run === 'r~0' ? Promise.reject(new Error('broken')) : real.create(request),
      })
    const life = await rig.live([leaf, f], { meddle })
    const run = await life.runtime.start(f, null, { id: 'r' })
    await until(async () => (await kindsOf(run)).includes('ChildCancelRequested'), 'asked')
    await drained()
    await drained()
    isBroken = false
    await life.runtime.start(f, null, { id: 'q' })
    await untilStatus(run, 'completed')
  })

  test('R-B9 a suspect that gets on holds up no other suspect', async () => {
    const rig = new Rig(store)
    let isBad = true
    const f = flow({
      name: 'f',
      version: 1,
      run: async (ctx) => {
        await ctx.step('first', () => (isBad ? never : 1))
        await ctx.step('long', () => never)
      },
    })
    let life = await rig.live([f])
    for (const id of ['a', 'b', 'c']) await life.runtime.start(f, null, { id })
    await until(async () => (await life.runtime.run('c').row()).status === 'running', 'c runs')
    await drained()
    life = await rig.succeed(life, [f])
    await until(async () => (await life.runtime.run('c').row()).lostLeaseCount === 1, 'again')
    await drained()
    isBad = false
    life = await rig.succeed(life, [f])
    for (const id of ['a', 'b', 'c'])
      await until(async () => (await life.runtime.run(id).events()).length === 2, `${id} gets on`)
  })

  test('who waits for the end of a stuck run learns at once that it was ended by force', async () => {
    const rig = new Rig(store)
    const f = flow({ name: 'f', version: 1, run: async () => void (await never) })
    const life = await rig.live([f])
    const run = await life.runtime.start(f, null, { id: 'r' })
    await untilStatus(run, 'stuck')
    const result = rejection(run.result())
    await drained()
    await run.cancel({ force: true })
    expect((await result).code).toBe('run_cancelled')
  })

  test('ids of the greatest length are taken by children and by the runs that take over', async () => {
    const rig = new Rig(store)
    const leaf = flow({ name: 'leaf', version: 1, run: async () => 1 })
    const f = flow({
      name: 'f',
      version: 1,
      run: async (ctx, n: number) => {
        const x = await ctx.call(leaf, null)
        return n === 0 ? ctx.continueAsNew(1) : x
      },
    })
    const life = await rig.live([leaf, f])
    const run = await life.runtime.start(f, 0, { id: 'x'.repeat(195) })
    expect(await run.result()).toBe(1)
  })

  test('a key of the next run that makes no sense is refused at the call', async () => {
    const rig = new Rig(store)
    const f = flow({
      name: 'f',
      version: 1,
      key: (n: number) => (n === 0 ? 'k' : ''),
      run: async (ctx) => {
        try {
          return ctx.continueAsNew(1)
        } catch (error) {
          return (error as { code: string }).code
        }
      },
    })
    const life = await rig.live([f])
    const run = await life.runtime.start(f, 0, { id: 'r' })
    expect(await run.result()).toBe('invalid_value')
  })

  test('a run that was ended by force holds no place, although its owner is dead', async () => {
    const rig = new Rig(store)
    const f = flow({
      name: 'f',
      version: 1,
      concurrency: { running: 1 },
      run: async (ctx, n: number) => ctx.step('s', () => (n === 0 ? never : 1)),
    })
    const life = await rig.live([f])
    const a = await life.runtime.start(f, 0, { id: 'a' })
    await untilStatus(a, 'running')
    await life.runtime.start(f, 1, { id: 'b' })
    await drained()
    await life.crash()
    const g = flow({ name: 'g', version: 1, run: async () => 1 })
    const other = await rig.live([f, g])
    await drained()
    await other.runtime.run('a').cancel({ force: true })
    await other.runtime.start(g, null)
    await untilStatus(other.runtime.run('b'), 'completed')
  })

  test('R-B9 a run that was set aside stays aside when it is cancelled, and ends by its clean-up once it is retried', async () => {
    const rig = new Rig(store)
    const f = flow({ name: 'f', version: 1, run: (ctx) => ctx.step('hang', () => never) })
    const first = await rig.live([f])
    await untilStatus(await first.runtime.start(f, null, { id: 'r' }), 'running')
    const life = await rig.succeed(first, [f], { worker: { lostLeaseCountMax: 1 } })
    const run = life.runtime.run('r')
    await untilStatus(run, 'stuck')
    await run.cancel()
    await drained()
    expect(await run.row()).toMatchObject({ status: 'stuck', stuck: { code: 'poison' }, isCancelRequested: true })
    await run.retry()
    await untilStatus(run, 'cancelled')
  })

  test('a result that is purged before it is read is none, and not undefined', async () => {
    const rig = new Rig(store)
    const f = flow({ name: 'f', version: 1, run: async () => 1 })
    const meddle = (real: Store): Store =>
      overStore(real, {
        read: async (stream, range) => {
          if (range?.fromSeq === 1 && range.limit === undefined)
            await real.purge({ runs: ['r' as never], by: 'system:test' })
          return real.read(stream, range)
        },
      })
    const life = await rig.live([f], { meddle })
    const run = await life.runtime.start(f, null, { id: 'r' })
    await untilStatus(run, 'completed')
    expect(await rejection(run.result())).toMatchObject({ code: 'unknown_run' })
  })
})
