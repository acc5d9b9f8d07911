import { flow, hours } from 'constancia'
import { describe, expect, test } from 'vitest'
import { parseRetryAfter, retryAfterMs } from '../../dist/engine/retry-after.js'
import { Rig, stores, untilStatus } from './rig.js'

const nowMs = Date.UTC(2026, 0, 1)
const date = (ms: number): string => new Date(nowMs + ms).toUTCString()
const tooMany = (fields: object): Error => Object.assign(new Error('429'), fields)

/** What a destination asks for, and how long the wait is under a policy of 250 ms without jitter. */
const asked: readonly (readonly [string, unknown, number])[] = [
  ['60 s in a header', tooMany({ headers: { 'retry-after': '60' } }), 60_000],
  ['60 s in a header of another case', tooMany({ headers: { 'Retry-After': '60' } }), 60_000],
  ['60 s in Headers', tooMany({ headers: new Headers({ 'retry-after': '60' }) }), 60_000],
  [
    '60 s in the response of an HTTP client',
    tooMany({ response: { status: 429, headers: new Headers({ 'retry-after': '60' }) } }),
    60_000,
  ],
  ['60 s in responseHeaders', tooMany({ responseHeaders: { 'retry-after': '60' } }), 60_000],
  ['60 s as a field', tooMany({ retryAfter: 60 }), 60_000],
  ['milliseconds as a field', tooMany({ retryAfterMs: 60_500 }), 60_500],
  ['60 s on what caused the error', new Error('outer', { cause: tooMany({ retryAfter: '60' }) }), 60_000],
  ['an HTTP date', tooMany({ headers: { 'retry-after': date(90_000) } }), 90_000],
  ['a Date', tooMany({ retryAfter: new Date(nowMs + 90_000) }), 90_000],
  ['a date in the past', tooMany({ headers: { 'retry-after': date(-90_000) } }), 250],
  ['less than the policy', tooMany({ retryAfterMs: 3 }), 250],
  ['nothing at all', tooMany({}), 250],
  ['ten years', tooMany({ headers: { 'retry-after': String(10 * 365 * 86_400) } }), hours(1)],
  ['a date in ten years', tooMany({ headers: { 'retry-after': date(10 * 365 * 86_400_000) } }), hours(1)],
]

const nonsense: readonly unknown[] = [
  '',
  'soon',
  '-5',
  '1e3',
  '12.5',
  '0x10',
  '9'.repeat(400),
  Number.NaN,
  Infinity,
  -Infinity,
  -1,
  null,
  true,
  {},
  [],
  60n,
  new Date(Number.NaN),
  'Foo, 99 Bar 2026 99:99:99 GMT',
  '60 seconds',
  '\u0661',
]

describe('what is read of an error', () => {
  test.each(nonsense.map((one) => [one] as const))('C13 R-B2 %o asks for nothing', (value) => {
    expect(parseRetryAfter(value, nowMs)).toBeUndefined()
    expect(retryAfterMs(tooMany({ retryAfter: value, headers: { 'retry-after': value } }), nowMs)).toBeUndefined()
  })

  test('C13 an error that is no object, throws when it is looked at, or goes round in circles asks for nothing', () => {
    const round = tooMany({})
    Object.assign(round, { cause: round })
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trapped')
        },
      },
    )
    for (const error of [undefined, null, 'text', 5, Symbol('s'), round, trap, new Error('x', { cause: trap })]) {
      expect(retryAfterMs(error, nowMs)).toBeUndefined()
    }
  })
})

describe.each(stores)('on %s', (store) => {
  test.each(asked)(
    'C13 R-B2 a destination that asks for %s waits so long, and no crash begins the wait anew',
    async (_name, error, expectedMs) => {
      const rig = new Rig(store)
      const times: number[] = []
      const limited = flow({
        name: 'limited',
        version: 1,
        retry: { attemptsMax: 3, delayMsFirst: 250, jitter: 0, factor: 1 },
        run: (ctx) =>
          ctx.step('call', () => {
            times.push(rig.clock.now())
            if (times.length === 1) throw error
            return 'ok'
          }),
      })
      expect(rig.clock.now()).toBe(nowMs)
      const life = await rig.live([limited])
      await untilStatus(await life.runtime.start(limited, null, { id: 'r' }), 'waiting')
      expect((await life.runtime.run('r').row()).wakeAtMs).toBe(nowMs + expectedMs)
      await life.crash()
      const next = await rig.live([limited])
      await rig.rest(next.runtime.run('r'))
      expect(await next.runtime.run('r').result()).toBe('ok')
      expect(times).toEqual([nowMs, nowMs + expectedMs])
    },
  )

  test('C13 R-B2 the ceiling for what a destination asks is declared, and refused where it makes no sense', async () => {
    const rig = new Rig(store)
    const capped = flow({
      name: 'capped',
      version: 1,
      retry: { attemptsMax: 2, delayMsFirst: 250, jitter: 0, retryAfterMsMax: 5_000 },
      run: (ctx) => ctx.step('call', () => Promise.reject(tooMany({ retryAfter: 60 }))),
    })
    const life = await rig.live([capped])
    const run = await life.runtime.start(capped, null)
    await untilStatus(run, 'waiting')
    expect((await run.row()).wakeAtMs).toBe(nowMs + 5_000)
  })
})
