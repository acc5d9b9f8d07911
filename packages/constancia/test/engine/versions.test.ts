import { flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { Rig, rejection, stores, until, untilStatus } from './rig.js'

const old = flow({
  name: 'billing',
  version: 1,
  async run(ctx) {
    await ctx.signal('go')
    return await ctx.step('bill', () => 'old')
  },
})

const patched = flow({
  name: 'billing',
  version: 1,
  patches: ['tax'],
  async run(ctx) {
    await ctx.signal('go')
    if (ctx.patched('tax')) return await ctx.step('bill with tax', () => 'new')
    return await ctx.step('bill', () => 'old')
  },
})

describe.each(stores)('on %s', (store) => {
  test('R-B4 a run that started before a patch goes on without it, and one that starts after it has it', async () => {
    const rig = new Rig(store)
    const first = await rig.live([old])
    const before = await first.runtime.start(old, null, { id: 'before' })
    await untilStatus(before, 'waiting')
    const second = await rig.succeed(first, [patched])
    const after = await second.runtime.start(patched, null, { id: 'after' })
    await second.runtime.run('before').signal('go')
    await after.signal('go')
    expect(await second.runtime.run('before').result()).toBe('old')
    expect(await after.result()).toBe('new')
  })

  test('R-B4 a child has the patches of its flow when it was called, wherever it is started', async () => {
    const rig = new Rig(store)
    const parent = flow({ name: 'parent', version: 1, run: (ctx) => ctx.call(patched, null) })
    const first = await rig.live([parent])
    const run = await first.runtime.start(parent, null, { id: 'p' })
    await untilStatus(run, 'waiting')
    await first.crash()
    const second = await rig.live([parent, patched])
    await until(
      async () => (await second.runtime.runs({ parent: 'p' as never })).items.length === 1,
      'the child is there',
    )
    await second.runtime.run('p~0').signal('go')
    expect(await second.runtime.run('p').result()).toBe('new')
  })

  test('R-B4 a patch that the flow does not declare parks the run, until it is declared', async () => {
    const rig = new Rig(store)
    const hasty = (patches: readonly string[]) =>
      flow({
        name: 'hasty',
        version: 1,
        patches,
        async run(ctx) {
          try {
            return ctx.patched('tax')
          } catch {
            return await ctx.step('never', () => 'swallowed')
          }
        },
      })
    const first = await rig.live([hasty([])])
    const run = await first.runtime.start(first.runtime.flows[0] as never, null, { id: 'r' })
    await untilStatus(run, 'stuck')
    expect((await run.row()).stuck).toMatchObject({ code: 'undeclared_patch' })
    const second = await rig.succeed(first, [hasty(['tax'])])
    await second.runtime.run('r').retry('declared')
    expect(await second.runtime.run('r').result()).toBe(false)
  })

  test('C35 R-B4 versions of a flow run side by side, each run with the one that it started with', async () => {
    const rig = new Rig(store)
    const versions = [1, 2, 3].map((version) =>
      flow({ name: 'side', version, run: async (ctx) => [await ctx.signal('go'), version] }),
    )
    const life = await rig.live(versions)
    const runs = await Promise.all(versions.map((one) => life.runtime.start(one, null, { id: `v${one.version}` })))
    for (const run of runs) await run.signal('go', 'x')
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual([
      ['x', 1],
      ['x', 2],
      ['x', 3],
    ])
  })

  test('C35 R-B4 a rehearsal tells which runs the code at hand would strand, and touches none of them', async () => {
    const rig = new Rig(store)
    const other = flow({ name: 'billing', version: 1, run: (ctx) => ctx.step('something else', () => 1) })
    const waits = flow({
      name: 'waits',
      version: 1,
      run: async (ctx) => [await ctx.step('a', () => 1), await ctx.signal('go')],
    })
    const waitsAsBefore = flow({
      name: 'waits',
      version: 1,
      run: async (ctx) => {
        const first = await ctx.step('a', () => 2)
        return [first, await ctx.signal('go'), await ctx.step('new at the end', () => 3)]
      },
    })
    const renamed = flow({ name: 'waits', version: 1, run: async (ctx) => [await ctx.step('b', () => 1)] })
    const first = await rig.live([old, waits])
    const run = await first.runtime.start(waits, null, { id: 'w' })
    await untilStatus(run, 'waiting')
    await first.runtime.start(old, null, { id: 'b' })
    await first.crash()
    const looks = async (flows: Parameters<typeof rig.live>[0]) => {
      const life = await rig.live(flows, { worker: false })
      const before = await life.runtime.run('w').row()
      const answer = await life.runtime.rehearse('w')
      expect(await life.runtime.run('w').row()).toEqual(before)
      return answer
    }
    expect(await looks([waits])).toEqual({ kind: 'replays' })
    expect(await looks([waitsAsBefore])).toEqual({ kind: 'replays' })
    expect(await looks([other])).toEqual({ kind: 'no_code', flow: 'waits', version: 1 })
    const foreign = flow({
      name: 'waits',
      version: 1,
      run: async (ctx) => [await ctx.step('a', () => 1), await new Promise(() => undefined)],
    })
    expect(await looks([foreign])).toMatchObject({ kind: 'diverges', code: 'foreign_await' })
    const diverges = await looks([renamed])
    expect(diverges).toMatchObject({ kind: 'diverges', code: 'nondeterminism' })
    expect(diverges.kind === 'diverges' && diverges.message).toMatch(/step "a".*step "b"/s)
    expect(await rejection(looksAt(rig))).toMatchObject({ code: 'unknown_run' })
  })
})

async function looksAt(rig: Rig): Promise<unknown> {
  return (await rig.live([old], { worker: false })).runtime.rehearse('nobody')
}
