import { flow } from 'constancia'
import { factsOf } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import { same } from '../journal/same.js'
import { kindsOf, Rig, rejection, stores, until } from './rig.js'

const sparse = (): unknown[] => {
  const holes: unknown[] = [1, undefined, 3]
  delete holes[1]
  return holes
}

/** Values that look like others once somebody has written them as JSON. */
const values: Record<string, () => unknown> = {
  date: () => new Date(1_700_000_000_123),
  'invalid date': () => new Date(Number.NaN),
  bigint: () => 2n ** 70n,
  map: () =>
    new Map<unknown, unknown>([
      [{ a: 1 }, 'x'],
      [Number.NaN, -0],
    ]),
  set: () => new Set([1, '1', undefined]),
  'undefined alone': () => undefined,
  'undefined in a field': () => ({ a: undefined, b: 1 }),
  'undefined in an array': () => [1, undefined, 2],
  NaN: () => Number.NaN,
  '-0': () => -0,
  infinity: () => Infinity,
  '-infinity': () => -Infinity,
  bytes: () => new Uint8Array([0, 255, 128]),
  buffer: () => Buffer.from('año'),
  sparse,
  'without prototype': () => Object.assign(Object.create(null), { a: 1 }),
  '__proto__ as a key': () => JSON.parse('{"__proto__":{"a":1}}'),
  'half a surrogate and U+0000': () => '\ud83d\0',
  'error with a cause': () => Object.assign(new RangeError('no', { cause: new TypeError('deep') }), { code: 'E' }),
  null: () => null,
  nested: () => ({ list: [new Map([['k', [new Date(0), 1n, new Set([-0])]]])] }),
}

describe.each(stores)('on %s', (store) => {
  test('C07 R-B10 every kind of value has the same type and content live and after a crash, wherever it passes the journal', async () => {
    const rig = new Rig(store)
    const seen: unknown[][] = []
    const keeping = flow({
      name: 'keeping',
      version: 1,
      async run(ctx, input: unknown) {
        const results: unknown[] = [input]
        for (const [name, make] of Object.entries(values)) results.push(await ctx.step(name, make))
        results.push(await ctx.signal('word'))
        seen.push(results)
        await ctx.step('crash here', () => 1)
        return results
      },
    })
    const all = Object.values(values).map((make) => make())
    const expected = [all, ...all, all]
    const life = await rig.live([keeping], { crashAfter: all.length + 3 })
    const run = await life.runtime.start(keeping, all, { id: 'r' })
    await run.signal('word', all)
    await until(() => life.dead, 'it crashes')
    const next = await rig.succeed(life, [keeping])
    const output = await next.runtime.run('r').result()
    expect(seen).toHaveLength(2)
    for (const results of [...seen, output as unknown[]]) {
      for (const [index, value] of results.entries())
        expect([index, same(value, expected[index])]).toEqual([index, true])
    }
  })

  test('C07 R-A5 what a flow does to a result touches neither the journal nor what the next process reads', async () => {
    const rig = new Rig(store)
    const shared = { list: [1], map: new Map([['k', 1]]), bytes: new Uint8Array([1]), date: new Date(5) }
    const seen: string[] = []
    const mutating = flow({
      name: 'mutating',
      version: 1,
      async run(ctx) {
        const result = await ctx.step('make', () => shared)
        seen.push(`${result === shared} ${JSON.stringify(result)} ${[...result.map]}`)
        result.list.push(2)
        result.map.set('k', 2)
        result.bytes[0] = 9
        result.date.setTime(0)
        shared.list.push(3)
        const again = await ctx.step('next', () => result)
        seen.push(JSON.stringify(again))
        await ctx.signal('go')
        return again
      },
    })
    const life = await rig.live([mutating])
    const run = await life.runtime.start(mutating, null, { id: 'r' })
    await rig.rest(run)
    const facts = factsOf(await run.events())
    const next = await rig.succeed(life, [mutating])
    await next.runtime.run('r').signal('go')
    await next.runtime.run('r').result()
    expect(factsOf(await next.runtime.run('r').events()).slice(0, facts.length)).toEqual(facts)
    expect(seen[0]).toMatch(/^false .*"list":\[1\].* k,1$/)
    expect(seen.slice(2)).toEqual(seen.slice(0, 2))
    expect(await next.runtime.run('r').result()).toMatchObject({ list: [1, 2], date: new Date(0) })
  })

  let counter = 0
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error('trapped')
      },
      ownKeys: () => {
        throw new Error('trapped')
      },
    },
  )
  const circular: { self?: unknown } = {}
  circular.self = { circular }
  const hostile: readonly (readonly [string, unknown, string])[] = [
    ['a function', { deep: [() => 1] }, '.deep[0]'],
    ['a symbol', { s: Symbol('s') }, '.s'],
    ['a circular object', circular, '.self'],
    ['a proxy that throws', [trap], '[0]'],
    [
      'a getter that counts',
      {
        get a() {
          return counter++
        },
      },
      '.a',
    ],
    ['an instance of a class', { url: new URL('http://x') }, '.url'],
    [
      'a toJSON that counts',
      {
        at: new (class {
          toJSON() {
            return counter++
          }
        })(),
      },
      '.at',
    ],
    ['a promise', { p: Promise.resolve(1) }, '.p'],
    ['a weak map', { w: new WeakMap() }, '.w'],
  ]

  test.each(hostile)(
    'C10 R-B10 %s as a result is refused once, with its path, and nothing of it is stored',
    async (_name, value, path) => {
      const rig = new Rig(store)
      counter = 0
      const calls: string[] = []
      const seen: unknown[] = []
      const refusing = flow({
        name: 'refusing',
        version: 1,
        async run(ctx) {
          const refusal = await ctx
            .step('make', () => {
              calls.push('make')
              return value
            })
            .catch((error: { code: string; details: unknown; message: string }) => error)
          const { code, details } = refusal as { code: string; details: { path: string } }
          seen.push([code, details.path])
          for (let i = 0; i < 3; i += 1) await ctx.step(`draw ${ctx.random()}`, () => 1)
          await ctx.signal('go')
          return [code, details.path]
        },
      })
      const life = await rig.live([refusing])
      const run = await life.runtime.start(refusing, null, { id: 'r' })
      await rig.rest(run)
      const next = await rig.succeed(life, [refusing])
      await next.runtime.run('r').signal('go')
      const result = (await next.runtime.run('r').result()) as string[]
      expect(result[0]).toBe('not_serializable')
      expect(result[1]).toContain('result of step "make"')
      expect(result[1]).toContain(path)
      for (const one of seen) expect(one).toEqual(result)
      expect(calls).toEqual(['make'])
      const events = await next.runtime.run('r').events()
      expect(events.map(({ kind }) => kind)).toEqual([
        'FlowStarted',
        'StepFailed',
        'StepCompleted',
        'StepCompleted',
        'StepCompleted',
        'SignalReceived',
        'FlowCompleted',
      ])
      expect(JSON.parse(events[1]?.body ?? '')).toMatchObject({
        code: 'not_serializable',
        reason: 'result_not_kept',
        attempt: 1,
      })
      expect(counter).toBe(0)
    },
  )

  test.each(hostile)(
    'C10 R-B10 %s as an input, a signal or an output is refused at the call, with its path',
    async (_name, value, path) => {
      const rig = new Rig(store)
      const echoing = flow({
        name: 'echoing',
        version: 1,
        run: async (ctx) => {
          await ctx.signal('word')
          return value
        },
      })
      const life = await rig.live([echoing])
      const refused = { code: 'not_serializable', details: { path: expect.stringContaining(path) } }
      await expect(life.runtime.start(echoing, value as null, { id: 'never' })).rejects.toMatchObject(refused)
      await expect(life.runtime.run('never').row()).rejects.toMatchObject({ code: 'unknown_run' })
      const run = await life.runtime.start(echoing, null, { id: 'r' })
      await expect(run.signal('word', value)).rejects.toMatchObject(refused)
      expect(await kindsOf(run)).toEqual(['FlowStarted'])
      await run.signal('word', 1)
      const failure = await rejection(run.result())
      expect(failure).toMatchObject({ code: 'run_failed', details: { code: 'not_serializable' }, cause: refused })
    },
  )
})
