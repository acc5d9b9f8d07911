import { describe, expect, test } from 'vitest'
import { bytesOfBase64, jsonDepthMax, parseStrictJson, textOfUtf8 } from '../dist/index.js'
import { hasVectors, vectors } from './vectors.js'

const readOf = (text: string) => {
  const parsed = parseStrictJson(text)
  return parsed.kind === 'value' ? { value: parsed.value } : 'refused'
}

describe.skipIf(!hasVectors)('T18 C58 the public vectors of JSON', () => {
  const list = hasVectors ? vectors<{ name: string; base64: string }[]>('json-parsing.json') : []
  // Two readers could understand these differently: a name stands twice in one object.
  const exceptions = ['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json']

  test('what everybody accepts is accepted with the same value, but for names that stand twice; what nobody does is refused', () => {
    const counts = { y: 0, n: 0, i: 0 }
    for (const { name, base64 } of list) {
      const text = textOfUtf8(bytesOfBase64(base64)!)
      const answer = text === undefined ? 'refused' : readOf(text)
      const kind = name[0] as 'y' | 'n' | 'i'
      counts[kind] += 1
      if (kind === 'n' || exceptions.includes(name)) expect([name, answer]).toEqual([name, 'refused'])
      else if (kind === 'y') expect([name, answer]).toEqual([name, { value: JSON.parse(text!) }])
      // Of the rest, what is accepted is what the platform reads, and no text is lost in it.
      else if (answer !== 'refused') expect([name, answer]).toEqual([name, { value: JSON.parse(text!) }])
    }
    expect(counts.y).toBeGreaterThan(80)
    expect(counts.n).toBeGreaterThan(150)
  })
})

describe('C58 strict JSON', () => {
  test.each([
    ['0.000001', 1e-6],
    ['1e-7', 1e-7],
    ['1e21', 1e21],
    ['-0', -0],
    ['9007199254740993', 9007199254740992],
    ['295147905179352825856', 2 ** 68],
    ['5e-324', 5e-324],
    ['"\u2028"', '\u2028'],
    ['"\\ud83d\\ude00"', '😀'],
    ['{"😀":1,"דּ":2}', { '😀': 1, דּ: 2 }],
    [' \t\n\r[] ', []],
  ])('%s is read', (text, value) => {
    expect(readOf(text)).toEqual({ value })
  })

  test.each([
    ['a number beyond a double', '1e400'],
    ['another one', '[-1e400]'],
    ['a name twice', '{"a":1,"a":2}'],
    ['a name twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['a name twice, deep inside', '[{"b":{"a":1,"c":[],"a":2}}]'],
    ['a surrogate alone', '"\\ud800"'],
    ['a surrogate alone in a name', '{"\\udc00":1}'],
    ['surrogates the wrong way round', '"\\ude00\\ud83d"'],
    ['a raw surrogate alone', '"\ud800"'],
    ['a byte order mark', '\uFEFF{}'],
    ['something after the end', '{} x'],
    ['a second value', '{}{}'],
    ['a newline in a text', '"\n"'],
    ['a comma too many', '[1,]'],
    ['a comma too many in an object', '{"a":1,}'],
    ['nothing', ''],
    ['white space that is none', '\u00a01'],
  ])('%s is refused', (_, text) => {
    expect(readOf(text)).toBe('refused')
  })

  test('names like __proto__ are names, and twice is twice', () => {
    const parsed = parseStrictJson('{"__proto__":1,"constructor":2}')
    expect(parsed.kind === 'value' && Object.entries(parsed.value as object)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ])
    expect(readOf('{"__proto__":1,"__proto__":2}')).toBe('refused')
  })

  test('64 levels are read and 65 are not, and 100,000 overflow nothing', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(readOf(nested(jsonDepthMax))).not.toBe('refused')
    for (const depth of [jsonDepthMax + 1, 100_000]) expect(readOf(nested(depth))).toBe('refused')
    expect(readOf('[{"a":'.repeat(50_000))).toBe('refused')
    expect(readOf(`"${'x'.repeat(5_000_000)}"`)).not.toBe('refused')
  })
})
