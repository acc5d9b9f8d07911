import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { flow, PermanentError } from 'constancia'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Rig, stores, until } from './rig.js'

class SocketError extends Error {
  readonly code = 'ECONNRESET'
  readonly socket: object
  readonly self: unknown = this
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'SocketError'
    this.socket = { write: () => undefined, peer: { address: '::1' } }
    Object.assign(this.socket, { parent: this.socket })
  }
}

function chain(depth: number): Error {
  let error: Error = new TypeError('the root')
  for (let i = 1; i < depth; i += 1) error = new SocketError(`level ${i}`, { cause: error })
  return error
}

const thrown: readonly (readonly [string, () => unknown, readonly unknown[]])[] = [
  ['a custom error with a code', () => chain(2), ['SocketError', 'level 1', 'ECONNRESET', 'TypeError', 'the root']],
  ['a chain of three causes', () => chain(4), ['SocketError', 'level 3', 'ECONNRESET', 'SocketError', 'level 2']],
  [
    'a chain of 10,000 causes',
    () => chain(10_000),
    ['SocketError', 'level 9999', 'ECONNRESET', 'SocketError', 'level 9998'],
  ],
  ['a frozen error', () => Object.freeze(chain(2)), ['SocketError', 'level 1', 'ECONNRESET', 'TypeError', 'the root']],
  [
    'an error that is its own cause',
    () => {
      const error = new SocketError('round')
      Object.assign(error, { cause: error })
      return error
    },
    ['SocketError', 'round', 'ECONNRESET'],
  ],
  ['a DOMException', () => AbortSignal.abort().reason, ['AbortError']],
  ['an AggregateError', () => new AggregateError([chain(1), 'text'], 'both'), ['AggregateError', 'both', undefined]],
  ['a text', () => 'just a text', ['text', 'just a text']],
  ['null', () => null, ['object', null]],
  ['undefined', () => undefined, ['undefined', undefined]],
  ['a symbol', () => Symbol('s'), ['Error']],
  ['a function', () => () => 1, ['Error']],
  ['a plain object', () => ({ code: 'E_PLAIN' }), ['object', 'E_PLAIN']],
  [
    'a proxy that throws',
    () =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trapped')
          },
        },
      ),
    ['Error'],
  ],
  [
    'an error whose message is a getter that throws',
    () =>
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('trapped')
        },
      }),
    ['Error'],
  ],
]

/** What a flow branches on. */
function branchOn(error: unknown): unknown[] {
  if (typeof error === 'string') return ['text', error]
  if (!(error instanceof Error)) return [typeof error, (error as { code?: unknown } | null)?.code ?? error]
  const { name, message, code, cause } = error as SocketError
  const { name: causeName, message: causeMessage } = (cause ?? {}) as Error
  return [name, message, code, causeName, causeMessage, error instanceof TypeError, error instanceof AggregateError]
}

describe.each(stores)('on %s', (store) => {
  test.each(thrown)(
    'C09 R-B10 %s that a step throws takes the same branch live and on replay, and no worker goes down',
    async (_name, make, expected) => {
      const rig = new Rig(store)
      const seen: unknown[][] = []
      const catching = flow({
        name: 'catching',
        version: 1,
        async run(ctx) {
          try {
            await ctx.step('throws', () => Promise.reject(make()), { retry: { attemptsMax: 2, delayMsFirst: 10 } })
          } catch (error) {
            seen.push(branchOn(error))
          }
          await ctx.signal('go')
          return seen.length
        },
      })
      const life = await rig.live([catching])
      const run = await life.runtime.start(catching, null, { id: 'r' })
      await rig.rest(run)
      const next = await rig.succeed(life, [catching])
      await next.runtime.run('r').signal('go')
      expect(await next.runtime.run('r').result()).toBeGreaterThanOrEqual(2)
      for (const one of seen) expect(one).toEqual(seen[0])
      expect(seen[0]?.slice(0, expected.length)).toEqual(expected)
      expect((await next.runtime.run('r').events()).map(({ kind }) => kind).slice(1, 3)).toEqual([
        'StepAttemptFailed',
        'StepFailed',
      ])
    },
  )

  test('C09 C38 R-B11 a message of 5 MB is cut with a mark and stored within the limit, from a step and from a flow', async () => {
    const rig = new Rig(store)
    const shouting = flow({
      name: 'shouting',
      version: 1,
      async run(ctx) {
        const caught = await ctx
          .step('shout', () => Promise.reject(new SocketError('á'.repeat(2.5e6))), { retry: { attemptsMax: 1 } })
          .catch((error: Error) => error)
        throw Object.assign(new Error('x'.repeat(5e6)), { first: caught.message.length, code: 'E_BIG' })
      },
    })
    const life = await rig.live([shouting])
    const run = await life.runtime.start(shouting, null, { id: 'r' })
    await expect(run.result()).rejects.toMatchObject({
      code: 'run_failed',
      cause: { code: 'E_BIG', message: expect.stringContaining('[cut: ') },
    })
    for (const { data } of await run.events()) expect(Buffer.byteLength(data ?? '')).toBeLessThanOrEqual(1024 * 1024)
  })

  test('C09 an error that a flow throws keeps name, code, cause and fields for whoever awaits the result, in any process', async () => {
    const rig = new Rig(store)
    const failing = flow({ name: 'failing', version: 1, run: () => Promise.reject(chain(3)) })
    const life = await rig.live([failing])
    const run = await life.runtime.start(failing, null, { id: 'r' })
    const expected = {
      code: 'run_failed',
      cause: { name: 'SocketError', message: 'level 2', code: 'ECONNRESET', cause: { message: 'level 1' } },
    }
    await expect(run.result()).rejects.toMatchObject(expected)
    const next = await rig.succeed(life, [failing])
    await expect(next.runtime.run('r').result()).rejects.toMatchObject(expected)
  })
})

let folder: string
let Foreign: typeof PermanentError

beforeAll(async () => {
  // A second copy of the class, as an application has when two of its packages bring their own.
  folder = mkdtempSync(join(tmpdir(), 'constancia-copy-'))
  const journal = fileURLToPath(new URL('../../dist/journal/', import.meta.url))
  for (const name of ['permanent', 'property']) {
    const text = readFileSync(join(journal, `${name}.js`), 'utf8')
    const alone = text.replaceAll('./property.js', './property.mjs').replace(/^\/\/# sourceMappingURL.*$/m, '')
    writeFileSync(join(folder, `${name}.mjs`), alone)
  }
  const copy = join(folder, 'permanent.mjs')
  Foreign = (await import(/* @vite-ignore */ pathToFileURL(copy).href)).PermanentError
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(stores)('on %s', (store) => {
  class TooPoor extends PermanentError {
    readonly code = 'E_POOR'
  }
  const permanent: readonly (readonly [string, () => Error, Record<string, unknown>])[] = [
    ['itself', () => new PermanentError('never'), { name: 'PermanentError', message: 'never' }],
    [
      'as a cause',
      () => new TypeError('outer', { cause: new PermanentError('never') }),
      { name: 'TypeError', message: 'outer', cause: { message: 'never' } },
    ],
    [
      'as a cause of a cause',
      () => new Error('outer', { cause: new Error('middle', { cause: new PermanentError('never') }) }),
      { message: 'outer' },
    ],
    ['as a subclass', () => new TooPoor('never'), { name: 'TooPoor', message: 'never', code: 'E_POOR' }],
    ['from another copy of the package', () => new Foreign('never'), { message: 'never' }],
    ['from another copy, as a cause', () => new Error('outer', { cause: new Foreign('never') }), { message: 'outer' }],
  ]

  test.each(permanent)(
    'C12 R-B2 the permanent error %s is not retried: one attempt, the original error, and the reason in the journal',
    async (_name, make, shape) => {
      const rig = new Rig(store)
      expect(Foreign).not.toBe(PermanentError)
      const attempts: number[] = []
      const caught: unknown[] = []
      const poor = flow({
        name: 'poor',
        version: 1,
        async run(ctx) {
          const error = await ctx
            .step(
              'pay',
              ({ attempt }) => {
                attempts.push(attempt)
                throw make()
              },
              { retry: { attemptsMax: 5 } },
            )
            .catch((one: unknown) => one)
          caught.push(error)
          await ctx.signal('go')
          throw error
        },
      })
      const life = await rig.live([poor])
      const run = await life.runtime.start(poor, null, { id: 'r' })
      await rig.rest(run)
      const next = await rig.succeed(life, [poor])
      await next.runtime.run('r').signal('go')
      await until(async () => (await next.runtime.run('r').row()).outcome === 'failed', 'it fails')
      expect(attempts).toEqual([1])
      for (const error of caught) expect(error).toMatchObject(shape)
      expect(caught.length).toBeGreaterThanOrEqual(2)
      const failed = (await next.runtime.run('r').events()).find(({ kind }) => kind === 'StepFailed')
      expect(JSON.parse(failed?.body ?? '')).toMatchObject({ attempt: 1, reason: 'permanent' })
    },
  )

  test('C12 a permanent error that went through a journal is still permanent in the step of another run', async () => {
    const rig = new Rig(store)
    const attempts: number[] = []
    const inner = flow({ name: 'inner', version: 1, run: () => Promise.reject(new TooPoor('never')) })
    const outer = flow({
      name: 'outer',
      version: 1,
      run: (ctx) =>
        ctx.step('call', async ({ key, attempt }) => {
          attempts.push(attempt)
          return (await life.runtime.start(inner, null, { id: `${key.replace('/', ':')}` })).result()
        }),
    })
    const life = await rig.live([inner, outer])
    const run = await life.runtime.start(outer, null, { id: 'r' })
    await expect(run.result()).rejects.toMatchObject({
      cause: { code: 'run_failed', cause: { name: 'TooPoor', code: 'E_POOR' } },
    })
    expect(attempts).toEqual([1])
  })
})
