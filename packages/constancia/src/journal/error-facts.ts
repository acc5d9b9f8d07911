import { types } from 'node:util'
import { ConstanciaError } from './errors.js'
import { isBranded, PermanentError } from './permanent.js'
import { classNameOf, constructorNameOf, type Found, findProperty, ownProperty, prototypesOf } from './property.js'
import { type ErrorType, errorPlaces, errorTypes } from './value-format.js'

/** What is kept of an error, read without running any of its code. */
export interface ErrorFacts {
  readonly type: ErrorType
  readonly name: string
  readonly message: Found
  /** Also where it is inherited or hidden: it is what programs branch on. */
  readonly code: Found
  /** Own enumerable fields; without `code` and what has a place of its own. */
  readonly fieldKeys: readonly string[]
  readonly cause: Found
  /** Of an AggregateError. */
  readonly errors: Found
  /** Whether the error itself is marked; its causes do not count. */
  readonly permanent: boolean
}

/** The constructors of the classes that come back as what they were. */
export const errorClasses = {
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
  AggregateError,
  PermanentError,
  ConstanciaError,
} as const satisfies Record<ErrorType, unknown>

const typeByPrototype = new Map<object, ErrorType>(errorTypes.map((type) => [errorClasses[type].prototype, type]))
const typeByName: ReadonlyMap<string, ErrorType> = new Map(errorTypes.map((type) => [type, type]))
const domPrototype: object = DOMException.prototype

/** The nearest of the classes that come back as what they were, or undefined for what is no error. */
export function errorTypeOf(object: object): ErrorType | undefined {
  const name = ownProperty(object, 'name')
  const hasCode = isText(ownProperty(object, 'code'))
  if (hasCode && isText(name) && name.value === 'ConstanciaError') return 'ConstanciaError'
  for (const prototype of prototypesOf(object)) {
    const type = typeByPrototype.get(prototype) ?? foreignType(prototype)
    if (type !== undefined && (hasCode || type !== 'ConstanciaError')) return type
  }
  return types.isNativeError(object) ? 'Error' : undefined
}

/** Reads what is kept of an error, or of anything else that was thrown; the object must not be a Proxy. */
export function errorFacts(object: object): ErrorFacts {
  const type = errorTypeOf(object) ?? 'Error'
  return {
    type,
    name: nameOf(object, type),
    message: findReadable(object, 'message'),
    code: findReadable(object, 'code'),
    fieldKeys: Object.keys(object).filter((key) => !isPlace(key, type)),
    cause: ownProperty(object, 'cause'),
    errors: type === 'AggregateError' ? ownProperty(object, 'errors') : undefined,
    permanent: isBranded(object),
  }
}

/** Whether a key of an error of this type has a place of its own in the format. */
function isPlace(key: string, type: ErrorType): boolean {
  return key === 'code' || errorPlaces.has(key) || (key === 'errors' && type === 'AggregateError')
}

/** The name that the error was given; where it only has its base class's, the name of its class. */
function nameOf(object: object, type: ErrorType): string {
  const own = ownProperty(object, 'name')
  if (isText(own)) return own.value
  const found = findReadable(object, 'name')
  if (isText(found) && found.value !== '' && found.value !== type) return found.value
  return classNameOf(object) ?? type
}

function isText(found: Found): found is { readonly value: string } {
  return found !== undefined && found !== 'accessor' && typeof found.value === 'string'
}

/** A DOMException (an abort, a time-out) keeps its texts behind getters of the platform; those alone are called. */
function findReadable(object: object, key: 'name' | 'message' | 'code'): Found {
  const found = findProperty(object, key)
  if (found !== 'accessor') return found
  const getter = Object.getOwnPropertyDescriptor(domPrototype, key)?.get
  try {
    return getter === undefined ? found : { value: getter.call(object) as unknown }
  } catch {
    return found // The platform's getter refuses what is no DOMException.
  }
}

/** A class of errors of another realm, or of another copy of this package. */
function foreignType(prototype: object): ErrorType | undefined {
  const name = ownProperty(prototype, 'name')
  const type = isText(name) ? typeByName.get(name.value) : undefined
  return type !== undefined && constructorNameOf(prototype) === type ? type : undefined
}
