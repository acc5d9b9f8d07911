import { administrator } from '@constancia/verify/governance'
import type { ChangeDecision, LawNow } from '../changes.js'
import { governanceError } from '../errors.js'
import type { GovernedChange } from '../refusals.js'

/** Somebody who wants to change what principals may. */
export interface Attempt {
  readonly change: GovernedChange
  readonly by: string
  readonly about: Readonly<Record<string, string>>
}

/** Undefined where whoever wants the change holds `administrator` now, by a grant; a delegated one does not count. */
export function objectionTo({ change, by, about }: Attempt, { law, nowMs }: LawNow): ChangeDecision<never> | undefined {
  if (law.grantedTo(by, nowMs).includes(administrator)) return
  const reason = `Only whoever holds ${administrator} may do this (${change}), and ${by} does not hold it now.`
  return { kind: 'refused', body: { change, code: 'not_permitted', about }, reason }
}

/** Undefined where the contract in force knows the role; the role that rules the directory is known without one. */
export function objectionToRoles(roles: readonly string[], { law }: LawNow): ChangeDecision<never> | undefined {
  const known = [...new Set([administrator, ...Object.keys(law.inForce?.declared.roles ?? {})])]
  const unknown = roles.filter((role) => !known.includes(role))
  if (unknown.length === 0) return
  const named = unknown.map((role) => JSON.stringify(role.slice(0, 80))).join(', ')
  return invalid(
    `${unknown.length === 1 ? 'There is no role' : 'There are no roles'} ${named}: the contract in force knows ${known.join(', ')}. ` +
      'Name one of these, or put a contract in force that declares it.',
  )
}

/** Undefined where an end is a moment that is yet to come. */
export function objectionToEnd(untilMs: number | null, { nowMs }: LawNow): ChangeDecision<never> | undefined {
  if (untilMs === null || (Number.isSafeInteger(untilMs) && untilMs > nowMs && untilMs <= latestMs)) return
  return invalid(`An end is a moment to come, in whole milliseconds since 1970, but it was ${String(untilMs)}.`)
}

// The last moment that ECMAScript has.
const latestMs = 8.64e15

/** What it says makes no sense. */
export function invalid(message: string): ChangeDecision<never> {
  return { kind: 'invalid', error: governanceError('invalid_change', `${message} Nothing was changed.`) }
}
