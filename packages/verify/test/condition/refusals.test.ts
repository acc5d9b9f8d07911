import { describe, expect, test } from 'vitest'
import { conditionDepthMax, conditionLengthMax, evaluateCondition, parseCondition } from '../../dist/index.js'

function refusal(text: string): readonly [number, string] {
  const parsed = parseCondition(text)
  if (parsed.kind !== 'refused') throw new Error(`${text} was taken for a condition.`)
  return [parsed.at, parsed.reason]
}

describe('what is no condition is refused at its place, with the reason', () => {
  test.each([
    ['', 0, /ends where a value/],
    ['input.', 6, /ends where a value/],
    ['1 + 1', 2, /"\+" is not part/],
    ['a - 1', 2, /fits is expected/],
    ['-input', 1, /no arithmetic/],
    ['1u', 1, /no suffixes/],
    ['0x', 1, /no suffixes/],
    ['1.', 2, /fits is expected|ends where/],
    ['1e999', 0, /too large/],
    ['9223372036854775808', 0, /too large/],
    ['-9223372036854775809', 0, /too small/],
    ['"a', 0, /no end/],
    ['"a\nb"', 0, /no end/],
    ['"\\q"', 1, /no escape/],
    ['"\\ud800"', 1, /no such character/],
    ['"\\U00110000"', 1, /no such character/],
    ['r"a"', 0, /without a prefix/],
    ['"""a"""', 0, /three quotes/],
    ['{"a": 1}', 0, /"\{" is not part/],
    ['a.all(x, x > 1)', 2, /no function all/],
    ['matches(a, "b")', 0, /no function matches/],
    ['size()', 0, /another number/],
    ['size(a, b)', 0, /another number/],
    ['has(a)', 0, /one path/],
    ['has(a.b, c)', 0, /one path/],
    ['if', 0, /keeps for itself/],
    ['a b', 2, /fits is expected/],
    ['(a', 2, /"\)" is expected/],
    ['a ? b', 5, /":" is expected/],
    ['[1, 2', 5, /"\]" is expected/],
    ['a == = b', 5, /"=" is not part/],
    ['a; drop', 1, /";" is not part/],
    ['“a”', 0, /not part/],
  ])('%s', (text, at, reason) => {
    expect(refusal(text)).toEqual([at, expect.stringMatching(reason)])
  })

  test('one that is too long or nested too deep, whatever it says', () => {
    expect(refusal(' '.repeat(conditionLengthMax + 1))[1]).toMatch(/at most 4096 characters, not 4097/)
    expect(refusal('('.repeat(2_000))[1]).toMatch(/nested at most 40 deep/)
    expect(refusal('['.repeat(2_000))[1]).toMatch(/nested at most 40 deep/)
    expect(refusal('a ? b : '.repeat(500))[1]).toMatch(/nested at most 40 deep/)
    const deepest = `${'('.repeat(conditionDepthMax - 1)}true${')'.repeat(conditionDepthMax - 1)}`
    expect(parseCondition(deepest).kind).toBe('condition')
  })

  test('the longest that there are end soon', () => {
    for (const text of [`${'!'.repeat(4_090)}true`, `a${'.a'.repeat(2_000)}`, `true${' || true'.repeat(500)}`]) {
      const parsed = parseCondition(text)
      expect(parsed.kind === 'condition' && evaluateCondition(parsed.condition, new Map()).kind).toMatch(/value|error/)
    }
  })
})
