import { describe, expect, test } from 'vitest'
import { type ConstanciaError, decodeValue, defaultLimits, encodeError, encodeValue } from '../../dist/journal/index.js'
import { limited, options, thrownBy } from './options.js'

const bytesOf = (text: string) => Buffer.byteLength(text)
const refusal = (value: unknown, limits = options) => thrownBy(() => encodeValue(value, limits)) as ConstanciaError

/** Arrays, each in the one around it: so many levels. */
function nested(levels: number, wrap: (inner: unknown) => unknown = (inner) => [inner]): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i += 1) value = wrap(value)
  return value
}

describe('R-B11 C38 sizes are limited before anything is written', () => {
  const makers: Record<string, (units: number) => unknown> = {
    'a text': (units) => 'a'.repeat(units),
    'a text of two bytes a letter': (units) => 'ñ'.repeat(Math.floor(units / 2)) + 'a'.repeat(units % 2),
    'a text of four bytes a sign': (units) => '😀'.repeat(Math.floor(units / 4)) + 'a'.repeat(units % 4),
    'a text in an object': (units) => ({ a: 'a'.repeat(units) }),
    'a key': (units) => ({ ['k'.repeat(units)]: 1 }),
    'a text in a map': (units) => new Map([['k', 'ñ'.repeat(Math.floor(units / 2)) + 'a'.repeat(units % 2)]]),
  }
  for (const [name, make] of Object.entries(makers)) {
    test(`R-B11 C38 ${name} of exactly the limit is kept and one byte more is refused, with size and limit`, () => {
      const frame = bytesOf(encodeValue(make(0), options))
      for (const textBytesMax of [100, 1000, 65_536, defaultLimits.textBytesMax]) {
        const fits = make(textBytesMax - frame)
        expect(bytesOf(encodeValue(fits, limited({ textBytesMax })))).toBe(textBytesMax)
        const { code, details, message } = refusal(make(textBytesMax - frame + 1), limited({ textBytesMax }))
        expect([code, details]).toEqual([
          'value_too_large',
          { path: options.what, size: textBytesMax + 1, limit: textBytesMax },
        ])
        expect(message).toContain(`${textBytesMax + 1} bytes`)
      }
    })
  }

  const huge: Record<string, unknown> = {
    'a text of 20 MB': 'x'.repeat(20e6),
    'bytes of 20 MB': new Uint8Array(20e6),
    'an array of 20 million items': new Array(20e6).fill(0),
    'an array with 20 million holes': new Array(20e6),
    'a map of 2 million entries': new Map(Array.from({ length: 2e6 }, (_, i) => [i, i])),
    'a bigint of 8 million digits': 1n << 26_000_000n,
    'a value that grows by sharing': nested(90, (inner) => [inner, inner]),
    'a value that grows by sharing in maps': nested(90, (inner) => new Map([[inner, inner]])),
  }
  for (const [name, value] of Object.entries(huge)) {
    test(`R-B11 C38 ${name} is refused without being written out`, () => {
      const before = process.cpuUsage()
      expect(refusal(value).code).toBe('value_too_large')
      const { user, system } = process.cpuUsage(before) // What this process took, whatever else the machine does.
      expect((user + system) / 1_000).toBeLessThan(2_000)
      const inError = encodeError(Object.assign(new Error('e'), { value }), options)
      expect(bytesOf(inError)).toBeLessThanOrEqual(defaultLimits.textBytesMax)
      expect((decodeValue(inError) as Error).message).toBe('e')
    })
  }
})

describe('R-B11 depth is limited', () => {
  const wraps: Record<string, (inner: unknown) => unknown> = {
    arrays: (inner) => [inner],
    objects: (inner) => ({ a: inner }),
    'objects with a key "$"': (inner) => ({ $: inner }),
    maps: (inner) => new Map([[1, inner]]),
    'keys of maps': (inner) => new Map([[inner, 1]]),
    sets: (inner) => new Set([inner]),
    'arrays with holes': (inner) => Object.assign(new Array(3), { 1: inner }),
    causes: (inner) => new Error('e', { cause: inner }),
    errors: (inner) => new AggregateError([inner]),
  }
  for (const [name, wrap] of Object.entries(wraps)) {
    const step = name === 'errors' ? 2 : 1
    test(`R-B11 as many levels of ${name} as the limit are kept and one more is refused`, () => {
      for (const depthMax of [2, 100, 1000]) {
        const text = encodeValue(nested(depthMax / step, wrap), limited({ depthMax }))
        expect(encodeValue(decodeValue(text), limited({ depthMax }))).toBe(text)
        const { code, details } = refusal(nested(depthMax / step + 1, wrap), limited({ depthMax }))
        expect([code, details['size'], details['limit']]).toEqual(['value_too_large', depthMax + 1, depthMax])
      }
    })
  }

  test('R-B11 no setting allows more levels than are safe: a thousand', () => {
    expect(refusal(nested(1001), limited({ depthMax: 1e9 })).details['limit']).toBe(1000)
    expect(refusal(nested(200_000), limited({ depthMax: 1e9 })).code).toBe('value_too_large')
  })
})
