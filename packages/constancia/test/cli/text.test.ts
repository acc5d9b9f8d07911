import { describe, expect, it } from 'vitest'
import { durationText, fromNowText, parseAge } from '../../dist/cli/durations.js'
import { tableLines } from '../../dist/cli/table.js'
import { cut, printable, widthOf, wrap } from '../../dist/cli/text.js'

describe('text for people', () => {
  it('C50: shows what would act on a terminal as the code that it is', () => {
    expect(printable('a\u001b[31mb\nc\u202ed\u009b')).toBe('a\\u001b[31mb\\u000ac\\u202ed\\u009b')
  })

  it('C50: counts columns and not code units', () => {
    expect([
      widthOf('año'),
      widthOf('日本'),
      widthOf('🙂'),
      widthOf('e\u0301'),
      widthOf('\u001b[31mred\u001b[0m'),
    ]).toEqual([3, 4, 2, 1, 3])
    expect(cut('日本語です', 6)).toBe('日本…')
    expect(cut('short', 6)).toBe('short')
  })

  it('C50: breaks lines between words', () => {
    expect(wrap('one two three', 7)).toBe('one two\nthree')
    expect(wrap('unbreakable one', 4)).toBe('unbreakable\none')
  })

  it('C50: a table gives an id that is too long a line of its own, and cuts the last column', () => {
    const columns = [{ title: 'RUN', whole: true }, { title: 'FLOW' }, { title: '' }]
    const rows = [
      ['a', 'pay@1', 'signal "approved" and more'],
      ['x'.repeat(40), 'pay@1', 'waiting'],
    ]
    const lines = tableLines({ columns, rows, width: 30, title: (text) => text })
    expect(lines).toEqual(['RUN  FLOW', 'a    pay@1  signal "approved"…', 'x'.repeat(40), '     pay@1  waiting'])
  })

  it('C50: tells durations in their two largest units', () => {
    const texts = [0, 999, 1_000, 59_999, 60_000, 3_599_000, 3_600_000, 90_061_000].map(durationText)
    expect(texts).toEqual(['0 ms', '999 ms', '1.0 s', '59.9 s', '1 min', '59 min 59 s', '1 h', '1 d 1 h'])
    expect([fromNowText(5_000, 2_000), fromNowText(2_000, 5_000)]).toEqual(['in 3.0 s', '3.0 s ago'])
  })

  it('C50: takes an age with a unit and nothing else', () => {
    expect(['90s', '15m', '12h', '30d', '2w'].map((text) => parseAge(text, '--older-than'))).toEqual([
      90_000, 900_000, 43_200_000, 2_592_000_000, 1_209_600_000,
    ])
    for (const text of ['30', 'd', '1.5d', '-1d', '30 d', ''])
      expect(() => parseAge(text, '--older-than'), text).toThrow('--older-than takes')
  })
})
