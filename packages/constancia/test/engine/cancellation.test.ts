import { type ConstanciaError, type FlowContext, flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { drained, gate, kindsOf, Rig, rejection, stores, until, untilStatus } from './rig.js'

/** Waits in some way, and cleans up. */
const waiting = (wait: (ctx: FlowContext) => Promise<unknown>, cleaned: string[] = []) =>
  flow({
    name: 'waiting',
    version: 1,
    retry: { attemptsMax: 3, delayMsFirst: 1_000, delayMsMax: 1_000 },
    async run(ctx) {
      try {
        await wait(ctx)
        await ctx.step('after', () => cleaned.push('after'))
      } finally {
        await ctx.step('release', () => cleaned.push('release'))
      }
    },
  })

const fail = (): never => {
  throw new Error('not now')
}

const waits: readonly (readonly [string, (ctx: FlowContext) => Promise<unknown>])[] = [
  ['sleeps two seconds', (ctx) => ctx.sleep(2_000)],
  ['sleeps a day', (ctx) => ctx.sleep(86_400_000)],
  ['sleeps until a date', (ctx) => ctx.sleep(new Date(ctx.now() + 1e9))],
  ['waits for a signal', (ctx) => ctx.signal('go')],
  ['waits for a signal for a while', (ctx) => ctx.signal('go', undefined, { within: 5_000 })],
  ['waits to try again', (ctx) => ctx.step('fail', fail)],
]

describe.each(stores)('on %s', (store) => {
  test.each(waits)('C19 a run that %s is cancelled at once, and its clean-up runs', async (_, wait) => {
    const rig = new Rig(store)
    const cleaned: string[] = []
    const life = await rig.live([waiting(wait, cleaned)])
    const run = await life.runtime.start(life.runtime.flows[0] as never, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    expect(await run.cancel()).toBe('requested')
    expect(await rejection(run.result())).toMatchObject({ code: 'run_cancelled' })
    const kinds = await kindsOf(run)
    expect(kinds.slice(-3)).toEqual(['CancelRequested', 'StepCompleted', 'FlowCancelled'])
    expect(cleaned).toEqual(['release'])
    expect(await run.row()).toMatchObject({ status: 'cancelled', wakeAtMs: undefined, claim: undefined })
    await rig.advance(2e9)
    expect(await kindsOf(run)).toEqual(kinds)
  })

  test('C19 a second wish to cancel changes nothing, and one for a run that has ended or is unknown is refused', async () => {
    const rig = new Rig(store)
    const flows = [waiting((ctx) => ctx.signal('go'))]
    const life = await rig.live(flows, { worker: false })
    const run = await life.runtime.start(flows[0] as never, null, { id: 'r' })
    expect(await run.cancel()).toBe('requested')
    expect(await run.cancel()).toBe('duplicate')
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'CancelRequested'])
    await life.crash()
    const next = await rig.live(flows)
    await untilStatus(next.runtime.run('r'), 'cancelled')
    expect(await rejection(next.runtime.run('r').cancel())).toMatchObject({ code: 'run_ended' })
    expect(await rejection(next.runtime.run('s').cancel())).toMatchObject({ code: 'unknown_run' })
    expect((await kindsOf(next.runtime.run('r'))).at(-1)).toBe('FlowCancelled')
  })

  test('C20 an attempt under way is aborted, and what it still brings is recorded nowhere', async () => {
    const rig = new Rig(store)
    const blocked = gate<string>()
    let aborted: unknown
    const flows = [
      waiting((ctx) =>
        ctx.step('slow', ({ signal }) => {
          signal.addEventListener('abort', () => (aborted = signal.reason))
          return blocked.promise
        }),
      ),
    ]
    const life = await rig.live(flows)
    const run = await life.runtime.start(flows[0] as never, null, { id: 'r' })
    await untilStatus(run, 'running')
    await drained()
    await run.cancel()
    await untilStatus(run, 'cancelled')
    blocked.open('too late')
    await drained()
    expect(aborted).toMatchObject({ code: 'run_cancelled' })
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'CancelRequested', 'StepCompleted', 'FlowCancelled'])
  })

  test('C19 a run that was never claimed runs nothing but its clean-up', async () => {
    const rig = new Rig(store)
    const cleaned: string[] = []
    const flows = [waiting((ctx) => ctx.step('first', () => cleaned.push('first')), cleaned)]
    const idle = await rig.live(flows, { worker: false })
    const run = await idle.runtime.start(flows[0] as never, null, { id: 'r' })
    await run.cancel()
    const life = await rig.live(flows)
    await untilStatus(life.runtime.run('r'), 'cancelled')
    expect(cleaned).toEqual(['release'])
  })

  test('every op that was open is rejected, in one turn and with the same news; those asked later are not', async () => {
    const rig = new Rig(store)
    const flows = [
      flow({
        name: 'many',
        version: 1,
        async run(ctx) {
          const open = [ctx.sleep(1e9), ctx.signal('a'), ctx.signal('b', undefined, { within: 1e6 })]
          const news = (await Promise.allSettled(open)).map((one) => one.status === 'rejected' && one.reason.code)
          return await ctx.step('tell', () => news)
        },
      }),
    ]
    const life = await rig.live(flows)
    const run = await life.runtime.start(flows[0] as never, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    await run.cancel()
    await untilStatus(run, 'cancelled')
    const told = (await run.events()).find(({ kind }) => kind === 'StepCompleted')
    expect(told?.data).toBe('["run_cancelled","run_cancelled","run_cancelled"]')
  })

  test('C20 a clean-up that fails is told of by the end, which is cancelled all the same', async () => {
    const rig = new Rig(store)
    const flows = [
      flow({
        name: 'unclean',
        version: 1,
        async run(ctx) {
          try {
            await ctx.signal('go')
          } finally {
            await ctx.step('release', fail, { retry: { attemptsMax: 1 } })
          }
        },
      }),
    ]
    const life = await rig.live(flows)
    const run = await life.runtime.start(flows[0] as never, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    await run.cancel()
    await untilStatus(run, 'cancelled')
    const end = (await run.events()).at(-1)
    expect([end?.kind, end?.body]).toEqual(['FlowCancelled', '{"code":"error"}'])
    expect(end?.data).toContain('not now')
  })

  test('C20 a clean-up survives a crash in its middle, and each of its steps happens once', async () => {
    const rig = new Rig(store)
    const cleaned: string[] = []
    const flows = [
      flow({
        name: 'thorough',
        version: 1,
        async run(ctx) {
          try {
            await ctx.signal('go')
          } finally {
            await ctx.step('one', () => cleaned.push('one'))
            await ctx.sleep(1_000)
            await ctx.step('two', () => cleaned.push('two'))
          }
        },
      }),
    ]
    const first = await rig.live(flows)
    const run = await first.runtime.start(flows[0] as never, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    await run.cancel()
    await until(async () => (await kindsOf(run)).includes('TimerSet'), 'the clean-up sleeps')
    const second = await rig.succeed(first, flows)
    await untilStatus(second.runtime.run('r'), 'cancelled')
    expect(cleaned).toEqual(['one', 'two'])
  })

  test('force ends a run that is stuck, without its flow, and asks its children to end', async () => {
    const rig = new Rig(store)
    const leaf = flow({ name: 'leaf', version: 1, run: (ctx) => ctx.signal('never') })
    const before = flow({ name: 'parent', version: 1, run: (ctx) => ctx.call(leaf, null) })
    const after = flow({ name: 'parent', version: 1, run: (ctx) => ctx.signal('else') })
    const first = await rig.live([before, leaf])
    const run = await first.runtime.start(before, null, { id: 'p' })
    await untilStatus(first.runtime.run('p~0'), 'waiting')
    const second = await rig.succeed(first, [after, leaf])
    await second.runtime.run('p').signal('wake')
    await untilStatus(second.runtime.run('p'), 'stuck')
    expect(await second.runtime.run(run.id).cancel({ force: true })).toBe('requested')
    expect((await kindsOf(second.runtime.run('p'))).slice(-3)).toEqual([
      'CancelRequested',
      'ChildCancelRequested',
      'FlowCancelled',
    ])
    await untilStatus(second.runtime.run('p~0'), 'cancelled')
    await until(async () => (await second.runtime.outbox()).items.length === 0, 'the outbox is empty')
  })

  test('C20 force ends a run whose clean-up hangs, and its worker lets go of it', async () => {
    const rig = new Rig(store)
    let signal: AbortSignal | undefined
    const flows = [
      flow({
        name: 'hanging',
        version: 1,
        run: (ctx) =>
          ctx.step('hang', (attempt) => {
            signal = attempt.signal
            return new Promise(() => undefined)
          }),
      }),
    ]
    const life = await rig.live(flows)
    const run = await life.runtime.start(flows[0] as never, null, { id: 'r' })
    await until(() => signal !== undefined, 'the step hangs')
    await run.cancel({ force: true })
    expect((await rejection(run.result())).code).toBe('run_cancelled')
    await until(() => signal?.aborted === true, 'its attempt is aborted')
    expect((await run.events()).at(-1)?.body).toBe('{"forced":true}')
  })

  test('a cancellation that comes first decides how the run ends, although its flow has returned', async () => {
    const rig = new Rig(store)
    const blocked = gate()
    const flows = [
      flow({ name: 'quick', version: 1, run: async (ctx) => void ctx.step('late', () => blocked.promise) }),
    ]
    const life = await rig.live(flows)
    const run = await life.runtime.start(flows[0] as never, null, { id: 'r' })
    await untilStatus(run, 'running')
    await drained()
    await run.cancel()
    await untilStatus(run, 'cancelled')
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'CancelRequested', 'FlowCancelled'])
    blocked.open()
  })

  test('a reason or an author that makes no sense is refused, and nothing was done', async () => {
    const rig = new Rig(store)
    const flows = [waiting((ctx) => ctx.signal('go'))]
    const life = await rig.live(flows, { worker: false })
    const run = await life.runtime.start(flows[0] as never, null, { id: 'r' })
    const codes = await Promise.all(
      [{ reason: 'x'.repeat(1_001) }, { reason: 5 as never }, { by: 'a b' }].map(
        async (options) => ((await rejection(run.cancel(options))) as ConstanciaError).code,
      ),
    )
    expect(codes).toEqual(['invalid_option', 'invalid_option', 'invalid_id'])
    expect(await kindsOf(run)).toEqual(['FlowStarted'])
  })
})
