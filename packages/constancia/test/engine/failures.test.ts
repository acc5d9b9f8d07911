import { setTimeout as pause } from 'node:timers/promises'
import { type FlowContext, flow, type Run } from 'constancia'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Append, Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { Rig, stores, until, untilStatus } from './rig.js'

class Refused extends RangeError {
  readonly code = 'E_REFUSED'
}

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})

afterEach(() => {
  process.off('unhandledRejection', note)
})

type Await = (failing: Promise<unknown>, slow: Promise<unknown>, ctx: FlowContext) => Promise<unknown>

const tell = (error: unknown): string => {
  const { name, message, code } = error as Refused
  return `${name} ${message} ${code} ${error instanceof RangeError}`
}

const ways: readonly (readonly [string, Await, unknown])[] = [
  [
    'allSettled',
    async (failing, slow) =>
      (await Promise.allSettled([failing, slow])).map((one) =>
        one.status === 'rejected' ? tell(one.reason) : one.value,
      ),
    ['Refused no E_REFUSED true', 'slow'],
  ],
  ['all in try-catch', (failing, slow) => Promise.all([failing, slow]).catch(tell), 'Refused no E_REFUSED true'],
  ['any', (failing, slow) => Promise.any([failing, slow]), 'slow'],
  ['the slow one alone, the failing one never', (_failing, slow) => slow, 'slow'],
  [
    'one after the other, the slow one first',
    async (failing, slow) => [await slow, await failing.catch(tell)],
    ['slow', 'Refused no E_REFUSED true'],
  ],
]

/** Starts a step that fails and a slow one, sleeps so long that the run is suspended, and only then awaits them. */
function handlingLate(how: Await, seen: unknown[], inBranch: boolean) {
  return flow({
    name: 'handling-late',
    version: 1,
    async run(ctx) {
      const options = { retry: { attemptsMax: 1 } }
      const fail = (branch: FlowContext): Promise<never> =>
        branch.step('fails', () => Promise.reject(new Refused('no')), options)
      const failing = inBranch ? ctx.parallel([fail]).then(([only]) => only) : fail(ctx)
      const slow = ctx.step('slow', () => pause(20).then(() => 'slow'))
      await ctx.sleep(1_000)
      const result = await how(failing, slow, ctx)
      seen.push(result)
      await ctx.sleep(1_000)
      return result
    },
  })
}

describe.each(stores)('on %s', (store) => {
  describe.each([false, true])('in a branch: %s', (inBranch) => {
    test.each(ways)(
      'C04 R-A5 a failure that is handled late is no unhandled rejection, live or on replay, and the same error: %s',
      async (_name, how, expected) => {
        const rig = new Rig(store)
        const seen: unknown[] = []
        const handling = handlingLate(how, seen, inBranch)
        const other = flow({
          name: 'other',
          version: 1,
          run: async (ctx, n: number) => n + (await ctx.step('one', () => 1)),
        })
        const life = await rig.live([handling, other])
        const run = await life.runtime.start(handling, null, { id: 'r' })
        const others: Run<number>[] = []
        for (let n = 0; n < 20; n += 1) others.push(await life.runtime.start(other, n))
        await until(async () => (await run.row()).waitingFor.some(({ kind }) => kind === 'timer'), 'it sleeps')
        const next = await rig.succeed(life, [handling, other])
        const resumed = next.runtime.run('r')
        expect((await rig.rest(resumed)).status).toBe('completed')
        expect(await resumed.result()).toEqual(expected)
        expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(expected)]))
        for (const [n, one] of others.entries()) expect(await next.runtime.run(one.id).result()).toBe(n + 1)
        expect(unhandled).toEqual([])
      },
    )
  })

  test('C04 a store that fails under a step nobody awaits brings down neither the process nor other runs, and the run goes on', async () => {
    const rig = new Rig(store)
    let failCount = 0
    const meddle = (real: Store): Store =>
      overStore(real, {
        async append(request: Append) {
          const isIt = request.drafts.some(({ body }) => body.includes('"forgotten"'))
          if (!isIt || failCount === 1) return real.append(request)
          failCount += 1
          throw new Error('the disk did not answer')
        },
      })
    const forgetting = flow({
      name: 'forgetting',
      version: 1,
      async run(ctx) {
        void ctx.step('forgotten', () => 1)
        return ctx.step('awaited', () => pause(5).then(() => 2))
      },
    })
    const other = flow({
      name: 'other',
      version: 1,
      run: async (ctx, n: number) => n + (await ctx.step('one', () => 1)),
    })
    const life = await rig.live([forgetting, other], { meddle })
    const run = await life.runtime.start(forgetting, null, { id: 'r' })
    const others: Run<number>[] = []
    for (let n = 0; n < 20; n += 1) others.push(await life.runtime.start(other, n))
    await until(() => failCount === 1, 'the store fails once')
    await rig.advance(120_000)
    expect(await run.result()).toBe(2)
    for (const [n, one] of others.entries()) expect([await one.result(), (await one.row()).epoch]).toEqual([n + 1, 1])
    expect(unhandled).toEqual([])
    expect(life.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  })

  test('C04 steps that failed and that nobody ever awaited are named in the end event and in the log, in the same order after a crash', async () => {
    const names: unknown[] = []
    for (const crashes of [false, true]) {
      const rig = new Rig(store)
      const careless = flow({
        name: 'careless',
        version: 1,
        retry: { attemptsMax: 1 },
        async run(ctx) {
          const fail = (ms: number) => () => pause(ms).then(() => Promise.reject(new Error('no')))
          void ctx.step('late', fail(15))
          void ctx.step('early', fail(1))
          ctx.step('handled', fail(1)).catch(() => undefined)
          void ctx.step('fine', () => 1)
          return 'done'
        },
      })
      let life = await rig.live([careless], crashes ? { crashAfter: 5 } : {})
      await life.runtime.start(careless, null, { id: 'r' })
      if (crashes) {
        await until(() => life.dead, 'it crashes')
        life = await rig.succeed(life, [careless])
      }
      const run = life.runtime.run('r')
      expect(await run.result()).toBe('done')
      const end = (await run.events()).at(-1)
      names.push(JSON.parse(end?.body ?? ''))
      const warning = life.lines.find(({ level, message }) => level === 'warn' && message.includes('ever awaiting'))
      expect(warning?.fields).toMatchObject({ run: 'r' })
    }
    expect(names[0]).toEqual({ unawaited: ['1', '0'] })
    expect(names[1]).toEqual(names[0])
  })

  test('C04 a flow that fails ends its run with its error, and the process goes on', async () => {
    const rig = new Rig(store)
    const failing = flow({
      name: 'failing',
      version: 1,
      run: (ctx) => ctx.step('a', () => 1).then(() => Promise.reject(new Refused('no'))),
    })
    const life = await rig.live([failing])
    const run = await life.runtime.start(failing, null)
    await expect(run.result()).rejects.toMatchObject({
      code: 'run_failed',
      details: { code: 'error' },
      cause: { name: 'Refused', message: 'no', code: 'E_REFUSED' },
    })
    await untilStatus(run, 'failed')
    expect(unhandled).toEqual([])
  })

  test('C04 a flow that throws before its first word fails its run, and so does one that is no async function', async () => {
    const rig = new Rig(store)
    const throwing = flow({
      name: 'throwing',
      version: 1,
      run: () => {
        throw new Refused('at once')
      },
    })
    const life = await rig.live([throwing])
    const run = await life.runtime.start(throwing, null)
    await expect(run.result()).rejects.toMatchObject({ code: 'run_failed', cause: { message: 'at once' } })
    expect(unhandled).toEqual([])
  })
})
