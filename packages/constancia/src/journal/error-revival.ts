import { errorClasses } from './error-facts.js'
import { ConstanciaError } from './errors.js'
import { isBranded, permanentBrand } from './permanent.js'
import type { ErrorType } from './value-format.js'

/** What a stored text says of an error; values in it have been read. */
export interface ErrorParts {
  readonly type: ErrorType
  readonly name: string | undefined
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly cause: { readonly value: unknown } | undefined
  readonly errors: { readonly value: unknown } | undefined
  readonly permanent: boolean
}

/**
 * Makes an error of its class again. Its fields are own properties, `cause` and `errors` are hidden ones as the language
 * makes them, and `stack` is its name and message only: where it was thrown is not kept.
 */
export function reviveError(parts: ErrorParts): Error {
  const { name, message, fields, cause, errors } = parts
  const error = construct(parts)
  if (name !== undefined) hide(error, 'name', name)
  for (const key of Object.keys(fields)) show(error, key, fields[key])
  if (cause !== undefined) hide(error, 'cause', cause.value)
  if (errors !== undefined) hide(error, 'errors', errors.value)
  if (parts.permanent && !isBranded(error)) hide(error, permanentBrand, true)
  // Set and not defined: to define it would first write out the stack that is to be dropped.
  error.stack = `${name ?? parts.type}: ${message}`
  return error
}

function construct(parts: ErrorParts): Error {
  const { type, message, fields } = parts
  if (type === 'ConstanciaError') return new ConstanciaError(String(fields['code']), message)
  if (type !== 'AggregateError') return new errorClasses[type](message)
  const error = new AggregateError([], message)
  if (parts.errors === undefined) Reflect.deleteProperty(error, 'errors')
  return error
}

function show(error: Error, key: PropertyKey, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: true })
}

function hide(error: Error, key: PropertyKey, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: false })
}
