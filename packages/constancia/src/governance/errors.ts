import { ConstanciaError, type ErrorOptions } from '../journal/index.js'

/** What can be wrong with what governs. */
export type GovernanceErrorCode =
  /** A contract says something that makes no sense; the message lists all of it. */
  'invalid_contract'

/** A fault of governance: what happened, what it means, what to do. */
export function governanceError(code: GovernanceErrorCode, message: string, options?: ErrorOptions): ConstanciaError {
  return new ConstanciaError(code, message, options)
}
