import { type AttemptInfo, days, flow, hours, type RetryPolicy } from 'constancia'
import { describe, expect, test } from 'vitest'
import { retryDelayMs, retryPolicy } from '../../dist/engine/retry.js'
import { gate, kindsOf, Rig, stores, until, untilStatus } from './rig.js'

interface Tried {
  readonly times: number[]
  readonly attempts: AttemptInfo[]
}

/** A flow of one step that fails so often, with what the function makes of the attempt. */
function failing(rig: Rig, policy: Partial<RetryPolicy>, fail: (attempt: number) => unknown) {
  const tried: Tried = { times: [], attempts: [] }
  const tries = flow({
    name: 'tries',
    version: 1,
    run: (ctx) =>
      ctx.step(
        'try',
        (attempt) => {
          tried.times.push(rig.clock.now())
          tried.attempts.push(attempt)
          const failure = fail(attempt.attempt)
          if (failure !== undefined) throw failure
          return attempt.attempt
        },
        { retry: policy },
      ),
  })
  return { tries, tried }
}

const gaps = (times: readonly number[]): number[] => times.slice(1).map((time, index) => time - (times[index] ?? 0))

describe('the arithmetic of delays', () => {
  const policy = retryPolicy({ attemptsMax: 2_000, delayMsFirst: 1_000, factor: 100, delayMsMax: 30_000 })

  test.each([1, 2, 3, 24, 200, 1_100, 1_999])(
    'C13 R-B2 after attempt %i a delay is a whole number from 0 to the cap',
    (attempt) => {
      for (const fraction of [0, 0.3, 1 - 2 ** -48]) {
        const delayMs = retryDelayMs(policy, { attempt, fraction, retryAfterMs: undefined })
        expect(Number.isInteger(delayMs)).toBe(true)
        expect(delayMs).toBeGreaterThanOrEqual(attempt === 1 ? 800 : 24_000)
        expect(delayMs).toBeLessThanOrEqual(attempt === 1 ? 1_000 : 30_000)
      }
    },
  )

  test.each([
    { factor: 0 },
    { factor: 0.5 },
    { factor: Number.NaN },
    { factor: Infinity },
    { factor: -1 },
    { factor: '2' },
    { attemptsMax: 0 },
    { attemptsMax: 1.5 },
    { attemptsMax: Infinity },
    { attemptsMax: Number.NaN },
    { delayMsFirst: -1 },
    { delayMsFirst: Number.NaN },
    { delayMsMax: Infinity },
    { delayMsMax: '1000' },
    { retryAfterMsMax: 1e20 },
    { jitter: 1.1 },
    { jitter: -0.1 },
    { jitter: Number.NaN },
    { unless: 'never' },
  ])('C13 R-B2 a policy with %o is refused when it is declared, and names the field', (bad) => {
    const run = async (): Promise<number> => 1
    const [field] = Object.keys(bad)
    expect(() => flow({ name: 'bad', version: 1, retry: bad as never, run })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(field ?? '') }),
    )
  })

  test('C13 R-B2 factor 1, no first delay and no jitter are policies that make sense', () => {
    const even = retryPolicy({ factor: 1, jitter: 0, delayMsFirst: 500 })
    expect(
      [1, 9, 1_100].map((attempt) => retryDelayMs(even, { attempt, fraction: 0.5, retryAfterMs: undefined })),
    ).toEqual([500, 500, 500])
    const none = retryPolicy({ factor: 1_000_000, delayMsFirst: 0 })
    expect(retryDelayMs(none, { attempt: 1_100, fraction: 0.5, retryAfterMs: undefined })).toBe(0)
  })
})

describe.each(stores)('on %s', (store) => {
  test('C13 a bad policy of a step is refused at the call, can be caught, and executes nothing', async () => {
    const rig = new Rig(store)
    const { tries, tried } = failing(rig, { factor: 0 }, () => undefined)
    const life = await rig.live([tries])
    await expect((await life.runtime.start(tries, null)).result()).rejects.toMatchObject({
      cause: { code: 'invalid_option' },
    })
    expect(tried.times).toEqual([])
  })

  test('R-B2 attempts come after delays that grow by the factor up to the cap, less the jitter, and no more of them than declared', async () => {
    const rig = new Rig(store)
    const { tries, tried } = failing(
      rig,
      { attemptsMax: 6, delayMsFirst: 100, factor: 3, delayMsMax: 2_000, jitter: 0.5 },
      () => new Error('no'),
    )
    const life = await rig.live([tries])
    const run = await life.runtime.start(tries, null, { id: 'r' })
    expect((await rig.rest(run)).status).toBe('failed')
    const recorded = (await run.events())
      .filter(({ kind }) => kind === 'StepAttemptFailed')
      .map(({ body }) => JSON.parse(body).delayMs)
    expect(gaps(tried.times)).toEqual(recorded)
    for (const [index, most] of [100, 300, 900, 2_000, 2_000].entries()) {
      expect(recorded[index]).toBeLessThanOrEqual(most)
      expect(recorded[index]).toBeGreaterThanOrEqual(most / 2)
    }
    expect(new Set(recorded.slice(3)).size).toBe(2) // Jitter differs from attempt to attempt.
    expect(tried.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    const body = JSON.parse((await run.events()).find(({ kind }) => kind === 'StepFailed')?.body ?? '')
    expect(body).toMatchObject({ attempt: 6, reason: 'attempts_used_up' })
  })

  test('R-B2 R-A5 the count of attempts and the wait survive a crash in the middle of the wait, which is not begun anew', async () => {
    const rig = new Rig(store)
    const { tries, tried } = failing(
      rig,
      { attemptsMax: 3, delayMsFirst: hours(10), delayMsMax: days(1), factor: 1, jitter: 0 },
      () => new Error('no'),
    )
    let life = await rig.live([tries])
    const startedMs = rig.clock.now()
    const run = await life.runtime.start(tries, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    for (let crash = 0; crash < 3; crash += 1) {
      await rig.advance(hours(2))
      life = await rig.succeed(life, [tries])
    }
    expect((await rig.rest(life.runtime.run('r'))).status).toBe('failed')
    expect(tried.times).toEqual([startedMs, startedMs + hours(10), startedMs + hours(20)])
    expect(tried.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })

  test('R-B2 a crash in the middle of an attempt is no attempt: the count goes on where the journal has it', async () => {
    const rig = new Rig(store)
    const never = gate()
    const counts: number[] = []
    const hanging = flow({
      name: 'hanging',
      version: 1,
      run: (ctx) =>
        ctx.step('try', async ({ attempt }) => {
          counts.push(attempt)
          if (counts.length === 1) throw new Error('first')
          if (counts.length < 4) await never.promise
          return attempt
        }),
    })
    let life = await rig.live([hanging])
    await untilStatus(await life.runtime.start(hanging, null, { id: 'r' }), 'waiting')
    await rig.advance(1_000)
    for (const count of [2, 3]) {
      await until(() => counts.length === count, `attempt ${count} begins`)
      life = await rig.succeed(life, [hanging])
    }
    expect(await life.runtime.run('r').result()).toBe(2)
    expect(counts).toEqual([1, 2, 2, 2])
  })

  test('R-B2 errors for which the policy says so are not retried; a predicate that throws exempts nothing', async () => {
    const rig = new Rig(store)
    const exempt = failing(
      rig,
      { unless: (error) => (error as Error).message === 'declined' },
      (attempt) => new Error(attempt === 1 ? 'busy' : 'declined'),
    )
    const life = await rig.live([exempt.tries])
    const run = await life.runtime.start(exempt.tries, null, { id: 'r' })
    await rig.rest(run)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepAttemptFailed', 'StepFailed', 'FlowFailed'])
    expect(JSON.parse((await run.events())[2]?.body ?? '')).toMatchObject({ attempt: 2, reason: 'not_retried' })
    const other = new Rig(store)
    const throwing = failing(
      other,
      {
        attemptsMax: 2,
        unless: () => {
          throw new Error('bad predicate')
        },
      },
      () => new Error('no'),
    )
    const second = await other.live([throwing.tries])
    const failed = await second.runtime.start(throwing.tries, null)
    await other.rest(failed)
    expect(throwing.tried.attempts).toHaveLength(2)
  })

  test('R-B2 a flow declares how its steps are retried, and a step changes what it names', async () => {
    const rig = new Rig(store)
    const counts = { a: 0, b: 0 }
    const declared = flow({
      name: 'declared',
      version: 1,
      retry: { attemptsMax: 2, delayMsFirst: 1, jitter: 0 },
      async run(ctx) {
        const fail = (name: 'a' | 'b') => (): never => {
          counts[name] += 1
          throw new Error(name)
        }
        await ctx.step('a', fail('a')).catch(() => undefined)
        await ctx.step('b', fail('b'), { retry: { attemptsMax: 3 } }).catch(() => undefined)
      },
    })
    const life = await rig.live([declared])
    const startedMs = rig.clock.now()
    await rig.rest(await life.runtime.start(declared, null))
    expect(counts).toEqual({ a: 2, b: 3 })
    expect(rig.clock.now() - startedMs).toBe(1 + 1 + 2)
  })

  test('R-B2 an attempt that takes too long is aborted, counts as failed, and what it brings later is discarded', async () => {
    const rig = new Rig(store)
    const late = gate<string>()
    const aborted: unknown[] = []
    const begun: number[] = []
    const slow = flow({
      name: 'slow',
      version: 1,
      run: (ctx) =>
        ctx.step(
          'slow',
          ({ attempt, signal }) => {
            begun.push(attempt)
            signal.addEventListener('abort', () => aborted.push((signal.reason as { code: string }).code))
            return attempt === 1 ? late.promise : 'second'
          },
          { timeoutMs: 500, retry: { delayMsFirst: 1_000, jitter: 0 } },
        ),
    })
    const life = await rig.live([slow])
    const run = await life.runtime.start(slow, null)
    await until(() => begun.length === 1, 'it begins')
    await rig.advance(499)
    expect(aborted).toEqual([])
    await rig.advance(1)
    await untilStatus(run, 'waiting')
    expect(aborted).toEqual(['step_timeout'])
    late.open('first')
    await rig.advance(1_000)
    expect(await run.result()).toBe('second')
    const events = await run.events()
    expect(events.map(({ kind }) => kind)).toEqual([
      'FlowStarted',
      'StepAttemptFailed',
      'StepCompleted',
      'FlowCompleted',
    ])
    expect(JSON.parse(events[1]?.body ?? '')).toMatchObject({ code: 'step_timeout', attempt: 1 })
    expect(events[1]?.data).toContain('slow')
  })

  test.each(['value', 'failure'])(
    'R-B2 a late %s of an attempt that timed out is discarded while its run is still in memory, and beside the next attempt',
    async (what) => {
      const rig = new Rig(store)
      const late = [gate(), gate()]
      const attempts: number[] = []
      const beside = gate()
      const slow = flow({
        name: 'slow',
        version: 1,
        async run(ctx) {
          const other = ctx.step('beside', () => beside.promise)
          const tried = await ctx.step(
            'slow',
            async ({ attempt }) => {
              attempts.push(attempt)
              await late[attempt - 1]?.promise
              if (what === 'failure' && attempt === 1) throw new Error('late')
              return attempt
            },
            { timeoutMs: 500, retry: { delayMsFirst: 1_000, jitter: 0 } },
          )
          await other
          return tried
        },
      })
      const life = await rig.live([slow])
      const run = await life.runtime.start(slow, null)
      await until(() => attempts.length === 1, 'it begins')
      await rig.advance(500)
      if (what === 'value') late[0]?.open()
      await rig.advance(1_000)
      await until(() => attempts.length === 2, 'it begins again')
      late[0]?.open()
      await rig.advance(10)
      expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepAttemptFailed'])
      late[1]?.open()
      beside.open()
      expect(await run.result()).toBe(2)
      expect((await kindsOf(run)).filter((kind) => kind === 'StepAttemptFailed')).toHaveLength(1)
    },
  )

  test('R-B2 an attempt that times out for the last time fails its step with step_timeout, which the flow can catch', async () => {
    const rig = new Rig(store)
    let began = false
    const slow = flow({
      name: 'slow',
      version: 1,
      run: (ctx) =>
        ctx
          .step(
            'slow',
            () => {
              began = true
              return new Promise(() => undefined)
            },
            { timeoutMs: 100, retry: { attemptsMax: 1 } },
          )
          .catch((error: { code: string }) => error.code),
    })
    const life = await rig.live([slow])
    const run = await life.runtime.start(slow, null)
    await until(() => began, 'it begins')
    await rig.advance(100)
    expect(await run.result()).toBe('step_timeout')
  })
})
