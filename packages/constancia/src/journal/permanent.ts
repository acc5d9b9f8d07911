import { types } from 'node:util'
import { findProperty, ownProperty } from './property.js'

/** Marks an error that no retry can mend. Registered, so that every loaded copy of the package has the same one. */
export const permanentBrand: unique symbol = Symbol.for('constancia.permanent') as never

/** Causes that are looked at, the error itself included. */
const chainLengthMax = 100

/**
 * Thrown by a step to say that no further attempt can help: the step fails at once, whatever its retry policy says. An
 * error that has one among its causes counts as one, and so does an instance of a subclass.
 */
export class PermanentError extends Error {
  static {
    const hidden = { writable: true, configurable: true, enumerable: false }
    Object.defineProperty(this.prototype, 'name', { value: 'PermanentError', ...hidden })
    Object.defineProperty(this.prototype, permanentBrand, { value: true, ...hidden })
  }
}

/**
 * Whether an error, or one among its first 100 causes, is permanent. Takes anything, never throws and runs no getter:
 * what cannot be read without running code does not count.
 */
export function isPermanent(error: unknown): boolean {
  let link = error
  for (let i = 0; i < chainLengthMax; i += 1) {
    if (typeof link !== 'object' || link === null || types.isProxy(link)) return false
    if (isBranded(link)) return true
    const cause = ownProperty(link, 'cause')
    if (cause === undefined || cause === 'accessor') return false
    link = cause.value
  }
  return false
}

/** Whether this very object is marked as permanent, itself or by its class; its causes do not count. */
export function isBranded(object: object): boolean {
  const brand = findProperty(object, permanentBrand)
  return brand !== undefined && brand !== 'accessor' && brand.value === true
}
