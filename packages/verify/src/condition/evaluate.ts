import type { CallName, Condition, RelationSign, Sides } from './syntax.js'
import {
  areEqual,
  type ConditionMap,
  type ConditionValue,
  codePointCount,
  compare,
  isList,
  isMap,
  typeName,
} from './value.js'

/** What a condition comes to. Whoever asks a condition for permission takes an error for no. */
export type Evaluated =
  | { readonly kind: 'value'; readonly value: ConditionValue }
  | { readonly kind: 'error'; readonly at: number; readonly reason: string }

/**
 * Computes a condition from named values. It never throws. As in CEL, `&&` and `||` do not mind an error on one side if the
 * other side decides, whichever comes first.
 */
export function evaluateCondition(condition: Condition, names: ConditionMap): Evaluated {
  const outcome = compute(condition, names)
  if (outcome instanceof Failure) return { kind: 'error', at: outcome.at, reason: outcome.reason }
  return { kind: 'value', value: outcome }
}

class Failure {
  readonly at: number
  readonly reason: string

  constructor(at: number, reason: string) {
    this.at = at
    this.reason = reason
  }
}

type Outcome = ConditionValue | Failure

function compute(condition: Condition, names: ConditionMap): Outcome {
  switch (condition.kind) {
    case 'literal':
      return condition.value
    case 'name':
      return named(names, condition.name, condition.at)
    case 'list':
      return all(condition.items, names)
    case 'not': {
      const value = compute(condition.of, names)
      return typeof value === 'boolean' ? !value : asBool(value, condition.at)
    }
    case 'member':
      return within(condition.of, names, (value) => memberOf(value, condition))
    case 'has':
      return within(condition.of, names, (value) => hasMember(value, condition))
    case 'index':
      return indexed(condition, names)
    case 'call': {
      const given = all(condition.given, names)
      return given instanceof Failure ? given : called(condition.name, given, condition.at)
    }
    case 'relation': {
      const sides = all(condition.sides, names)
      return sides instanceof Failure ? sides : related(condition.sign, sides as never, condition.at)
    }
    case 'and':
    case 'or':
      return joined(condition, names)
    case 'choice': {
      const test = compute(condition.test, names)
      if (typeof test !== 'boolean') return asBool(test, condition.test.at)
      return compute(condition.sides[test ? 0 : 1], names)
    }
  }
}

// One side that decides is enough, even if the other fails.
function joined({ kind, sides, at }: { kind: 'and' | 'or'; sides: Sides; at: number }, names: ConditionMap): Outcome {
  const deciding = kind === 'or'
  const first = compute(sides[0], names)
  if (first === deciding) return deciding
  const second = compute(sides[1], names)
  if (second === deciding) return deciding
  if (typeof first !== 'boolean') return asBool(first, at)
  return typeof second === 'boolean' ? second : asBool(second, at)
}

function asBool(value: Outcome, at: number): Failure {
  if (value instanceof Failure) return value
  return new Failure(at, `A bool is expected here, not ${typeName(value)}.`)
}

function all(parts: readonly Condition[], names: ConditionMap): readonly ConditionValue[] | Failure {
  const values: ConditionValue[] = []
  for (const part of parts) {
    const value = compute(part, names)
    if (value instanceof Failure) return value
    values.push(value)
  }
  return values
}

function within(part: Condition, names: ConditionMap, then: (value: ConditionValue) => Outcome): Outcome {
  const value = compute(part, names)
  return value instanceof Failure ? value : then(value)
}

function named(map: ConditionMap, name: string, at: number): Outcome {
  const value = map.get(name)
  return value === undefined ? new Failure(at, `There is no ${name}.`) : value
}

function memberOf(value: ConditionValue, { name, at }: { name: string; at: number }): Outcome {
  if (!isMap(value)) return new Failure(at, `${typeName(value)} has no ${name}.`)
  return named(value, name, at)
}

function hasMember(value: ConditionValue, { name, at }: { name: string; at: number }): Outcome {
  return isMap(value) ? value.has(name) : new Failure(at, `${typeName(value)} has no ${name}.`)
}

function indexed({ of, index, at }: Condition & { kind: 'index' }, names: ConditionMap): Outcome {
  const parts = all([of, index], names)
  if (parts instanceof Failure) return parts
  const [value, place] = parts as readonly [ConditionValue, ConditionValue]
  if (isMap(value) && typeof place === 'string') return named(value, place, at)
  // A number that is whole is a place whichever kind it is of.
  const isPlace = typeof place === 'bigint' || (typeof place === 'number' && Number.isInteger(place))
  if (!isList(value) || !isPlace) return new Failure(at, `${typeName(value)} has no place of type ${typeName(place)}.`)
  return value[Number(place)] ?? itemOf(value, Number(place), at)
}

// Null is an item as well.
function itemOf(list: readonly ConditionValue[], place: number, at: number): Outcome {
  return place >= 0 && place < list.length ? null : new Failure(at, `A list of ${list.length} has no place ${place}.`)
}

function called(name: CallName, given: readonly ConditionValue[], at: number): Outcome {
  const [value, other] = given as readonly [ConditionValue, ConditionValue?]
  if (name === 'size') {
    if (typeof value === 'string') return BigInt(codePointCount(value))
    if (isList(value)) return BigInt(value.length)
    return isMap(value) ? BigInt(value.size) : new Failure(at, `${typeName(value)} has no size.`)
  }
  if (typeof value !== 'string' || typeof other !== 'string') return new Failure(at, `${name} works on texts.`)
  if (name === 'contains') return value.includes(other)
  return name === 'startsWith' ? value.startsWith(other) : value.endsWith(other)
}

function related(sign: RelationSign, [one, other]: readonly [ConditionValue, ConditionValue], at: number): Outcome {
  if (sign === '==') return areEqual(one, other)
  if (sign === '!=') return !areEqual(one, other)
  if (sign === 'in') {
    if (isList(other)) return other.some((item) => areEqual(item, one))
    if (isMap(other)) return typeof one === 'string' && other.has(one)
    return new Failure(at, `Nothing is in ${typeName(other)}.`)
  }
  const order = compare(one, other)
  if (order === undefined) return new Failure(at, `${typeName(one)} and ${typeName(other)} have no order.`)
  if (sign === '<') return order < 0
  if (sign === '<=') return order <= 0
  return sign === '>' ? order > 0 : order >= 0
}
