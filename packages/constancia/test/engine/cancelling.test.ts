import { days, type FlowContext, flow, hours, type RunId } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { type Life, overStore } from './life.js'
import { drained, gate, kindsOf, Rig, rejection, stores, until, untilStatus } from './rig.js'

interface Scene {
  /** What happened in the world, in its order. */
  readonly effects: string[]
  /** Opened when the child is where the test wants it. */
  readonly there: ReturnType<typeof gate<void>>
}

const newScene = (): Scene => ({ effects: [], there: gate() })

/** A loop of effects that comes to a place where it stays, and a parent that cleans up after it. */
function flowsOf({ effects, there }: Scene, stay: (ctx: FlowContext, scene: Scene) => Promise<unknown>) {
  const child = flow({
    name: 'child',
    version: 1,
    retry: { attemptsMax: 9, delayMsFirst: hours(1), delayMsMax: hours(1) },
    async run(ctx) {
      for (let round = 0; round < 3; round += 1) {
        await ctx.step('effect', () => effects.push(`effect ${round}`))
        if (round === 1) await stay(ctx, { effects, there })
      }
    },
  })
  const parent = flow({
    name: 'parent',
    version: 1,
    async run(ctx) {
      try {
        await ctx.call(child, undefined)
        await ctx.step('never', () => effects.push('never'))
      } finally {
        await ctx.step('release', () => effects.push('release'))
      }
    },
  })
  return { parent, child }
}

const places: readonly (readonly [string, (ctx: FlowContext, scene: Scene) => Promise<unknown>])[] = [
  [
    'is in a step',
    (ctx, { effects, there }) =>
      ctx.step('works', async ({ signal }) => {
        there.open()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        effects.push('aborted')
      }),
  ],
  [
    'is asleep',
    async (ctx, { there }) => {
      there.open()
      await ctx.sleep(days(1))
    },
  ],
  [
    'waits for a signal',
    async (ctx, { there }) => {
      there.open()
      await ctx.signal('approved')
    },
  ],
  [
    'waits to try again',
    (ctx, { there }) =>
      ctx.step('fails', () => {
        there.open()
        throw new Error('not now')
      }),
  ],
]

const endsOf = (kinds: readonly string[]): string[] => kinds.filter((kind) => /^Flow(?!Started)/.test(kind))

describe.each(stores)('on %s', (store) => {
  test.each(places)(
    'C20 R-B8 a child that %s stops before its next effect, and its parent ends after its clean-up',
    async (place, stay) => {
      const rig = new Rig(store)
      const scene = newScene()
      const { parent, child } = flowsOf(scene, stay)
      const life = await rig.live([parent, child])
      const run = await life.runtime.start(parent, undefined, { id: 'p' })
      await scene.there.promise
      if (place !== 'is in a step') await untilStatus(life.runtime.run('p~0'), 'waiting')
      await run.cancel()
      expect(await rejection(run.result())).toMatchObject({ code: 'run_cancelled' })
      const aborted = place === 'is in a step' ? ['aborted'] : []
      expect([...scene.effects].sort()).toEqual([...aborted, 'effect 0', 'effect 1', 'release'])
      const kinds = await kindsOf(run)
      expect(kinds.at(-1)).toBe('FlowCancelled')
      expect(kinds).toEqual(expect.arrayContaining(['ChildCancelRequested', 'ChildEnded', 'StepCompleted']))
      expect(endsOf(await kindsOf(life.runtime.run('p~0')))).toEqual(['FlowCancelled'])
      // Whatever time passes, nothing of it begins anew.
      await rig.advance(2e9)
      expect(scene.effects.filter((effect) => effect !== 'aborted').length).toBe(3)
      expect(await kindsOf(run)).toEqual(kinds)
      expect((await life.runtime.outbox()).items).toEqual([])
    },
  )

  test('C20 R-B8 a child that no worker has taken yet begins nothing', async () => {
    const rig = new Rig(store)
    const scene = newScene()
    const { parent, child } = flowsOf(scene, async () => undefined)
    const alone = await rig.live([parent])
    const run = await alone.runtime.start(parent, undefined, { id: 'p' })
    await until(async () => (await alone.runtime.runs({ idPrefix: 'p~' })).items.length === 1, 'the child is there')
    await run.cancel()
    await until(async () => (await kindsOf(run)).includes('StepCompleted'), 'the clean-up is in the journal')
    // The end waits for the child, and the child for a worker.
    expect(endsOf(await kindsOf(run))).toEqual([])
    const both = await rig.succeed(alone, [parent, child])
    expect(await rejection(both.runtime.run('p').result())).toMatchObject({ code: 'run_cancelled' })
    expect(scene.effects).toEqual(['release'])
    expect(await kindsOf(both.runtime.run('p~0'))).toEqual(['FlowStarted', 'CancelRequested', 'FlowCancelled'])
  })

  test('C20 R-B8 a child that could not be started yet is started and ended, and begins nothing', async () => {
    const rig = new Rig(store)
    const scene = newScene()
    const { parent, child } = flowsOf(scene, async () => undefined)
    let isDown = true
    const meddle = (inner: Store): Store => {
      const create = inner.create.bind(inner)
      inner.create = async (request) => {
        if (isDown && request.settles !== undefined) throw new Error('the disk is full')
        return create(request)
      }
      return inner
    }
    const life = await rig.live([parent, child], { meddle })
    const run = await life.runtime.start(parent, undefined, { id: 'p' })
    await until(async () => (await run.row()).status === 'waiting', 'the parent waits')
    await run.cancel()
    await until(async () => (await kindsOf(run)).includes('StepCompleted'), 'the clean-up is in the journal')
    isDown = false
    const next = await rig.succeed(life, [parent, child])
    expect(await rejection(next.runtime.run('p').result())).toMatchObject({ code: 'run_cancelled' })
    expect(scene.effects).toEqual(['release'])
    expect(endsOf(await kindsOf(next.runtime.run('p~0')))).toEqual(['FlowCancelled'])
  })

  test('C20 R-B8 a child that is started when it is to end already begins nothing, however soon a worker takes it', async () => {
    const rig = new Rig(store)
    const scene = newScene()
    const { parent, child } = flowsOf(scene, async () => undefined)
    const first = await rig.live([parent, child], {
      meddle: (inner) =>
        overStore(inner, {
          create: (request) =>
            request.settles === undefined ? inner.create(request) : Promise.reject(new Error('the disk is full')),
        }),
    })
    const run = await first.runtime.start(parent, undefined, { id: 'p' })
    await untilStatus(run, 'waiting')
    await run.cancel()
    await until(async () => (await kindsOf(run)).includes('StepCompleted'), 'the clean-up is in the journal')
    // From now on whoever has a word for the child is slower than the worker that takes it.
    const isOver = async (id: RunId): Promise<boolean> => (await next.store.run(id))?.outcome !== 'open'
    const next: Life = await rig.succeed(first, [parent, child], {
      meddle: (inner) =>
        overStore(inner, {
          decide: async (request) => {
            const isForChild = request.run === 'p~0' && (await inner.run(request.run)) !== undefined
            if (isForChild) await until(() => isOver(request.run), 'the child is over')
            return inner.decide(request)
          },
        }),
    })
    expect(await rejection(next.runtime.run('p').result())).toMatchObject({ code: 'run_cancelled' })
    expect(scene.effects).toEqual(['release'])
    expect(await kindsOf(next.runtime.run('p~0'))).toEqual(['FlowStarted', 'CancelRequested', 'FlowCancelled'])
  })

  test('C19 R-B8 an outcome that comes to the journal too late, after the cancellation, is recorded nowhere', async () => {
    const rig = new Rig(store)
    const [asked, answer] = [gate(), gate()]
    const meddle = (inner: Store): Store => {
      const append = inner.append.bind(inner)
      inner.append = async (request) => {
        if (request.drafts.some(({ body }) => body.includes('"pay"'))) {
          asked.open()
          await answer.promise
        }
        return append(request)
      }
      return inner
    }
    const paying = flow({
      name: 'paying',
      version: 1,
      async run(ctx) {
        try {
          await ctx.step('pay', () => 'paid')
          await ctx.step('never', () => 'never')
        } finally {
          await ctx.step('release', () => 'released')
        }
      },
    })
    const life = await rig.live([paying], { meddle })
    const run = await life.runtime.start(paying, undefined, { id: 'r' })
    await asked.promise
    await run.cancel()
    answer.open()
    expect(await rejection(run.result())).toMatchObject({ code: 'run_cancelled' })
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'CancelRequested', 'StepCompleted', 'FlowCancelled'])
    expect((await run.events())[2]?.body).toContain('"release"')
  })

  test('C20 a clean-up that fails twice and then hangs meets its own limit, and is done once', async () => {
    const rig = new Rig(store)
    const attempts: string[] = []
    const cleaning = flow({
      name: 'cleaning',
      version: 1,
      retry: { attemptsMax: 4, delayMsFirst: 1_000, delayMsMax: 1_000 },
      async run(ctx) {
        try {
          await ctx.sleep(days(1))
        } finally {
          await ctx.step('release', ({ attempt }) => release(attempt), { timeoutMs: 5_000 })
        }
      },
    })
    const hung = gate()
    const release = (attempt: number): unknown => {
      attempts.push(`attempt ${attempt}`)
      if (attempt < 3) throw new Error('not now')
      if (attempt > 3) return attempts.push('released')
      hung.open()
      return new Promise(() => undefined)
    }
    const life = await rig.live([cleaning])
    const run = await life.runtime.start(cleaning, undefined, { id: 'r' })
    await untilStatus(run, 'waiting')
    await run.cancel()
    await rig.advance(3_000)
    await hung.promise
    await drained()
    expect(endsOf(await kindsOf(run))).toEqual([])
    await rig.advance(10_000)
    expect(await rejection(run.result())).toMatchObject({ code: 'run_cancelled' })
    expect(attempts).toEqual(['attempt 1', 'attempt 2', 'attempt 3', 'attempt 4', 'released'])
    expect((await kindsOf(run)).slice(2)).toEqual([
      'CancelRequested',
      'StepAttemptFailed',
      'StepAttemptFailed',
      'StepAttemptFailed',
      'StepCompleted',
      'FlowCancelled',
    ])
  })

  test.each([4, 5, 6, 7])(
    'C20 R-A7 a process that ends after event %i of a clean-up leaves the rest of it to the next',
    async (crashAfter) => {
      const rig = new Rig(store)
      const done: string[] = []
      const child = flow({ name: 'child', version: 1, run: (ctx) => ctx.sleep(days(1)) })
      const cleaning = flow({
        name: 'cleaning',
        version: 1,
        async run(ctx) {
          try {
            await ctx.call(child, undefined)
          } finally {
            for (const what of ['unlock', 'release', 'report']) await ctx.step(what, () => done.push(what))
          }
        },
      })
      const first = await rig.live([cleaning, child], { crashAfter })
      const run = await first.runtime.start(cleaning, undefined, { id: 'r' })
      await untilStatus(first.runtime.run('r~0'), 'waiting')
      await run.cancel()
      await until(() => first.dead, 'the process has ended')
      const second = await rig.succeed(first, [cleaning, child])
      const again = second.runtime.run('r')
      expect(await rejection(again.result())).toMatchObject({ code: 'run_cancelled' })
      const kinds = await kindsOf(again)
      expect(kinds.filter((kind) => kind === 'StepCompleted').length).toBe(3)
      expect(kinds.at(-1)).toBe('FlowCancelled')
      // What was in the journal did not happen again; what was under way may have.
      expect(done.length).toBeLessThanOrEqual(4)
      expect([...new Set(done)]).toEqual(['unlock', 'release', 'report'])
    },
  )
})
