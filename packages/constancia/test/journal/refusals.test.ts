import { describe, expect, test } from 'vitest'
import { ConstanciaError, encodeError, encodeValue } from '../../dist/journal/index.js'
import { options, thrownBy } from './options.js'

const what = 'result of step "charge"'
let ranCount = 0
const run = (): never => {
  ranCount += 1
  throw new Error('Code of the value was run.')
}
const trap = { get: run, has: run, ownKeys: run, getPrototypeOf: run, getOwnPropertyDescriptor: run }
const proxy = new Proxy({}, trap)
class Money {
  amount = 5
}
class Stamp extends Date {
  override getTime = run
  override toISOString = run
}
class Tags extends Set<unknown> {
  override forEach = run
  override get size() {
    return run()
  }
  override [Symbol.iterator] = run
}
class List extends Array<unknown> {}
class Pixels extends Uint8Array {}

function revoked(): object {
  const { proxy: dead, revoke } = Proxy.revocable({}, {})
  revoke()
  return dead
}

function circle(): object {
  const a: { b: unknown } = { b: undefined }
  a.b = [new Map([['back', a]])]
  return a
}

/** What is refused, where in it, and what the message calls it. */
const refused: Record<string, [value: unknown, place: string, called: string]> = {
  'a function': [() => 1, '', 'a function'],
  'a function deep inside': [{ items: [0, 1, 2, { callback: run }] }, '.items[3].callback', 'a function'],
  'a symbol': [[Symbol('s')], '[0]', 'a symbol'],
  'a key that is a symbol': [{ a: { [Symbol('s')]: 1 } }, '.a["Symbol(s)"]', 'a symbol'],
  'a getter': [
    {
      a: {
        get b() {
          return run()
        },
      },
    },
    '.a.b',
    'a getter or setter',
  ],
  'a setter': [
    {
      set b(_: unknown) {
        run()
      },
    },
    '.b',
    'a getter or setter',
  ],
  'a getter in an array': [Object.defineProperty([1], 0, { get: run, enumerable: true }), '[0]', 'a getter or setter'],
  'a toJSON of its own': [{ toJSON: run }, '.toJSON', 'a function'],
  'a toString of its own': [{ 'to string': run }, '["to string"]', 'a function'],
  'a Proxy': [{ p: proxy }, '.p', 'a Proxy'],
  'a revoked Proxy': [revoked(), '', 'a Proxy'],
  'a Proxy of an array': [new Proxy([], trap), '', 'a Proxy'],
  'a Proxy of a function': [{ f: new Proxy(run, trap) }, '.f', 'a function'],
  'a Proxy as the prototype': [Object.create(proxy), '', 'a prototype of its own'],
  'a Proxy as the prototype of an array': [Object.setPrototypeOf([], proxy), '', 'a prototype of its own'],
  'an instance of a class': [{ price: new Money() }, '.price', 'an instance of Money'],
  'a subclass of Date': [new Stamp(5), '', 'an instance of Stamp'],
  'a subclass of Set': [new Tags(), '', 'an instance of Tags'],
  'a subclass of Array': [new List(1, 2), '', 'an instance of List'],
  'a subclass of Uint8Array': [new Pixels(2), '', 'an instance of Pixels'],
  'a boxed number': [[Object(1)], '[0]', 'an instance of Number'],
  'a boxed text': [Object('a'), '', 'an instance of String'],
  'a regular expression': [/a/g, '', 'an instance of RegExp'],
  'a URL': [{ at: new URL('https://example.org') }, '.at', 'an instance of URL'],
  'a promise': [Promise.resolve(1), '', 'an instance of Promise'],
  'a weak map': [new WeakMap(), '', 'an instance of WeakMap'],
  'another typed array': [new Float64Array(2), '', 'an instance of Float64Array'],
  'a view of bytes': [new DataView(new ArrayBuffer(2)), '', 'an instance of DataView'],
  'shared memory': [new Uint8Array(new SharedArrayBuffer(2)), '', 'bytes in shared memory'],
  'a buffer that can grow': [Reflect.construct(ArrayBuffer, [2, { maxByteLength: 4 }]), '', 'a resizable buffer'],
  'a value in a map': [
    new Map([
      [1, 1],
      [2, run as never],
    ]),
    '.values()[1]',
    'a function',
  ],
  'a key of a map': [new Map([[run, 1]]), '.keys()[0]', 'a function'],
  'an item of a set': [new Set([1, run]), '.values()[1]', 'a function'],
  'an array with a further field': [{ a: Object.assign([1], { index: 0 }) }, '.a.index', 'a field of an array'],
  'an array of holes with a further field': [Object.assign(new Array(1), { x: 0 }), '.x', 'a field of an array'],
  'a hidden field': [Object.defineProperty({}, 'id', { value: 1 }), '.id', 'not enumerable'],
  'a date with a field': [Object.assign(new Date(5), { zone: 'CET' }), '', 'fields of its own'],
  'a map with a field': [Object.assign(new Map(), { x: 1 }), '', 'fields of its own'],
  'a map that pretends to be plain': [Object.setPrototypeOf(new Map([[1, 2]]), Object.prototype), '', 'replaced'],
  'arguments of a function': [
    (function () {
      // biome-ignore lint/complexity/noArguments: it is what is tested.
      return arguments
    })(),
    '.length',
    'not enumerable',
  ],
  'an error with a function': [new Error('e', { cause: { retry: run } }), '.cause.retry', 'a function'],
  'an error with a getter': [Object.defineProperty(new Error(), 'x', { get: run, enumerable: true }), '.x', 'a getter'],
  'a circle': [circle(), '.b[0].values()[0]', `refers back to ${what}`],
}

describe('R-B10 C10 what cannot be kept is refused', () => {
  for (const [name, [value, place, called]] of Object.entries(refused)) {
    test(`R-B10 C10 ${name} is refused with its path, and none of its code is run`, () => {
      ranCount = 0
      const error = thrownBy(() => encodeValue(value, options))
      expect(error).toBeInstanceOf(ConstanciaError)
      const { code, details, message } = error as ConstanciaError
      expect([code, details['path']]).toEqual(['not_serializable', what + place])
      expect(message).toContain(`${what}${place} `)
      expect(message).toContain(called)
      expect(ranCount).toBe(0)
    })

    test(`R-B10 C09 C10 ${name} thrown, or in an error that is thrown, is written without running its code`, () => {
      ranCount = 0
      JSON.parse(encodeError(value, options))
      JSON.parse(encodeError(Object.assign(new Error('e', { cause: value }), { field: value }), options))
      expect(ranCount).toBe(0)
    })
  }

  test('C10 a circle names both of its ends', () => {
    const a: Record<string, unknown> = { list: [{}] }
    ;(a['list'] as Record<string, unknown>[])[0]!['up'] = a['list']
    const error = thrownBy(() => encodeValue({ a }, options)) as ConstanciaError
    expect(error.details).toEqual({ path: `${what}.a.list[0].up`, target: `${what}.a.list` })
  })

  test('C10 methods that a program puts into the language are not called', () => {
    const places = [
      Object.prototype,
      Array.prototype,
      String.prototype,
      Date.prototype,
      Map.prototype,
      BigInt.prototype,
    ]
    const toJSON = Reflect.getOwnPropertyDescriptor(Date.prototype, 'toJSON')!
    const value = { a: [1n, 'x', new Date(5), new Map([[1, 2]])] }
    const text = encodeValue(value, options)
    ranCount = 0
    try {
      for (const place of places)
        Object.defineProperty(place, 'toJSON', { value: run, configurable: true, writable: true })
      expect(encodeValue(value, options)).toBe(text)
    } finally {
      for (const place of places) Reflect.deleteProperty(place, 'toJSON')
      Object.defineProperty(Date.prototype, 'toJSON', toJSON)
    }
    expect(ranCount).toBe(0)
  })

  test('C10 a field of Object.prototype that a program planted is neither read nor written', () => {
    ranCount = 0
    const planted = { configurable: true, get: run, set: run }
    let text = ''
    try {
      for (const key of ['get', '$', 'x']) Object.defineProperty(Object.prototype, key, planted)
      text = encodeValue({ a: [{ y: 1 }] }, options)
    } finally {
      for (const key of ['get', '$', 'x']) Reflect.deleteProperty(Object.prototype, key)
    }
    expect(text).toBe('{"a":[{"y":1}]}')
    expect(ranCount).toBe(0)
  })

  test('R-B10 a long path is cut and still says where it begins and ends', () => {
    let value: unknown = run
    for (let i = 0; i < 90; i += 1) value = { [`a_rather_long_name_${i}`]: value }
    const { details } = thrownBy(() => encodeValue(value, options)) as ConstanciaError
    expect(String(details['path']).length).toBeLessThan(700)
    expect(details['path']).toMatch(/^result of step "charge"\.a_rather_long_name_89.*…+.*\.a_rather_long_name_0$/)
  })
})
