import { flow } from 'constancia'
import { factsOf } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, rejection, stores, until, untilStatus } from './rig.js'

const mebibyte = 1024 * 1024

/** Texts whose JSON has so many bytes, in ASCII and in characters of two, three and four bytes. */
const fills: readonly (readonly [string, (bytes: number) => string])[] = [
  ['ASCII', (bytes) => 'x'.repeat(bytes - 2)],
  ['ñ, two bytes', (bytes) => 'ñ'.repeat((bytes - 2) >> 1) + 'x'.repeat((bytes - 2) % 2)],
  ['文, three bytes', (bytes) => '文'.repeat(Math.floor((bytes - 2) / 3)) + 'x'.repeat((bytes - 2) % 3)],
  ['😀, four bytes', (bytes) => '😀'.repeat((bytes - 2) >> 2) + 'x'.repeat((bytes - 2) % 4)],
]

/** Texts that are too large: by one byte, and by far. */
const overs: readonly (readonly [string, string])[] = [
  ...fills.map(([name, fill]) => [name, fill(mebibyte + 1)] as const),
  ['20 MB', 'x'.repeat(20 * mebibyte)],
]

const tooLarge = { code: 'value_too_large', details: { limit: mebibyte } }

describe.each(stores)('on %s', (store) => {
  test.each(fills)(
    'C38 R-B11 an input, a result, a signal and an output of exactly the limit are kept, counted in bytes: %s',
    async (_name, fill) => {
      const rig = new Rig(store)
      const text = fill(mebibyte)
      expect(Buffer.byteLength(JSON.stringify(text))).toBe(mebibyte)
      const whole = flow({
        name: 'whole',
        version: 1,
        async run(ctx, input: string) {
          const same = (await ctx.step('make', () => text)) === input && (await ctx.signal<string>('text')) === input
          return same ? input : 'changed'
        },
      })
      const life = await rig.live([whole])
      const run = await life.runtime.start(whole, text)
      await run.signal('text', text)
      expect((await run.result()) === text).toBe(true)
    },
  )

  test.each(fills)(
    'C38 R-B11 one byte over the limit is refused at the call, with size and limit, and nothing is stored: %s',
    async (_name, fill) => {
      const rig = new Rig(store)
      const text = fill(mebibyte + 1)
      const calls: number[] = []
      const large = flow({
        name: 'large',
        version: 1,
        async run(ctx, _input: string) {
          const refusal = await ctx
            .step('make', () => {
              calls.push(1)
              return text
            })
            .catch((error: { code: string; details: unknown }) => error)
          const { code, details } = refusal as { code: string; details: unknown }
          await ctx.signal('go')
          if (code !== 'value_too_large') throw new Error('not refused')
          return [details, text]
        },
      })
      const life = await rig.live([large])
      await expect(life.runtime.start(large, text, { id: 'never' })).rejects.toMatchObject(tooLarge)
      await expect(life.runtime.run('never').row()).rejects.toMatchObject({ code: 'unknown_run' })
      const run = await life.runtime.start(large, '', { id: 'r' })
      await untilStatus(run, 'waiting')
      await expect(run.signal('go', text)).rejects.toMatchObject(tooLarge)
      await run.signal('go')
      const failure = await rejection(run.result())
      expect(failure).toMatchObject({ code: 'run_failed', cause: tooLarge })
      expect(calls).toHaveLength(1)
      const events = await run.events()
      expect(events.map(({ kind }) => kind)).toEqual(['FlowStarted', 'StepFailed', 'SignalReceived', 'FlowFailed'])
      expect(JSON.parse(events[1]?.body ?? '')).toMatchObject({ reason: 'result_not_kept', code: 'value_too_large' })
    },
  )

  test('C38 R-B11 20 MB of anything is refused once and quickly, and the run ends as its flow says', async () => {
    const rig = new Rig(store)
    const huge = 'x'.repeat(20 * mebibyte)
    const bytes = new Uint8Array(20 * mebibyte)
    const large = flow({
      name: 'large',
      version: 1,
      async run(ctx) {
        const codes: string[] = []
        for (const value of [huge, bytes, [huge], new Map([['k', bytes]])]) {
          codes.push(
            await ctx
              .step('make', () => value)
              .then(
                () => 'kept',
                (error: { code: string }) => error.code,
              ),
          )
        }
        codes.push(
          await ctx
            .step('fail', () => Promise.reject(new Error(huge)), { retry: { attemptsMax: 1 } })
            .catch((error: Error) => (error.message.length < mebibyte ? 'cut' : 'whole')),
        )
        codes.push(
          await ctx
            .step(huge, () => 1)
            .then(
              () => 'kept',
              (error: { code: string }) => error.code,
            ),
        )
        return codes
      },
    })
    const life = await rig.live([large])
    const run = await life.runtime.start(large, null)
    await expect(run.signal('s', huge)).rejects.toMatchObject(tooLarge)
    await expect(run.signal(huge)).rejects.toMatchObject({ code: 'invalid_option' })
    expect(await run.result()).toEqual([...Array(4).fill('value_too_large'), 'cut', 'invalid_option'])
    for (const { body, data } of await run.events()) {
      expect(Buffer.byteLength(body)).toBeLessThan(1_000)
      expect(Buffer.byteLength(data ?? '')).toBeLessThanOrEqual(mebibyte)
    }
  })

  test.each(fills)(
    'C38 R-B11 the input of a child and of a run that takes over may be of exactly the limit, counted in bytes: %s',
    async (_name, fill) => {
      const rig = new Rig(store)
      const text = fill(mebibyte)
      const child = flow({ name: 'child', version: 1, run: async (_ctx, input: string) => input === text })
      const parent = flow({
        name: 'parent',
        version: 1,
        async run(ctx, input: string) {
          if (input === text) return 'both came whole'
          return (await ctx.call(child, text)) ? ctx.continueAsNew(text) : 'changed'
        },
      })
      const life = await rig.live([parent, child])
      expect(await (await life.runtime.start(parent, '')).result()).toBe('both came whole')
    },
  )

  test.each(overs)(
    'C38 R-B11 what is larger is refused at the call, where the flow can catch it; no child and no new run starts: %s',
    async (_name, text) => {
      const rig = new Rig(store)
      const refusals: unknown[] = []
      const child = flow({ name: 'child', version: 1, run: async (_ctx, _input: string) => 'ran' })
      const parent = flow({
        name: 'parent',
        version: 1,
        async run(ctx) {
          await ctx.call(child, text).catch((error: unknown) => refusals.push(error))
          try {
            return ctx.continueAsNew(text)
          } catch (error) {
            refusals.push(error)
          }
          return ctx.step('goes on', () => 'went on')
        },
      })
      const life = await rig.live([parent, child])
      const run = await life.runtime.start(parent, null)
      expect(await run.result()).toBe('went on')
      expect(refusals).toMatchObject([tooLarge, tooLarge])
      expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepCompleted', 'FlowCompleted'])
      expect((await life.runtime.runs()).items.map(({ id }) => id)).toEqual([run.id])
    },
  )

  test('C38 R-B11 20 MB as an input are refused before anything is stored; as an output or an error they fail the run, once', async () => {
    const rig = new Rig(store)
    const huge = '文'.repeat((20 * mebibyte) / 3)
    const bodies: string[] = []
    const ending = flow({
      name: 'ending',
      version: 1,
      async run(_ctx, how: string) {
        bodies.push(how)
        if (how === 'fails') throw new Error(huge)
        return huge
      },
    })
    const life = await rig.live([ending])
    await expect(life.runtime.start(ending, huge, { id: 'never' })).rejects.toMatchObject(tooLarge)
    await expect(life.runtime.run('never').row()).rejects.toMatchObject({ code: 'unknown_run' })
    const returning = await life.runtime.start(ending, 'returns')
    expect(await rejection(returning.result())).toMatchObject({ code: 'run_failed', cause: tooLarge })
    const failing = await life.runtime.start(ending, 'fails')
    const failure = (await rejection(failing.result())) as unknown as { readonly cause: Error }
    expect(huge.startsWith(failure.cause.message.slice(0, 100))).toBe(true)
    expect(bodies).toEqual(['returns', 'fails'])
    for (const run of [returning, failing]) {
      const events = await run.events()
      expect(events.map(({ kind }) => kind)).toEqual(['FlowStarted', 'FlowFailed'])
      for (const { data } of events) expect(Buffer.byteLength(data ?? '')).toBeLessThanOrEqual(mebibyte)
    }
  })

  test('C38 R-B11 the reason of a cancellation is bounded before anything is written, and the run can be cancelled all the same', async () => {
    const rig = new Rig(store)
    const waiting = flow({ name: 'waiting', version: 1, run: (ctx) => ctx.signal('never') })
    const life = await rig.live([waiting])
    for (const force of [false, true]) {
      const run = await life.runtime.start(waiting, null)
      await untilStatus(run, 'waiting')
      for (const reason of ['x'.repeat(20 * mebibyte), '文'.repeat(1_001), 5 as never])
        await expect(run.cancel({ reason, force })).rejects.toMatchObject({ code: 'invalid_option' })
      expect(await kindsOf(run)).toEqual(['FlowStarted'])
      await run.cancel({ reason: '文'.repeat(1_000), force })
      expect(await rejection(run.result())).toMatchObject({ code: 'run_cancelled' })
      expect((await run.events())[1]?.data).toBe(JSON.stringify('文'.repeat(1_000)))
    }
  })

  test('C38 R-B11 a run whose journal is as long as it may be can be cancelled, and its clean-up runs; or ended by force', async () => {
    const rig = new Rig(store)
    const cleaned: string[] = []
    const long = flow({
      name: 'long',
      version: 1,
      async run(ctx) {
        try {
          for (let i = 0; i < 20; i += 1) await ctx.step(`step ${i}`, () => i)
        } finally {
          for (let i = 0; i < 3; i += 1) await ctx.step(`clean up ${i}`, () => void cleaned.push(`${ctx.runId} ${i}`))
        }
      },
    })
    const life = await rig.live([long], { limits: { eventCountMax: 10 } })
    const [gently, byForce] = [
      await life.runtime.start(long, null, { id: 'gently' }),
      await life.runtime.start(long, null, { id: 'by-force' }),
    ]
    for (const run of [gently, byForce]) await untilStatus(run, 'stuck')
    expect(await gently.cancel()).toBe('requested')
    expect(await rejection(gently.result())).toMatchObject({ code: 'run_cancelled' })
    expect(cleaned).toEqual(['gently 0', 'gently 1', 'gently 2'])
    expect((await kindsOf(gently)).slice(10)).toEqual([
      'CancelRequested',
      ...Array(3).fill('StepCompleted'),
      'FlowCancelled',
    ])
    await byForce.cancel({ force: true })
    expect((await kindsOf(byForce)).slice(10)).toEqual(['CancelRequested', 'FlowCancelled'])
    expect(cleaned).toHaveLength(3)
  })

  test('C38 R-B11 the note of a retry is bounded before anything is written, and a stuck run can be retried without one', async () => {
    const rig = new Rig(store)
    let isRepaired = false
    const stuck = flow({
      name: 'stuck',
      version: 1,
      run: async () => (isRepaired ? 'done' : new Promise(() => undefined)),
    })
    const life = await rig.live([stuck])
    const run = await life.runtime.start(stuck, null)
    await untilStatus(run, 'stuck')
    await expect(run.retry('x'.repeat(20 * mebibyte))).rejects.toMatchObject({ code: 'invalid_option' })
    await expect(run.retry(5 as never)).rejects.toMatchObject({ code: 'invalid_option' })
    expect(await kindsOf(run)).toEqual(['FlowStarted'])
    isRepaired = true
    await run.retry('ñ'.repeat(1_000))
    expect(await run.result()).toBe('done')
  })

  test('R-B11 nesting deeper than the limit is refused at the call, with its path', async () => {
    const rig = new Rig(store)
    const nested = (levels: number): unknown => {
      let value: unknown = 1
      for (let i = 0; i < levels; i += 1) value = [value]
      return value
    }
    const deep = flow({ name: 'deep', version: 1, run: async (_ctx, input: unknown) => input })
    const life = await rig.live([deep], { limits: { depthMax: 10 } })
    await expect((await life.runtime.start(deep, nested(10))).result()).resolves.toEqual(nested(10))
    await expect(life.runtime.start(deep, nested(11))).rejects.toMatchObject({
      code: 'value_too_large',
      details: { limit: 10 },
    })
    await expect(life.runtime.start(deep, nested(20_000))).rejects.toMatchObject({ code: 'value_too_large' })
  })

  test('R-B11 a run whose journal is as long as it may be is parked with history_too_long, executes nothing more, and a retry under a higher limit goes on', async () => {
    const rig = new Rig(store)
    const executed: number[] = []
    const long = flow({
      name: 'long',
      version: 1,
      async run(ctx) {
        for (let i = 0; i < 20; i += 1) await ctx.step(`step ${i}`, () => executed.push(i))
        return executed.length
      },
    })
    const limits = { eventCountWarn: 5, eventCountMax: 10 }
    const life = await rig.live([long], { limits })
    const run = await life.runtime.start(long, null, { id: 'r' })
    await untilStatus(run, 'stuck')
    expect((await run.row()).stuck).toMatchObject({
      code: 'history_too_long',
      message: expect.stringContaining('eventCountMax'),
    })
    expect(await run.events()).toHaveLength(10)
    expect(executed).toHaveLength(9)
    expect(life.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    expect(life.lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({ eventCount: 5, eventCountMax: 10 })
    await expect(run.signal('word')).rejects.toMatchObject({ code: 'too_many_signals' })
    await run.retry('in vain')
    await until(
      async () => (await run.row()).stuck !== undefined && (await run.events()).length === 11,
      'it is parked again',
    )
    expect(executed).toHaveLength(9)
    const facts = factsOf(await run.events())
    const next = await rig.succeed(life, [long], { limits: { eventCountMax: 100 } })
    const raised = next.runtime.run('r')
    await raised.retry('the limit is raised')
    expect(await raised.result()).toBe(20)
    expect(executed).toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(factsOf(await raised.events()).slice(0, facts.length)).toEqual(facts)
  })

  test('R-B11 a flow that ends with its last allowed event ends, and is not parked', async () => {
    const rig = new Rig(store)
    const exact = flow({
      name: 'exact',
      version: 1,
      run: async (ctx) => (await ctx.step('a', () => 1)) + (await ctx.step('b', () => 1)),
    })
    const life = await rig.live([exact], { limits: { eventCountMax: 3 } })
    expect(await (await life.runtime.start(exact, null)).result()).toBe(2)
  })
})
