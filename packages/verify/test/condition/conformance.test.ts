import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { describe, expect, test } from 'vitest'
import { type ConditionValue, evaluateCondition, parseCondition } from '../../dist/index.js'

// What CEL's authors publish, as far as it speaks of the part of the language that conditions have.
interface Case {
  readonly name: string
  readonly path: string
  readonly expr: string
  readonly bindings?: Readonly<Record<string, { readonly value?: JsonValue }>>
  readonly value?: JsonValue
  readonly evalError?: unknown
  readonly container?: string
  readonly typedResult?: unknown
  readonly checkOnly?: boolean
}

type JsonValue = Readonly<Record<string, unknown>>
type Suite = {
  readonly name: string
  readonly suites?: readonly Suite[]
  readonly tests?: readonly { original: unknown }[]
}

function casesOf(suite: Suite, path = ''): Case[] {
  const below = (suite.suites ?? []).flatMap((inner) => casesOf(inner, `${path}${inner.name}/`))
  return [...below, ...(suite.tests ?? []).map(({ original }) => ({ ...(original as Case), path }))]
}

class OtherType extends Error {}

function toValue(json: JsonValue): ConditionValue {
  const [[type, value]] = Object.entries(json) as [[string, never]]
  if (type === 'nullValue') return null
  if (type === 'boolValue' || type === 'stringValue') return value
  if (type === 'int64Value') return BigInt(value)
  if (type === 'doubleValue') return Number(value)
  if (type === 'listValue') return ((value as { values?: JsonValue[] }).values ?? []).map(toValue)
  if (type === 'mapValue') {
    const { entries = [] } = value as { entries?: { key: JsonValue; value: JsonValue }[] }
    if (!entries.every(({ key }) => 'stringValue' in key)) throw new OtherType()
    return new Map(entries.map((entry) => [entry.key['stringValue'] as string, toValue(entry.value)]))
  }
  throw new OtherType()
}

const all = casesOf(tests as Suite)

/** Cases that are about something which conditions do not have, although their text could be one. */
function isForeign({ path, container, bindings, typedResult, checkOnly }: Case): boolean {
  // Names with dots in them, names of a package, and what only a type checker answers.
  const isDotted = Object.keys(bindings ?? {}).some((name) => name.includes('.'))
  return (
    container !== undefined || isDotted || typedResult !== undefined || checkOnly === true || path.startsWith('enums/')
  )
}

const within = all.flatMap((one) => {
  const parsed = parseCondition(one.expr)
  if (parsed.kind === 'refused' || isForeign(one)) return []
  try {
    const names = new Map(Object.entries(one.bindings ?? {}).map(([name, bound]) => [name, toValue(bound.value ?? {})]))
    const expected: Expected =
      one.evalError !== undefined ? 'error' : { value: toValue(one.value ?? { boolValue: true }) }
    return [{ ...one, condition: parsed.condition, names, expected }]
  } catch (error) {
    if (error instanceof OtherType) return []
    throw error
  }
})

type Expected = 'error' | { readonly value: ConditionValue }

describe("CEL's public conformance data, where conditions speak that part of it", () => {
  test('there is enough of it', () => {
    expect(all.length).toBeGreaterThan(2_000)
    expect(within.length).toBeGreaterThanOrEqual(240)
    expect(within.filter(({ expected }) => expected === 'error').length).toBeGreaterThanOrEqual(10)
  })

  test.each(within)('$path$name: $expr', ({ condition, names, expected }) => {
    const outcome = evaluateCondition(condition, names)
    if (typeof expected === 'string') expect(outcome.kind).toBe('error')
    else expect(outcome).toEqual({ kind: 'value', value: expected.value })
  })
})
