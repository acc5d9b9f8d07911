import { describe, expect, test } from 'vitest'
import { type ConstanciaError, decodeValue, encodeValue } from '../../dist/journal/index.js'
import { options, thrownBy } from './options.js'

const malformed = [
  // Unknown tags, also those that are names of the language.
  ...['Undefined', 'regexp', 'constructor', '__proto__', 'toString', ''].map((tag) => `{"$":"${tag}"}`),
  ...['1', 'null', '{}', '["undefined"]', 'true'].map((tag) => `{"$":${tag}}`),
  '{"\\u0024":"nobody"}',
  '{"a":[{"$":"nobody"}]}',
  // A form with a key too many, too few, or of the wrong type.
  '{"$":"undefined","x":1}',
  '{"$":"number"}',
  '{"$":"number","value":"1"}',
  '{"$":"number","value":null}',
  '{"$":"number","value":"NaN","x":1}',
  '{"$":"number","value":"toString"}',
  ...['"01"', '"-0"', '"1n"', '""', '" 1"', '1', '"0x1"', '"1e3"'].map((value) => `{"$":"bigint","value":${value}}`),
  ...['"0"', '1.5', '8640000000000001', 'true', '"2026-01-01"'].map((value) => `{"$":"date","value":${value}}`),
  '{"$":"date"}',
  ...['[1]', '[[1]]', '[[1,2,3]]', '{}', '[[1,2],[1,3]]', 'null', '[[{"$":"undefined"},1],[{"$":"undefined"},2]]'].map(
    (entries) => `{"$":"map","entries":${entries}}`,
  ),
  ...['{}', '[1,1]', 'null', '"ab"'].map((items) => `{"$":"set","items":${items}}`),
  ...['AB==', 'A', 'A===', 'AAA', 'AA ==', '-_==', 'é'].map(
    (base64) => `{"$":"bytes","type":"Buffer","base64":"${base64}"}`,
  ),
  '{"$":"bytes","type":"Int8Array","base64":""}',
  '{"$":"bytes","base64":""}',
  ...[
    '0,"items":[]',
    '-1,"items":[]',
    '1.5,"items":[]',
    '4294967296,"items":[]',
    '2,"items":[[2,1]]',
    '2,"items":[[0]]',
  ].map((rest) => `{"$":"array","length":${rest}}`),
  ...[
    '3,"items":[[1,1],[1,2]]',
    '3,"items":[[1,1],[0,2]]',
    '1,"items":[[0,1]]',
    '3,"items":[["1",1]]',
    '3,"items":{}',
  ].map((rest) => `{"$":"array","length":${rest}}`),
  ...['[]', 'null', '1', '{},"x":1'].map((fields) => `{"$":"dict","fields":${fields}}`),
  '{"$":"dict"}',
  '{"$":"object","fields":{"a":1}}',
  '{"$":"object","fields":[]}',
  '{"$":"error","type":"Error"}',
  '{"$":"error","message":"m"}',
  '{"$":"error","type":"Nobody","message":"m"}',
  '{"$":"error","type":"constructor","message":"m"}',
  '{"$":"error","type":"Error","message":1}',
  ...[
    '"x":1',
    '"name":1',
    '"fields":[]',
    '"fields":{"stack":"s"}',
    '"fields":{"name":"s"}',
    '"errors":[]',
    '"permanent":false',
  ].map((rest) => `{"$":"error","type":"Error","message":"m",${rest}}`),
  '{"$":"error","type":"ConstanciaError","message":"m"}',
  '{"$":"error","type":"ConstanciaError","message":"m","fields":{"code":1}}',
  // What is not JSON.
  ...['', '{', 'undefined', 'NaN', '{"a":1}x', "{'a':1}", '"\u0000"', '[1,]'],
]

describe('R-B10 a text that is not in the format is never guessed at', () => {
  for (const text of malformed) {
    test(`R-B10 ${text === '' ? 'an empty text' : JSON.stringify(text)} is unreadable`, () => {
      const error = thrownBy(() => decodeValue(text)) as ConstanciaError
      expect(error.code).toBe('value_unreadable')
    })
  }

  test('R-B10 a key "$" that is written with an escape is a tagged form as well', () => {
    expect(decodeValue('{"\\u0024":"bigint","value":"5"}')).toBe(5n)
  })

  test('R-B10 the message about an unreadable text shows none of its data', () => {
    for (const text of [
      '{"iban":"ES9121000418450200051332"',
      '{"iban":"ES9121000418450200051332","x":{"$":"nobody"}}',
    ]) {
      const error = thrownBy(() => decodeValue(text)) as ConstanciaError
      expect(JSON.stringify([error.message, error.details, String(error.cause)])).not.toContain('ES91')
    }
  })

  const wraps: readonly (readonly [string, string])[] = [
    ['[', ']'],
    ['{"a":', '}'],
    ['{"$":"set","items":[', ']}'],
    ['{"$":"map","entries":[[1,', ']]}'],
    ['{"$":"error","type":"Error","message":"","cause":', '}'],
  ]
  for (const [open, close] of wraps) {
    test(`R-B10 200,000 levels of ${open} do not overflow the stack`, () => {
      const text = `${open.repeat(200_000)}"$"${close.repeat(200_000)}`
      expect((thrownBy(() => decodeValue(text)) as ConstanciaError).code).toBe('value_unreadable')
    })
  }

  test('R-B10 brackets and quotes in a text do not count as levels', () => {
    for (const inner of ['[', '{"', '\\', '\\"[', '"\\\\"{']) {
      const value = [inner.repeat(20_000), { [inner.repeat(5_000)]: inner }]
      expect(decodeValue(encodeValue(value, options))).toEqual(value)
    }
  })

  test('R-B10 ten thousand small results are read nearly as fast as JSON is', () => {
    const texts = Array.from({ length: 10_000 }, (_, i) => encodeValue({ id: `ch_${i}`, amount: i, ok: true }, options))
    const timeOf = (read: (text: string) => unknown): number => {
      const start = performance.now()
      for (const text of texts) read(text)
      return performance.now() - start
    }
    // In turn, and the fastest of each: the machine does other things as well.
    const rounds = Array.from({ length: 40 }, () => [timeOf(decodeValue), timeOf(JSON.parse)] as const)
    const fastest = (which: 0 | 1): number => Math.min(...rounds.map((times) => times[which]))
    expect(fastest(0)).toBeLessThan(25 * fastest(1))
  })
})
