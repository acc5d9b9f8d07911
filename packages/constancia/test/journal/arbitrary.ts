import fc from 'fast-check'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', '$', '"$"', '\\u0024', '\u0000', '\ud800', '\udfff\ud800', 'ñ', '😀', '__proto__'),
)

const key = fc.oneof(
  text,
  fc.constantFrom('$', '__proto__', 'constructor', 'prototype', 'toJSON', 'then', '0', '10', '-1'),
)

const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(NaN, -0, 0, Infinity, -Infinity, 5e-324))

const bytes = fc
  .uint8Array({ maxLength: 7 })
  .chain((array) => fc.constantFrom<unknown>(array, Buffer.from(array), new Uint8Array(array).buffer))

const leaf = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constantFrom<unknown>(null, undefined),
  fc.bigInt(),
  fc.date({ noInvalidDate: false }),
  bytes,
)

function objectOf(entries: readonly (readonly [string, unknown])[], prototype: object | null): object {
  const object = Object.create(prototype) as object
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true })
  }
  return object
}

function withHoles(items: unknown[], holes: readonly number[]): unknown[] {
  for (const hole of holes) if (hole < items.length) delete items[hole]
  return items
}

const builtins = [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]

function errorOf(item: unknown, entries: readonly (readonly [string, unknown])[], index: number): Error {
  const Class = builtins[index % builtins.length] ?? Error
  const error = index % 2 === 0 ? new Class(`m${index}`, { cause: item }) : new AggregateError([item], 'many')
  const fields = entries.filter(([name]) => !['name', 'message', 'stack', 'cause', 'errors', 'code'].includes(name))
  for (const [name, value] of fields) {
    Object.defineProperty(error, name, { value, writable: true, configurable: true, enumerable: true })
  }
  return error
}

/** Any value that a journal keeps, nested up to six levels. */
export const value: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => {
  const node = tie('node')
  const entries = fc.array(fc.tuple(key, node), { maxLength: 4 })
  const items = fc.array(node, { maxLength: 4 })
  return {
    node: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      leaf,
      items,
      fc.tuple(items, fc.array(fc.nat(4), { maxLength: 2 })).map(([array, holes]) => withHoles(array, holes)),
      entries.map((pairs) => objectOf(pairs, Object.prototype)),
      entries.map((pairs) => objectOf(pairs, null)),
      fc.array(fc.tuple(node, node), { maxLength: 3 }).map((pairs) => new Map(pairs)),
      items.map((array) => new Set(array)),
      fc.tuple(node, entries, fc.nat(20)).map(([item, pairs, index]) => errorOf(item, pairs, index)),
    ),
  }
}).node
