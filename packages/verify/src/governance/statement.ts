import { administrator } from './bodies.js'
import type { DeclaredApproval } from './contract.js'
import type { Law } from './law.js'

/** Somebody who wants to say what came of an effect that nobody knows the outcome of. */
export interface Stater {
  readonly stater: string
  /** The principal as whom the run acts. */
  readonly actor: string | null
  readonly law: Law
  /** UTC milliseconds since 1970. */
  readonly nowMs: number
}

/** Whether somebody may say it, and by which roles. */
export type StatementVerdict =
  | { readonly kind: 'counts'; readonly roles: readonly string[] }
  | { readonly kind: 'refused'; readonly code: 'role_missing' | 'own_request'; readonly reason: string }

/**
 * Whether somebody may settle an effect whose outcome is unknown: holders of a role that the contract in force asks for the approval
 * of this action, by any of its rules, and where no rule asks for one, holders of `administrator`; where such a rule keeps the actor
 * from approving, the actor may not settle it either. Pure.
 */
export function judgeStatement(action: string, { stater, actor, law, nowMs }: Stater): StatementVerdict {
  const approvals = approvalsOf(action, law)
  const asked = rolesThatState(action, law)
  const delegated = approvals.length === 0 ? [] : law.delegatedTo(stater, nowMs)
  const own = law.grantedTo(stater, nowMs).filter((role) => asked.includes(role))
  const lent = delegated.filter(({ role }) => asked.includes(role))
  if (own.length === 0 && lent.length === 0) {
    const reason = `It is for ${asked.join(' or ')} to say, and ${stater} holds none of these now.`
    return { kind: 'refused', code: 'role_missing', reason }
  }
  const people = [stater, ...(own.length > 0 ? [] : lent.map(({ from }) => from))].map((id) => law.personOf(id))
  const isKept = actor !== null && approvals.some(({ notBy }) => notBy === 'actor')
  if (isKept && people.includes(law.personOf(actor))) {
    const reason = 'Nobody settles what they asked for themselves, under no identity.'
    return { kind: 'refused', code: 'own_request', reason }
  }
  return { kind: 'counts', roles: own.length > 0 ? own : [...new Set(lent.map(({ role }) => role))].sort() }
}

/** The roles whose holders may say what came of an action, by the contract in force. */
export function rolesThatState(action: string, law: Law): readonly string[] {
  const approvals = approvalsOf(action, law)
  return approvals.length === 0 ? [administrator] : [...new Set(approvals.flatMap(({ roles }) => roles))]
}

function approvalsOf(action: string, law: Law): readonly DeclaredApproval[] {
  const rules = law.inForce?.declared.rules ?? []
  return rules.flatMap(({ action: of, approval }) => (of === action && approval !== null ? [approval] : []))
}
