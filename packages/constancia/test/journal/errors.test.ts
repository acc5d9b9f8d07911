import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConstanciaError, decodeValue, defaultLimits, encodeError } from '../../dist/journal/index.js'
import { value as anyValue } from './arbitrary.js'
import { limited, options, thrownBy } from './options.js'
import { same } from './same.js'

type Anything = Error & Record<string, unknown>
const revive = (error: unknown, from = options) => decodeValue(encodeError(error, from)) as Anything

class PaymentError extends Error {
  readonly code = 'card_declined'
  readonly at = new Date(5)
}
class NamedByGetter extends Error {
  override get name(): string {
    throw new Error('Code of the error was run.')
  }
}
class InputError extends TypeError {}
class HttpFailure {
  status = 503
  message = 'try later'
}
/** A class of errors as it was written before there were classes. */
function OldError(this: Error, message: string) {
  this.message = message
}
OldError.prototype = Object.create(Error.prototype, { constructor: { value: OldError }, name: { value: 'OldError' } })

function chain(length: number): Error {
  let error = new Error('cause 0')
  for (let i = 1; i < length; i += 1) error = new Error(`cause ${i}`, { cause: error })
  return error
}

describe('R-B10 C09 an error keeps what programs branch on', () => {
  const builtins = [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]
  for (const Class of builtins) {
    test(`R-B10 C09 a ${Class.name} comes back as one`, () => {
      const error = new Class('Qué', { cause: { n: -0 } })
      expect(same(revive(error), error)).toBe(true)
      expect(revive(error)).toBeInstanceOf(Class)
    })
  }

  test('R-B10 C09 an AggregateError comes back with its errors', () => {
    const error = new AggregateError([new RangeError('a'), 'b', new AggregateError([], 'none')], 'all failed')
    expect(same(revive(error), error)).toBe(true)
  })

  test('R-B10 C09 a custom error keeps class name, message, code, fields and its chain of causes', () => {
    const error = new PaymentError('no', {
      cause: new InputError('why', { cause: Object.assign(new Error('low'), { n: 1n }) }),
    })
    const copy = revive(error)
    expect([copy.name, copy.message, copy['code'], copy['at']]).toEqual([
      'PaymentError',
      'no',
      'card_declined',
      new Date(5),
    ])
    expect(Object.keys(copy)).toEqual(['code', 'at'])
    const second = copy.cause as Anything
    expect([second.name, second.message, second instanceof TypeError]).toEqual(['InputError', 'why', true])
    expect([(second.cause as Anything).message, (second.cause as Anything)['n']]).toEqual(['low', 1n])
    expect(String(copy)).toBe('PaymentError: no')
    expect(encodeError(copy, options)).toBe(encodeError(error, options))
  })

  test('R-B10 C09 a name that was set wins over the name of the class', () => {
    expect(revive(Object.assign(new PaymentError('m'), { name: 'Declined' })).name).toBe('Declined')
    expect(revive(Object.assign(new PaymentError('m'), { name: 'Error' })).name).toBe('Error')
    expect(revive(new NamedByGetter('m')).name).toBe('NamedByGetter')
    const old = new (OldError as unknown as new (message: string) => Error)('m')
    expect([revive(old).name, revive(old).message]).toEqual(['OldError', 'm'])
  })

  test('R-B10 C09 errors of the platform keep code and name', () => {
    const missing = revive(thrownBy(() => readFileSync('/does/not/exist')))
    expect([missing['code'], missing['syscall'], missing.name]).toEqual(['ENOENT', 'open', 'Error'])
    const invalid = revive(thrownBy(() => readFileSync({} as never)))
    expect([invalid['code'], invalid instanceof TypeError]).toEqual(['ERR_INVALID_ARG_TYPE', true])
    const aborted = revive(AbortSignal.abort().reason)
    expect([aborted.name, aborted.message, aborted['code']]).toEqual(['AbortError', 'This operation was aborted', 20])
    const foreign = revive(vm.runInNewContext('new RangeError("far")'))
    expect(same(foreign, new RangeError('far'))).toBe(true)
  })

  test('R-B10 C09 our own errors come back with code, message and details, also those of another copy of the package', () => {
    const error = new ConstanciaError('value_too_large', 'Too large.', { details: { size: 2, limit: 1 }, cause: 'x' })
    expect(same(revive(error), error)).toBe(true)
    const other = Object.assign(new Error('Too large.'), {
      name: 'ConstanciaError',
      code: 'value_too_large',
      details: { size: 2 },
    })
    expect(revive(other)).toBeInstanceOf(ConstanciaError)
    expect([revive(other)['code'], revive(other)['details']]).toEqual(['value_too_large', { size: 2 }])
  })

  test('R-B10 no stack is written, so that two histories of a run have equal facts', () => {
    const makers = [() => new Error('m'), () => [1].map(() => new Error('m'))[0]]
    const texts = new Set(makers.map((make) => encodeError(make(), options)))
    expect([...texts]).toEqual(['{"$":"error","type":"Error","message":"m"}'])
    expect(revive(new PaymentError('m')).stack).toBe('PaymentError: m')
  })
})

describe('R-B10 C09 whatever is thrown is written', () => {
  const values = ['text', '', null, undefined, 0, -0, NaN, 5n, true, Object.freeze({ a: 1 }), [1], new Map([[1, 2]])]
  for (const value of values) {
    test(`R-B10 C09 ${typeof value} ${String(value)} that was thrown comes back as the value that it was`, () => {
      expect(same(revive(value), value)).toBe(true)
    })
  }

  test('R-B10 C09 what cannot be kept comes back as an error that says so', () => {
    expect(revive(() => 1).message).toContain('[not kept: a function]')
    expect(revive(Symbol('s')).message).toContain('[not kept: a symbol]')
    expect(revive(new Proxy(new Error(), {})).message).toContain('[not kept: a Proxy]')
    const failure = revive(new HttpFailure())
    expect([failure.name, failure.message, failure['status']]).toEqual(['HttpFailure', 'try later', 503])
    expect(revive(Object.freeze(new PaymentError('m')))['code']).toBe('card_declined')
  })

  test('R-B10 C09 a field that cannot be kept leaves a mark and the rest is kept', () => {
    const error = Object.assign(new PaymentError('m'), {
      self: undefined as unknown,
      response: {
        status: 502,
        socket: { write: () => 1, peer: new Proxy({}, {}) },
        headers: new Map([['retry-after', '3']]),
      },
      now: undefined as unknown,
    })
    Object.defineProperty(error, 'now', { get: () => expect.unreachable(), enumerable: true })
    error.self = { deep: [error] }
    const { response, self, now } = revive(error) as unknown as typeof error
    expect(response.status).toBe(502)
    expect(response.socket).toEqual({ write: '[not kept: a function]', peer: '[not kept: a Proxy]' })
    expect(response.headers).toEqual(new Map([['retry-after', '3']]))
    expect(self).toEqual({ deep: ['[circular]'] })
    expect(now).toBe('[not kept: a getter or setter]')
  })

  test('R-B10 C09 eight causes are kept and a longer chain is cut with a mark', () => {
    for (const length of [3, 8, 9, 10, 10_000]) {
      let link: unknown = revive(chain(length))
      let count = 0
      while (link instanceof Error) {
        expect(link.message).toBe(`cause ${length - 1 - count}`)
        link = link.cause
        count += 1
      }
      expect([count, link]).toEqual(length > 9 ? [9, '[not kept: a longer chain of causes]'] : [length, undefined])
    }
  })

  test('R-B10 C09 a circle of causes ends', () => {
    const error = new Error('a')
    error.cause = new Error('b', { cause: error })
    expect((revive(error).cause as Error).cause).toBe('[circular]')
  })
})

describe('R-B11 C09 C38 an error always fits', () => {
  test('R-B11 C09 C38 a message of 5 MB is cut and says by how much; name, code and cause are kept', () => {
    for (const letter of ['x', 'ñ', '😀', '\u0000', '\udc00']) {
      const message = letter.repeat(5e6 / letter.length)
      const text = encodeError(new PaymentError(message, { cause: new TypeError('why') }), options)
      expect(Buffer.byteLength(text)).toBeLessThan(defaultLimits.textBytesMax)
      const copy = decodeValue(text) as Anything
      const cut = `${message.slice(0, 16_384)}… [cut: ${message.length - 16_384} more characters]`
      expect(copy.message === cut, copy.message.slice(-50)).toBe(true)
      expect([copy.name, copy['code'], (copy.cause as Error).message]).toEqual(['PaymentError', 'card_declined', 'why'])
    }
  })

  test('R-B11 C09 no pair of surrogates is parted where a message is cut', () => {
    expect(revive(new Error(`a${'😀'.repeat(1e4)}`)).message).toMatch(/^a(?:😀)+… \[cut: 3618 more characters\]$/u)
  })

  test('R-B11 C38 an error with thousands of fields and errors fits and says that there were more', () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 'x'.repeat(5_000)]))
    const error = Object.assign(
      new AggregateError(Array.from({ length: 500 }, () => new Error('y'.repeat(9_000)))),
      fields,
    )
    const text = encodeError(Object.assign(error, { code: 'many' }), options)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(defaultLimits.textBytesMax)
    const copy = decodeValue(text) as AggregateError & { code: string }
    expect(copy.code).toBe('many')
    expect(copy.errors.at(-1)).toMatch(/^\[not kept: \d+ more\]$/)
    expect((copy as unknown as Record<string, string>)['…']).toMatch(/^\[not kept: \d+ more\]$/)
  })

  test('R-B10 C09 any error is written within any limit and can be read, and is the same when written again', () => {
    const fields = fc.dictionary(fc.string(), anyValue, { maxKeys: 4 })
    const limits = fc.constantFrom(80, 120, 400, 3_000, defaultLimits.textBytesMax)
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), anyValue, fields, limits, (message, cause, extra, textBytesMax) => {
        const error = new PaymentError(message, { cause })
        for (const key of Object.keys(extra)) Object.defineProperty(error, key, { value: extra[key], enumerable: true })
        for (const thrown of [error, cause]) {
          const text = encodeError(thrown, limited({ textBytesMax }))
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(textBytesMax)
          expect(encodeError(decodeValue(text), options)).toBe(text)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
