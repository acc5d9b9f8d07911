/** Strict sameness: type, prototype, keys and their order, holes, NaN and -0, bytes, and what errors hide. */
export function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (a instanceof Date) return Object.is(a.getTime(), (b as Date).getTime())
  if (a instanceof Map) return same([...a], [...(b as Map<unknown, unknown>)])
  if (a instanceof Set) return same([...a], [...(b as Set<unknown>)])
  if (a instanceof ArrayBuffer) return Buffer.from(a).equals(Buffer.from(b as ArrayBuffer))
  if (a instanceof Uint8Array) return Buffer.compare(a, b as Uint8Array) === 0
  return sameFields(a, b)
}

function sameFields(a: object, b: object): boolean {
  const keys = keysOf(a)
  const others = keysOf(b)
  if (keys.length !== others.length || !keys.every((key, i) => key === others[i])) return false
  return keys.every((key) => {
    const one = Object.getOwnPropertyDescriptor(a, key)
    const other = Object.getOwnPropertyDescriptor(b, key)
    return one?.enumerable === other?.enumerable && same(one?.value, other?.value)
  })
}

/** Own keys; of errors without their stack, and in one order, because each maker hides its fields in another. */
function keysOf(object: object): PropertyKey[] {
  const keys = Reflect.ownKeys(object)
  return object instanceof Error ? keys.filter((key) => key !== 'stack').sort() : keys
}
