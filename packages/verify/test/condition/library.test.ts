import { run } from '@bufbuild/cel'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ConditionValue, evaluateCondition, parseCondition } from '../../dist/index.js'

// Random conditions over values of every type, wrong ones included: a CEL library has to come to the same.
const names = {
  n: 7n,
  d: 2.5,
  s: 'münze 😀',
  yes: true,
  items: ['a', 'b', 'münze 😀'],
  numbers: [1n, 7n, 9n],
  fields: new Map<string, ConditionValue>([
    ['a', 'b'],
    ['note', 'x'],
  ]),
  none: null,
} as const

const leaf = fc.constantFrom(
  ...[
    'n',
    'd',
    's',
    'yes',
    'items',
    'numbers',
    'fields',
    'none',
    'missing',
    'fields.a',
    'fields.gone',
    'items[0]',
    'items[9]',
  ],
  ...[
    '0',
    '7',
    '-3',
    '2.5',
    '7.0',
    '9223372036854775807',
    '"a"',
    "'münze 😀'",
    '"\\u00fc\\n"',
    'true',
    'false',
    'null',
    '["a", "b"]',
    '[]',
  ],
)
const condition: fc.Arbitrary<string> = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('tree'), fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in', '&&', '||'), tie('tree'))
      .map(([a, sign, b]) => `(${a}) ${sign} (${b})`),
    tie('tree').map((inner) => `!(${inner})`),
    fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
    tie('tree').map((inner) => `size(${inner})`),
    fc
      .tuple(tie('tree'), fc.constantFrom('startsWith', 'endsWith', 'contains'), tie('tree'))
      .map(([a, call, b]) => `(${a}).${call}(${b})`),
    fc.constantFrom('has(fields.note)', 'has(fields.gone)', 'fields["a"]', 'fields[s]', 'numbers[1]'),
  ),
})).tree

function byLibrary(text: string): { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'error' } {
  const outcome: unknown = attempt(() =>
    run(text, { ...names, items: [...names.items], numbers: [...names.numbers] } as never),
  )
  if (outcome instanceof Error || (outcome as { kind?: string } | null)?.kind === 'error') return { kind: 'error' }
  return { kind: 'value', value: plain(outcome) }
}

function attempt(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

// Its lists and maps are objects of its own.
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) return value
  const items = [...(value as Iterable<unknown>)]
  return 'has' in value ? new Map(items as [string, unknown][]) : items.map(plain)
}

// That library takes two negations for none, also where what they stand before is no bool.
const isTwiceNegated = (text: string): boolean => /!\(*!/.test(text)

describe('a CEL library comes to the same as the evaluator of auditors', () => {
  test('for two thousand random conditions', () => {
    let valueCount = 0
    let errorCount = 0
    fc.assert(
      fc.property(
        condition.filter((text) => !isTwiceNegated(text)),
        (text) => {
          const parsed = parseCondition(text)
          if (parsed.kind === 'refused') throw new Error(`${text} was refused: ${parsed.reason}`)
          const ours = evaluateCondition(parsed.condition, new Map<string, ConditionValue>(Object.entries(names)))
          const theirs = byLibrary(text)
          if (ours.kind === 'value') valueCount++
          else errorCount++
          expect({ text, ...(ours.kind === 'error' ? { kind: 'error' } : ours) }).toEqual({ text, ...theirs })
        },
      ),
      { numRuns: 2_000 },
    )
    expect(Math.min(valueCount, errorCount)).toBeGreaterThan(200)
  }, 120_000)
})
