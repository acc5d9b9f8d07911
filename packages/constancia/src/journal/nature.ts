import { types } from 'node:util'
import { errorTypeOf } from './error-facts.js'
import { classNameOf } from './property.js'

// Taken when this file is loaded: what a program later puts in their place is never called.
const { getPrototypeOf, hasOwn } = Object
const { isArray } = Array
const { isProxy } = types
const objectPrototype: object = Object.prototype

/** What an object is, by its internal slots and prototypes and not by what it says of itself. */
export type Nature =
  | 'plain'
  | 'dict'
  | 'array'
  | 'date'
  | 'map'
  | 'set'
  | 'Uint8Array'
  | 'Buffer'
  | 'ArrayBuffer'
  | 'error'
  | 'refused'

/** A class of the language: how its instances are told, its prototype here, and a method to tell another realm's. */
interface Builtin {
  readonly nature: Nature
  readonly is: (value: object) => boolean
  readonly prototype: object
  readonly method: string
}

const builtins: readonly Builtin[] = [
  { nature: 'date', is: types.isDate, prototype: Date.prototype, method: 'getTimezoneOffset' },
  { nature: 'map', is: types.isMap, prototype: Map.prototype, method: 'set' },
  { nature: 'set', is: types.isSet, prototype: Set.prototype, method: 'add' },
  { nature: 'Uint8Array', is: types.isUint8Array, prototype: Uint8Array.prototype, method: 'BYTES_PER_ELEMENT' },
  { nature: 'ArrayBuffer', is: types.isArrayBuffer, prototype: ArrayBuffer.prototype, method: 'slice' },
]

/** Other objects with internal slots: a plain object with such a slot has had its prototype replaced. */
const slots = [types.isRegExp, types.isPromise, types.isWeakMap, types.isWeakSet, types.isBoxedPrimitive]
const moreSlots = [types.isAnyArrayBuffer, types.isArrayBufferView, types.isGeneratorObject, types.isExternal]
const slotChecks = [...builtins.map((builtin) => builtin.is), ...slots, ...moreSlots]

/** Tells what an object is. Runs none of its code; a Proxy and whatever has one as its prototype is refused. */
export function natureOf(value: object): Nature {
  if (isProxy(value)) return 'refused'
  const prototype: object | null = getPrototypeOf(value)
  if (isArray(value)) return isPrototypeOfArrays(prototype) ? 'array' : 'refused'
  if (prototype === objectPrototype) return 'plain'
  if (prototype === null) return types.isModuleNamespaceObject(value) ? 'refused' : 'dict'
  if (isProxy(prototype)) return 'refused'
  for (const builtin of builtins) if (builtin.is(value)) return builtinNature(builtin, prototype)
  if (isPrototypeOfObjects(prototype)) return 'plain'
  return errorTypeOf(value) === undefined ? 'refused' : 'error'
}

/** Whether an object that looks plain has internal slots that would be lost, as a Map whose prototype was replaced. */
export function hasSlots(value: object): boolean {
  return slotChecks.some((is) => is(value))
}

/** Names what natureOf refused: `a Proxy`, `an instance of URL`. */
export function describeRefused(value: object): string {
  if (isProxy(value)) return 'a Proxy'
  const name = classNameOf(value)
  return name === undefined ? 'an object with a prototype of its own' : `an instance of ${name.slice(0, 60)}`
}

function builtinNature(builtin: Builtin, prototype: object): Nature {
  if (prototype === builtin.prototype) return builtin.nature
  if (prototype === Buffer.prototype) return 'Buffer'
  return isForeign(builtin, prototype) ? builtin.nature : 'refused'
}

/** Whether this is the prototype of a class of the language in another realm (a vm context), and not of a subclass. */
function isForeign(builtin: Builtin, prototype: object): boolean {
  if (!hasOwn(prototype, builtin.method)) return false
  const next: object | null = getPrototypeOf(prototype)
  if (builtin.nature !== 'Uint8Array') return isPrototypeOfObjects(next)
  return next !== null && !isProxy(next) && hasOwn(next, 'subarray') && isPrototypeOfObjects(getPrototypeOf(next))
}

function isPrototypeOfArrays(prototype: object | null): boolean {
  if (prototype === Array.prototype) return true
  if (prototype === null || isProxy(prototype) || !isArray(prototype)) return false
  return hasOwn(prototype, 'flatMap') && isPrototypeOfObjects(getPrototypeOf(prototype))
}

/** Whether this is `Object.prototype`, here or in another realm: nobody else has a method `isPrototypeOf` of its own. */
function isPrototypeOfObjects(prototype: object | null): boolean {
  if (prototype === objectPrototype) return true
  if (prototype === null || isProxy(prototype)) return false
  return getPrototypeOf(prototype) === null && hasOwn(prototype, 'isPrototypeOf')
}
