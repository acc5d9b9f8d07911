import { flow, type OutboxEntry, type RunId } from 'constancia'
import { describe, expect, test } from 'vitest'
import { draftOf } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { drained, kindsOf, Rig, rejection, stores, until, untilStatus } from './rig.js'

const leaf = flow({ name: 'leaf', version: 1, run: (ctx, n: number) => ctx.step('double', () => n * 2) })
const waiting = flow({ name: 'waiting', version: 1, run: (ctx) => ctx.signal<string>('go') })
const parent = flow({
  name: 'parent',
  version: 1,
  run: async (ctx) => [await ctx.call(leaf, 1), await ctx.call(leaf, 2), await ctx.signal('close')],
})
const guardian = flow({
  name: 'guardian',
  version: 1,
  run: async (ctx) => {
    void ctx.call(waiting, null)
    await ctx.signal('close')
  },
})
const flows = [leaf, waiting, parent, guardian]

/** A store that never forgets what was in its outbox: whatever was delivered comes again, at every look. */
const forgetful = (store: Store): Store => {
  const known: OutboxEntry[] = []
  return overStore(store, {
    outbox: async (query) => {
      const page = await store.outbox(query)
      for (const entry of page.items)
        if (!known.some(({ run, seq }) => run === entry.run && seq === entry.seq)) known.push(entry)
      return { items: [...known].reverse(), next: undefined }
    },
  })
}

describe.each(stores)('on %s', (store) => {
  test('R-A10 T14 whatever comes out of the outbox again, late and in another order, has happened once', async () => {
    const rig = new Rig(store)
    const lives = [await rig.live(flows, { meddle: forgetful }), await rig.live(flows, { meddle: forgetful })]
    const [life] = lives as [(typeof lives)[0]]
    const run = await life.runtime.start(parent, null, { id: 'p' })
    const other = await life.runtime.start(guardian, null, { id: 'g' })
    await untilStatus(life.runtime.run('g~0'), 'waiting')
    await other.signal('close')
    await until(async () => (await run.row()).waitingFor[0]?.name === 'close', 'both children have ended')
    await untilStatus(other, 'completed')
    await run.signal('close')
    await untilStatus(run, 'completed')
    for (let looks = 0; looks < 5; looks += 1) {
      await life.runtime.start(leaf, 1, { id: `again-${looks}` })
      await drained()
    }
    expect((await kindsOf(run)).filter((kind) => kind === 'ChildEnded')).toHaveLength(2)
    expect((await kindsOf(other)).filter((kind) => kind.startsWith('Child'))).toEqual([
      'ChildStarted',
      'ChildCancelRequested',
      'ChildEnded',
    ])
    expect((await kindsOf(life.runtime.run('g~0'))).filter((kind) => kind === 'CancelRequested')).toHaveLength(1)
    expect((await life.runtime.runs({ parent: run.id })).items).toHaveLength(2)
  })

  test('R-A10 what cannot be delivered now is tried again, and holds up nothing else', async () => {
    const rig = new Rig(store)
    let failCount = 0
    const meddle = (real: Store): Store =>
      overStore(real, {
        create: async (request) => {
          if (request.run === 'p~0') failCount += 1
          if (request.run === 'p~0' && failCount <= 2) throw new Error('the disk is busy')
          return real.create(request)
        },
      })
    const life = await rig.live(flows, { meddle, worker: { pollMs: 1_000 } })
    const run = await life.runtime.start(parent, null, { id: 'p' })
    const other = await life.runtime.start(guardian, null, { id: 'g' })
    await untilStatus(life.runtime.run('g~0'), 'waiting')
    expect((await kindsOf(run)).at(-1)).toBe('ChildStarted')
    await until(async () => {
      await rig.advance(1_000)
      return (await run.row()).waitingFor[0]?.name === 'close'
    }, 'its children have come and gone')
    expect(failCount).toBeGreaterThanOrEqual(3)
    expect(life.lines.map(({ level, message }) => `${level} ${message}`)).toContain(
      'error Something that a run has to tell another could not be delivered; it is tried again.',
    )
    expect((await other.row()).outcome).toBe('open')
  })

  test('R-A10 the end of a child whose parent was ended by force is told to nobody, and leaves the outbox', async () => {
    const rig = new Rig(store)
    const life = await rig.live(flows)
    const run = await life.runtime.start(guardian, null, { id: 'g' })
    await untilStatus(life.runtime.run('g~0'), 'waiting')
    await run.cancel({ force: true })
    await untilStatus(life.runtime.run('g~0'), 'cancelled')
    await until(async () => (await life.runtime.outbox()).items.length === 0, 'the outbox is empty')
    expect((await kindsOf(run)).at(-1)).toBe('FlowCancelled')
  })

  test('a child is asked to end although nobody has started it yet, and then runs nothing but its clean-up', async () => {
    const rig = new Rig(store)
    const executed: string[] = []
    const careful = flow({
      name: 'careful',
      version: 1,
      async run(ctx) {
        try {
          await ctx.step('work', () => executed.push('work'))
        } finally {
          await ctx.step('clean up', () => executed.push('clean up'))
        }
      },
    })
    const hasty = flow({
      name: 'hasty',
      version: 1,
      run: async (ctx) => {
        void ctx.call(careful, null)
        await ctx.sleep(1)
      },
    })
    const held = await rig.live([hasty], { meddle: (real) => overStore(real, { outbox: async () => nothing }) })
    const run = await held.runtime.start(hasty, null, { id: 'h' })
    await untilStatus(run, 'waiting')
    await rig.advance(10)
    await until(async () => (await kindsOf(run)).includes('ChildCancelRequested'), 'the child is to end')
    expect((await held.store.outbox({})).items.map(({ kind }) => kind)).toEqual(['start', 'cancel'])
    // Whoever starts it does not have its flow: a worker that has could take it before it is asked to end.
    const starter = await rig.succeed(held, [hasty])
    await until(async () => (await starter.store.outbox({})).items.length === 0, 'both are done')
    const next = await rig.succeed(starter, [hasty, careful])
    await untilStatus(next.runtime.run('h'), 'completed')
    expect(await kindsOf(next.runtime.run('h~0'))).toEqual([
      'FlowStarted',
      'CancelRequested',
      'StepCompleted',
      'FlowCancelled',
    ])
    expect(executed).toEqual(['clean up'])
  })

  test('a child whose id is taken by a run of somebody else fails its call with that, and touches nothing', async () => {
    const rig = new Rig(store)
    const caller = flow({ name: 'caller', version: 1, run: (ctx) => ctx.call(leaf, 1) })
    const life = await rig.live([caller, leaf, waiting], { worker: false })
    const body = { flow: 'waiting', version: 1, actor: null, contract: null, patches: [] }
    const drafts = [draftOf('FlowStarted', body, 'null')]
    await life.store.create({ run: 'c~0' as RunId, drafts, by: 'system:test', seen: '-/-' })
    await life.crash()
    const next = await rig.live([caller, leaf, waiting])
    const run = await next.runtime.start(caller, null, { id: 'c' })
    expect((await rejection(run.result())).cause).toMatchObject({ code: 'run_exists' })
    expect(await kindsOf(next.runtime.run('c~0'))).toEqual(['FlowStarted'])
    expect((await next.runtime.outbox()).items).toEqual([])
  })

  test('an outbox that cannot be read is told of once, and read again', async () => {
    const rig = new Rig(store)
    let isDown = true
    const meddle = (real: Store): Store =>
      overStore(real, { outbox: (query) => (isDown ? Promise.reject(new Error('down')) : real.outbox(query)) })
    const life = await rig.live(flows, { meddle, worker: { pollMs: 1_000 } })
    const run = await life.runtime.start(parent, null, { id: 'p' })
    await untilStatus(run, 'waiting')
    await rig.advance(5_000)
    expect(life.lines.filter(({ message }) => message.startsWith('The outbox could not be read'))).toHaveLength(1)
    isDown = false
    await until(async () => {
      await rig.advance(1_000)
      return (await run.row()).waitingFor[0]?.name === 'close'
    }, 'its children have come and gone')
  })
})

const nothing = { items: [], next: undefined }
