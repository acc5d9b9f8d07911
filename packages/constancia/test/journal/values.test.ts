import vm from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeValue, encodeValue } from '../../dist/journal/index.js'
import { value as anyValue } from './arbitrary.js'
import { options } from './options.js'
import { same } from './same.js'

const roundTrip = (value: unknown) => decodeValue(encodeValue(value, options))
const nullObject = (fields: object) => Object.assign(Object.create(null) as object, fields)

const kept: Record<string, unknown> = {
  'a text': 'Añade 😀',
  'U+0000 and unpaired surrogates': '\u0000 \ud800 \udc00\ud800',
  'undefined alone': undefined,
  'undefined as a field and in an array': { a: undefined, b: [undefined, 1, undefined] },
  NaN: NaN,
  'both infinities': [Infinity, -Infinity],
  'minus zero': -0,
  'zero and small numbers': [0, 5e-324, 1e21, -1.5],
  'a bigint': 123456789012345678901234567890n,
  'bigints of every sign': [0n, -1n, 1n],
  'a date': new Date(1767225600123),
  'dates at the ends and an invalid one': [new Date(8.64e15), new Date(-8.64e15), new Date(-1), new Date(NaN)],
  'a map with keys of every type': new Map<unknown, unknown>([
    [NaN, 1],
    [undefined, 2],
    [{ k: 1 }, new Map([[1, -0]])],
  ]),
  'a set in its order': new Set<unknown>(['b', 'a', 3, null, [1]]),
  'an array of bytes': new Uint8Array([0, 1, 255]),
  'a part of a buffer': new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
  'a Buffer': Buffer.from('hé'),
  'an ArrayBuffer': new Uint8Array([7, 8]).buffer,
  'empty bytes': [new Uint8Array(0), Buffer.alloc(0), new ArrayBuffer(0)],
  // biome-ignore lint/suspicious/noSparseArray: it is what is tested.
  'an array with holes': [1, , 3, ,],
  'an array of holes only': new Array(5),
  'an object without prototype': nullObject({ a: 1, $: 2, constructor: 3 }),
  'keys that are names of the language': JSON.parse(
    '{"__proto__":{"x":1},"constructor":2,"prototype":{"__proto__":null}}',
  ),
  'an object with a key "$"': { $: 'undefined', deep: { $: { $: 'map', entries: [] } } },
  'what looks like a tagged form but is text': '{"$":"undefined"}',
  'a text that is "$"': ['$', '"$"'],
  "keys that look like numbers, in the language's order": { b: 1, 2: 2, a: 3, 1: 4 },
  'an error in a value': { failed: [new RangeError('too far', { cause: 'wind' })] },
}

describe('R-B10 C07 a value comes back as it was', () => {
  for (const [name, value] of Object.entries(kept)) {
    test(`R-B10 C07 ${name} survives the journal`, () => {
      expect(same(roundTrip(value), value)).toBe(true)
    })
  }

  test('R-B10 C07 any value survives the journal, and its text is the same when it is written again', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = encodeValue(value, options)
        const copy = decodeValue(text)
        expect(same(copy, value)).toBe(true)
        expect(encodeValue(copy, options)).toBe(text)
      }),
      { numRuns: 3000 },
    )
  })

  test('R-B10 any text is valid Unicode, holds no U+0000 and is JSON', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = encodeValue(value, options)
        expect([/\p{Surrogate}/u.test(text), text.includes('\0')]).toEqual([false, false])
        expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text)
        JSON.parse(text)
      }),
      { numRuns: 1000 },
    )
  })

  test('R-B10 plain data is written as plain JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes('"$"') && !JSON.stringify(value, minusZero).includes('-0'))
        expect(encodeValue(value, options)).toBe(JSON.stringify(value))
      }),
    )
  })
})

function minusZero(_key: string, value: unknown): unknown {
  return Object.is(value, -0) ? '-0' : value
}

describe('R-B10 what a copy is', () => {
  test('C07 the stored value is not changed when the value that was given is changed afterwards', () => {
    const value = { list: [1], at: new Date(5), bytes: new Uint8Array([1]) }
    const text = encodeValue(value, options)
    value.list.push(2)
    value.at.setTime(6)
    value.bytes[0] = 9
    expect(same(decodeValue(text), { list: [1], at: new Date(5), bytes: new Uint8Array([1]) })).toBe(true)
  })

  test('C07 two readings of one text share nothing', () => {
    const text = encodeValue({ map: new Map([[1, [1]]]), bytes: Buffer.from('a') }, options)
    const first = decodeValue(text) as { map: Map<number, number[]>; bytes: Buffer }
    first.map.get(1)?.push(2)
    first.bytes[0] = 0
    expect(encodeValue(decodeValue(text), options)).toBe(text)
    expect(first.bytes.buffer).not.toBe((decodeValue(text) as typeof first).bytes.buffer)
  })

  test('R-B10 what is referred to twice is written twice', () => {
    const shared = { n: 1 }
    const copy = roundTrip({ a: shared, b: [shared, shared] }) as { a: object; b: object[] }
    expect(copy).toEqual({ a: { n: 1 }, b: [{ n: 1 }, { n: 1 }] })
    expect(copy.a).not.toBe(copy.b[0])
  })

  test('R-B10 a key __proto__ sets no prototype, however often it is read and written', () => {
    const copy = roundTrip(roundTrip(JSON.parse('{"__proto__":{"admin":true},"d":{"$":1}}'))) as { admin?: boolean }
    expect(copy.admin).toBeUndefined()
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Object.keys(copy)).toEqual(['__proto__', 'd'])
  })

  test('R-B10 values of another realm come back as ours', () => {
    const source =
      '({ o: { a: [1, { b: 2 }] }, d: new Date(5), m: new Map([[1, new Set([2])]]), u: new Uint8Array([3]), ' +
      'e: new TypeError("t"), n: Object.create(null) })'
    const expected = {
      o: { a: [1, { b: 2 }] },
      d: new Date(5),
      m: new Map([[1, new Set([2])]]),
      u: new Uint8Array([3]),
    }
    const whole = { ...expected, e: new TypeError('t'), n: Object.create(null) as object }
    expect(same(roundTrip(vm.runInNewContext(source)), whole)).toBe(true)
  })
})
