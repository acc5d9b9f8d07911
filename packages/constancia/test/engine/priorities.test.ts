import { flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { bodyOf } from '../../dist/journal/index.js'
import { drained, Rig, rejection, stores, until } from './rig.js'

/** A flow whose runs note when they began. */
function noting(name: string, began: string[], priority?: number) {
  const note = async (id: string): Promise<void> => void began.push(id)
  return flow({
    name,
    version: 1,
    ...(priority === undefined ? {} : { priority }),
    run: (ctx, _: unknown) => ctx.step('note', () => note(ctx.runId)),
  })
}

/** The body of a run's first event, as it was written. */
async function firstBody(run: { events(): Promise<readonly { readonly body: string }[]> }): Promise<string> {
  return (await run.events())[0]?.body ?? ''
}

describe.each(stores)('R-B12 priorities on %s:', (store) => {
  test('a worker takes what is due by priority, then by time, whoever started it', async () => {
    const rig = new Rig(store)
    const began: string[] = []
    const flows = [noting('noted', began), noting('usual', began, 3)]
    const idle = await rig.live(flows, { worker: false })
    const { runtime } = idle
    for (const [id, priority] of Object.entries({ low: -100, none: undefined, high: 100, none2: 0, high2: 100 })) {
      await runtime.start(flows[0]!, null, { id, ...(priority === undefined ? {} : { priority }) })
      rig.clock.advance(1)
    }
    await rig.live(flows, { worker: { concurrency: 1 } })
    await until(() => began.length === 5, 'all of them began')
    expect(began).toEqual(['high', 'high2', 'none', 'none2', 'low'])
  })

  test('the first event names a priority that is not 0, and nothing where it is; a flow names one for its runs', async () => {
    const rig = new Rig(store)
    const [plain, usual] = [noting('plain', []), noting('usual', [], -7)]
    const { runtime } = await rig.live([plain, usual], { worker: false })
    const none = await runtime.start(plain, null)
    const zero = await runtime.start(plain, null, { priority: -0 })
    const unset = '{"flow":"plain","version":1,"actor":null,"contract":null,"patches":[]}'
    expect([await firstBody(none), await firstBody(zero)]).toEqual([unset, unset])
    const set = await runtime.start(plain, null, { priority: 12 })
    expect(await firstBody(set)).toBe(unset.replace('}', ',"priority":12}'))
    const flows = await runtime.start(usual, null)
    expect(JSON.parse(await firstBody(flows))).toMatchObject({ priority: -7 })
    const starts = await runtime.start(usual, null, { priority: 0 })
    expect(JSON.parse(await firstBody(starts))).not.toHaveProperty('priority')
    const rows = await Promise.all([none, zero, set, flows, starts].map((run) => run.row()))
    expect(rows.map(({ priority }) => priority)).toEqual([0, 0, 12, -7, 0])
  })

  test('starting the same id again with another priority changes nothing', async () => {
    const rig = new Rig(store)
    const noted = noting('noted', [])
    const { runtime } = await rig.live([noted], { worker: false })
    await runtime.start(noted, null, { id: 'r', priority: 5 })
    await runtime.start(noted, null, { id: 'r', priority: 6 })
    expect((await runtime.run('r').row()).priority).toBe(5)
  })

  test.each([101, -101, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1'])(
    'a priority of %s is refused clearly, and nothing is started',
    async (priority) => {
      const rig = new Rig(store)
      const noted = noting('noted', [])
      const { runtime } = await rig.live([noted], { worker: false })
      const error = await rejection(runtime.start(noted, null, { id: 'r', priority: priority as number }))
      expect(error.code).toBe('invalid_option')
      expect(error.message).toMatch(
        /priority of a run is a whole number from -100 to 100, but it was .*Nothing was started/,
      )
      expect((await runtime.runs()).items).toEqual([])
      expect(() => noting('odd', [], priority as number)).toThrow(/priority of runs of flow odd is a whole number/)
    },
  )

  test('R-B8 children and runs that take over have the priority of the run that they come from', async () => {
    const rig = new Rig(store)
    const child = noting('child', [], 50)
    const parent = flow({
      name: 'parent',
      version: 1,
      priority: -3,
      run: async (ctx, rounds: number) => {
        await ctx.call(child, null)
        return rounds === 0 ? 'done' : ctx.continueAsNew(rounds - 1)
      },
    })
    const { runtime } = await rig.live([parent, child])
    const run = await runtime.start(parent, 2, { id: 'p', priority: 9 })
    const plain = await runtime.start(parent, 1, { id: 'q', priority: 0 })
    const usual = await runtime.start(parent, 0, { id: 'r' })
    expect(await Promise.all([run.result(), plain.result(), usual.result()])).toEqual(['done', 'done', 'done'])
    const { items } = await runtime.runs()
    const priorities = (of: string) => items.filter(({ id }) => id.startsWith(of)).map(({ priority }) => priority)
    expect([priorities('p'), priorities('q'), priorities('r')]).toEqual([
      new Array(6).fill(9),
      new Array(4).fill(0),
      [-3, -3],
    ])
    expect(bodyOf((await runtime.run('p~r2~0').events())[0]!, 'FlowStarted')).toMatchObject({ priority: 9 })
  })

  test('a run that sleeps comes back with its priority, and so does one whose worker died', async () => {
    const rig = new Rig(store)
    const began: string[] = []
    const noted = noting('noted', began)
    const sleepy = flow({
      name: 'noted',
      version: 2,
      run: async (ctx, _: unknown) => {
        await ctx.sleep(1_000)
        await ctx.step('note', () => void began.push(ctx.runId))
      },
    })
    const first = await rig.live([sleepy])
    await first.runtime.start(sleepy, null, { id: 'slept', priority: 1 })
    await until(async () => (await first.runtime.run('slept').row()).status === 'waiting', 'it sleeps')
    await first.crash()
    const idle = await rig.live([noted, sleepy], { worker: false })
    await idle.runtime.start(sleepy, null, { id: 'fresh' })
    rig.clock.advance(2_000)
    const last = await rig.live([sleepy], { worker: { concurrency: 1 } })
    await until(() => began.length === 1, 'the first of them begins')
    await drained()
    expect(began[0]).toBe('slept')
    await last.crash()
  })
})
