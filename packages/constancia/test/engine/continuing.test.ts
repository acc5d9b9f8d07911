import { type ConstanciaError, flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { gate, kindsOf, Rig, rejection, stores, until, untilStatus } from './rig.js'

interface Counted {
  readonly seen: readonly number[]
}

/** Reads signals for ever, and hands over to a new run after so many events. */
const reader = (eventCountMax: number, total: number) =>
  flow({
    name: 'reader',
    version: 1,
    async run(ctx, { seen }: Counted) {
      const read = [...seen]
      while (read.length < total) {
        if (ctx.eventCount >= eventCountMax) return ctx.continueAsNew({ seen: read })
        read.push(await ctx.signal<number>('n'))
      }
      return read
    },
  })

describe.each(stores)('on %s', (store) => {
  test('C23 a run goes on as a new one with a fresh journal, and every signal is read once, in order', async () => {
    const rig = new Rig(store)
    const flows = [reader(8, 30)]
    const life = await rig.live(flows)
    const run = await life.runtime.start(flows[0] as never, { seen: [] }, { id: 'r', actor: 'ana' })
    for (let n = 0; n < 30; n += 1) await run.signal('n', n, { delivery: `d${n}` })
    expect(await run.result()).toEqual(Array.from({ length: 30 }, (_, n) => n))
    const row = await run.row()
    expect(row).toMatchObject({ status: 'completed', continuedAs: 'r~r1' })
    expect(row.latest).toMatch(/^r~r[3-9]$/)
    const last = await life.runtime.run(row.latest ?? '').row()
    expect(last).toMatchObject({ root: 'r', actor: 'ana', outcome: 'completed', continuedAs: undefined })
  })

  test('C23 signals that were not read go with it, and a delivery counts once over the whole line', async () => {
    const rig = new Rig(store)
    const flows = [reader(5, 9)]
    const idle = await rig.live(flows, { worker: false })
    const run = await idle.runtime.start(flows[0] as never, { seen: [] }, { id: 'r' })
    for (let n = 0; n < 7; n += 1) await run.signal('n', n, { delivery: `d${n}` })
    const life = await rig.live(flows)
    const live = life.runtime.run('r')
    await until(async () => (await live.row()).latest !== undefined, 'another run has taken over')
    const latest = life.runtime.run((await live.row()).latest ?? '')
    await untilStatus(latest, 'waiting')
    expect(await live.signal('n', 0, { delivery: 'd0' })).toBe('duplicate')
    expect(await latest.signal('n', 6, { delivery: 'd6' })).toBe('duplicate')
    expect(await live.signal('n', 7, { delivery: 'd7' })).toBe('delivered')
    expect(await life.runtime.run('r~r1').signal('n', 8, { delivery: 'd8' })).toBe('delivered')
    expect(await live.result()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('a wish to cancel or to retry that names any run of the line reaches the latest', async () => {
    const rig = new Rig(store)
    const flows = [reader(2, 9)]
    const life = await rig.live(flows)
    const run = await life.runtime.start(flows[0] as never, { seen: [] }, { id: 'r' })
    await run.signal('n', 1)
    await until(async () => (await run.row()).latest !== undefined, 'another run has taken over')
    const latest = life.runtime.run((await run.row()).latest ?? '')
    await untilStatus(latest, 'waiting')
    expect(await run.cancel()).toBe('requested')
    expect(await rejection(run.result())).toMatchObject({ code: 'run_cancelled' })
    expect(await latest.row()).toMatchObject({ status: 'cancelled' })
    expect(await rejection(run.cancel())).toMatchObject({ code: 'run_ended' })
  })

  test('a child that goes on as a new run answers its parent at its end', async () => {
    const rig = new Rig(store)
    const child = reader(3, 4)
    const parent = flow({ name: 'parent', version: 1, run: (ctx) => ctx.call(child, { seen: [] }) })
    const life = await rig.live([parent, child])
    const run = await life.runtime.start(parent, null, { id: 'p' })
    await untilStatus(life.runtime.run('p~0'), 'waiting')
    for (let n = 0; n < 4; n += 1) await life.runtime.run('p~0').signal('n', n)
    expect(await run.result()).toEqual([0, 1, 2, 3])
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'ChildStarted', 'ChildEnded', 'FlowCompleted'])
    expect((await life.runtime.run('p~0').row()).latest).toBeDefined()
  })

  test('cancelling a parent reaches a child that goes on as a new run', async () => {
    const rig = new Rig(store)
    const child = reader(2, 9)
    const parent = flow({ name: 'parent', version: 1, run: (ctx) => ctx.call(child, { seen: [] }) })
    const life = await rig.live([parent, child])
    const run = await life.runtime.start(parent, null, { id: 'p' })
    await untilStatus(life.runtime.run('p~0'), 'waiting')
    await life.runtime.run('p~0').signal('n', 1)
    await until(async () => (await life.runtime.run('p~0').row()).latest !== undefined, 'it went on')
    await run.cancel()
    await untilStatus(run, 'cancelled')
    const latest = (await life.runtime.run('p~0').row()).latest ?? ''
    expect(await life.runtime.run(latest).row()).toMatchObject({ status: 'cancelled' })
  })

  test('a run may go on as another version of its flow', async () => {
    const rig = new Rig(store)
    const second = flow({
      name: 'eternal',
      version: 2,
      run: async (ctx, n: number) => ctx.step('tell', () => `two ${n}`),
    })
    const first = flow({ name: 'eternal', version: 1, run: async (ctx, n: number) => ctx.continueAsNew(n + 1, second) })
    const life = await rig.live([first, second])
    const run = await life.runtime.start(first, 1, { id: 'r' })
    expect(await run.result()).toBe('two 2')
    expect(await life.runtime.run('r~r1').row()).toMatchObject({ version: 2 })
  })

  test('steps that were called have their outcomes in the old journal, and children are ended, before it goes on', async () => {
    const rig = new Rig(store)
    const blocked = gate<string>()
    const leaf = flow({ name: 'leaf', version: 1, run: (ctx) => ctx.signal('never') })
    const eager = flow({
      name: 'eager',
      version: 1,
      async run(ctx, n: number) {
        if (n > 0) return n
        void ctx.step('late', () => blocked.promise)
        void ctx.call(leaf, null)
        await ctx.signal('go')
        return ctx.continueAsNew(n + 1)
      },
    })
    const life = await rig.live([eager, leaf])
    const run = await life.runtime.start(eager, 0, { id: 'r' })
    await untilStatus(life.runtime.run('r~1'), 'waiting')
    await run.signal('go')
    await until(async () => (await kindsOf(run)).includes('ChildCancelRequested'), 'the child is asked to end')
    blocked.open('done')
    expect(await run.result()).toBe(1)
    expect((await kindsOf(run)).slice(-1)).toEqual(['FlowContinued'])
    expect(await kindsOf(run)).toContain('StepCompleted')
    expect(await kindsOf(run)).toContain('ChildEnded')
  })

  test('an input that cannot be kept is refused at the call, and an id that grows too long fails the run', async () => {
    const rig = new Rig(store)
    const odd = flow({
      name: 'odd',
      version: 1,
      run: async (ctx) => {
        try {
          return ctx.continueAsNew(() => undefined)
        } catch (error) {
          return (error as ConstanciaError).code
        }
      },
    })
    const eternal = flow({ name: 'eternal', version: 1, run: async (ctx) => ctx.continueAsNew(null) })
    const life = await rig.live([odd, eternal])
    expect(await (await life.runtime.start(odd, null, { id: 'o' })).result()).toBe('not_serializable')
    const long = await life.runtime.start(eternal, null, { id: 'r'.repeat(200) })
    expect(await rejection(long.result())).toMatchObject({ code: 'run_failed', cause: { code: 'invalid_id' } })
  })
})
