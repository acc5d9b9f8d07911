/**
 * What a condition computes with. Whole numbers are `bigint`, all others `number`, so that 1 and 1.0 can be told apart as
 * their schema tells them apart; texts are compared by code points.
 */
export type ConditionValue = null | boolean | bigint | number | string | readonly ConditionValue[] | ConditionMap

/** Names and values. */
export type ConditionMap = ReadonlyMap<string, ConditionValue>

/** What a text of JSON holds, as conditions compute with it. Throws `SyntaxError` for what is no JSON. */
export function conditionValueOf(text: string): ConditionValue {
  return jsonValueOf(JSON.parse(text))
}

function jsonValueOf(json: unknown): ConditionValue {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json
  if (Array.isArray(json)) return json.map(jsonValueOf)
  if (typeof json !== 'object' || json === null) return json as ConditionValue
  return new Map(Object.entries(json).map(([name, value]) => [name, jsonValueOf(value)]))
}

/** What a value is called in a message. */
export function typeName(value: ConditionValue): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'double'
  if (typeof value === 'string') return 'string'
  return isMap(value) ? 'map' : 'list'
}

/** Whether a value has names. */
export function isMap(value: ConditionValue): value is ConditionMap {
  return value instanceof Map
}

/** Whether a value is a list. */
export function isList(value: ConditionValue): value is readonly ConditionValue[] {
  return Array.isArray(value)
}

/** Whether two values are the same. Values of different types never are, but numbers are compared as numbers. */
export function areEqual(one: ConditionValue, other: ConditionValue): boolean {
  if (isNumber(one) && isNumber(other)) return order(one, other) === 0
  if (isList(one) && isList(other)) {
    return one.length === other.length && one.every((item, index) => areEqual(item, other[index] as ConditionValue))
  }
  if (isMap(one) && isMap(other)) return one.size === other.size && [...one].every((entry) => hasEntry(other, entry))
  return one === other
}

function hasEntry(map: ConditionMap, [name, value]: readonly [string, ConditionValue]): boolean {
  const found = map.get(name)
  return found !== undefined && areEqual(found, value)
}

/**
 * Below 0, 0 or above 0 where the first comes before, with or after the second; NaN where neither is so; undefined where
 * such values have no order.
 */
export function compare(one: ConditionValue, other: ConditionValue): number | undefined {
  if (isNumber(one) && isNumber(other)) return order(one, other)
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other)
  return
}

function isNumber(value: ConditionValue): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number'
}

// The language compares the two kinds of numbers exactly, without making one of the other.
function order(one: bigint | number, other: bigint | number): number {
  if (one < other) return -1
  if (one > other) return 1
  return Number.isNaN(one) || Number.isNaN(other) ? Number.NaN : 0
}

function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const left = one.charCodeAt(index)
    const right = other.charCodeAt(index)
    // A pair of surrogates stands for a code point beyond all single units, whatever their own numbers are.
    if (left !== right) return rank(left) - rank(right)
  }
  return one.length - other.length
}

function rank(unit: number): number {
  return isSurrogate(unit) ? unit + 0x10000 : unit
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

/** How many code points a text has. */
export function codePointCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
