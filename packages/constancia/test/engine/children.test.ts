import { type ConstanciaError, flow, PermanentError } from 'constancia'
import { describe, expect, test } from 'vitest'
import { drained, gate, kindsOf, Rig, rejection, stores, until, untilStatus } from './rig.js'

const double = flow({
  name: 'double',
  version: 3,
  run: (ctx, input: { readonly n: number }) => ctx.step('double', () => input.n * 2),
})

describe.each(stores)('on %s', (store) => {
  test('R-B8 a child is a run of its own, and its parent gets what it returned', async () => {
    const rig = new Rig(store)
    const parent = flow({
      name: 'parent',
      version: 1,
      run: async (ctx, input: { readonly n: number }) => (await ctx.call(double, input)) + 1,
    })
    const life = await rig.live([parent, double])
    const run = await life.runtime.start(parent, { n: 20 }, { id: 'p', actor: 'ana' })
    expect(await run.result()).toBe(41)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'ChildStarted', 'ChildEnded', 'FlowCompleted'])
    const child = await life.runtime.run('p~0').row()
    expect(child).toMatchObject({ flow: 'double', version: 3, actor: 'ana', parent: { run: 'p', op: '0' } })
    await until(async () => (await life.runtime.outbox()).items.length === 0, 'the outbox is empty')
  })

  test('R-B8 a parent that waits for its child holds no process, and the child may run elsewhere', async () => {
    const rig = new Rig(store)
    const parent = flow({ name: 'parent', version: 1, run: (ctx) => ctx.call(double, { n: 4 }) })
    const first = await rig.live([parent])
    const run = await first.runtime.start(parent, null, { id: 'p' })
    await untilStatus(run, 'waiting')
    expect(await run.row()).toMatchObject({ waitingFor: [{ kind: 'child', op: '0', name: 'p~0' }], claim: undefined })
    await until(() => first.lines.length > 0, 'whoever starts children says something')
    expect(first.lines.map(({ message }) => message)).toEqual([
      'A child was started whose flow this process does not have; it waits for a worker that has it.',
    ])
    await first.crash()
    const second = await rig.live([parent, double])
    expect(await second.runtime.run('p').result()).toBe(8)
  })

  test('C12 R-B8 an error of a child reaches its parent as it was, and one that is permanent stays so', async () => {
    const rig = new Rig(store)
    let attemptCount = 0
    const failing = flow({
      name: 'failing',
      version: 1,
      run: (ctx) =>
        ctx.step('fail', () => {
          attemptCount += 1
          throw new PermanentError('no such account', { cause: new RangeError('42') })
        }),
    })
    const parent = flow({
      name: 'parent',
      version: 1,
      retry: { attemptsMax: 5, delayMsFirst: 1 },
      run: async (ctx) => {
        const error = await rejection(ctx.call(failing, null))
        return [error instanceof PermanentError, error.message, (error.cause as Error).name]
      },
    })
    const life = await rig.live([parent, failing])
    const run = await life.runtime.start(parent, null, { id: 'p' })
    expect(await run.result()).toEqual([true, 'no such account', 'RangeError'])
    expect(attemptCount).toBe(1)
    expect(await life.runtime.run('p~0').row()).toMatchObject({ status: 'failed' })
  })

  test('R-B8 a child that is still open when its parent ends is cancelled, and the end waits for it', async () => {
    const rig = new Rig(store)
    const cleaned: string[] = []
    const sleepy = flow({
      name: 'sleepy',
      version: 1,
      async run(ctx) {
        try {
          await ctx.sleep(1_000_000)
        } finally {
          await ctx.step('clean up', () => cleaned.push('child'))
        }
      },
    })
    const parent = flow({
      name: 'parent',
      version: 1,
      run: async (ctx) => Promise.race([ctx.call(sleepy, null), ctx.sleep(10).then(() => 'done')]),
    })
    const life = await rig.live([parent, sleepy])
    const run = await life.runtime.start(parent, null, { id: 'p' })
    await untilStatus(life.runtime.run('p~0'), 'waiting')
    await rig.advance(10)
    expect(await run.result()).toBe('done')
    expect(await kindsOf(run)).toEqual([
      'FlowStarted',
      'ChildStarted',
      'TimerSet',
      'TimerFired',
      'ChildCancelRequested',
      'ChildEnded',
      'FlowCompleted',
    ])
    expect(cleaned).toEqual(['child'])
    expect(await life.runtime.run('p~0').row()).toMatchObject({ status: 'cancelled', isCancelRequested: true })
  })

  test('R-B8 cancelling reaches a parent that sleeps, its child and the child of its child', async () => {
    const rig = new Rig(store)
    const leaf = flow({ name: 'leaf', version: 1, run: (ctx) => ctx.signal('never') })
    const middle = flow({ name: 'middle', version: 1, run: (ctx) => ctx.call(leaf, null) })
    const root = flow({ name: 'root', version: 1, run: (ctx) => Promise.all([ctx.call(middle, null), ctx.sleep(1e9)]) })
    const life = await rig.live([root, middle, leaf])
    const run = await life.runtime.start(root, null, { id: 'p' })
    await untilStatus(life.runtime.run('p~0~0'), 'waiting')
    expect(await run.cancel({ reason: 'the order was withdrawn', by: 'ana' })).toBe('requested')
    expect(await rejection(run.result())).toMatchObject({ code: 'run_cancelled' })
    for (const id of ['p', 'p~0', 'p~0~0']) {
      expect(await life.runtime.run(id).row()).toMatchObject({ status: 'cancelled', claim: undefined })
    }
    const asked = (await run.events()).find(({ kind }) => kind === 'CancelRequested')
    expect(asked).toMatchObject({ by: 'principal:ana', data: '"the order was withdrawn"' })
  })

  test('R-B8 an error of a child that was cancelled by itself says so to its parent', async () => {
    const rig = new Rig(store)
    const leaf = flow({ name: 'leaf', version: 1, run: (ctx) => ctx.signal('never') })
    const parent = flow({ name: 'parent', version: 1, run: (ctx) => ctx.call(leaf, null) })
    const life = await rig.live([parent, leaf])
    const run = await life.runtime.start(parent, null, { id: 'p' })
    await untilStatus(life.runtime.run('p~0'), 'waiting')
    await life.runtime.run('p~0').cancel()
    const error = await rejection(run.result())
    expect((error as ConstanciaError).cause).toMatchObject({
      code: 'child_cancelled',
      message: expect.stringContaining('p~0'),
    })
    expect(await run.row()).toMatchObject({ status: 'failed' })
  })

  test('R-A4 a parent that resumes re-reads the end of its child and starts no second one', async () => {
    const rig = new Rig(store)
    let runCount = 0
    const counted = flow({ name: 'counted', version: 1, run: (ctx) => ctx.step('count', () => (runCount += 1)) })
    const blocked = gate()
    const parent = flow({
      name: 'parent',
      version: 1,
      run: async (ctx) => [await ctx.call(counted, null), await ctx.step('last', () => blocked.promise)],
    })
    const first = await rig.live([parent, counted])
    const run = await first.runtime.start(parent, null, { id: 'p' })
    await until(async () => (await kindsOf(run)).includes('ChildEnded'), 'the child has ended')
    await drained()
    const second = await rig.succeed(first, [parent, counted])
    blocked.open()
    expect(await second.runtime.run('p').result()).toEqual([1, undefined])
    expect(runCount).toBe(1)
  })

  test('code that calls another flow or gives another input than the journal has is nondeterminism', async () => {
    const rig = new Rig(store)
    const calling = (n: number) =>
      flow({ name: 'parent', version: 1, run: async (ctx) => [await ctx.call(double, { n }), await ctx.signal('go')] })
    const first = await rig.live([calling(1), double])
    const run = await first.runtime.start(first.runtime.flows[0] as never, null, { id: 'p' })
    await until(async () => (await run.row()).waitingFor[0]?.name === 'go', 'the parent waits for its signal')
    const second = await rig.succeed(first, [calling(2), double])
    await second.runtime.run('p').signal('go')
    await untilStatus(second.runtime.run('p'), 'stuck')
    expect((await second.runtime.run('p').row()).stuck?.message).toContain('{"n":2}')
  })

  test('R-B11 a child whose id would be too long is refused at the call', async () => {
    const rig = new Rig(store)
    const parent = flow({ name: 'parent', version: 1, run: (ctx) => ctx.call(double, { n: 1 }) })
    const life = await rig.live([parent, double])
    const run = await life.runtime.start(parent, null, { id: 'p'.repeat(200) })
    expect((await rejection(run.result())).cause).toMatchObject({ code: 'invalid_id' })
  })
})
