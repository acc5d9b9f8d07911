import { administrator, type Grant } from '@constancia/verify/governance'
import { type ChangeDecision, type LawNow, lawDraft } from '../changes.js'
import { objectionToLoss } from './last-administrator.js'
import { type Attempt, invalid, objectionTo, objectionToEnd, objectionToRoles } from './permission.js'

/** The source of what is granted here, by somebody, one by one. */
export const directSource = 'direct'
/** The source of the first administrator. */
export const bootstrapSource = 'bootstrap'

/** Who wants it, and the text of their reason. */
interface Wanted {
  readonly by: string
  readonly data: string | undefined
}

type Decision = ChangeDecision<undefined>

const nothing: Decision = { kind: 'change', drafts: [], result: undefined }

/** Decides on the first administrator. Pure. */
export function bootstrap(
  wanted: { readonly principal: string; readonly by: string },
  { law, nowMs }: LawNow,
): Decision {
  const { principal } = wanted
  const given: Grant = { principal, role: administrator, untilMs: null, source: bootstrapSource }
  // The same again, after an answer that was lost.
  if (law.grants(nowMs, principal).some((grant) => isSame(grant, given))) return nothing
  if (!law.wasGranted(administrator)) return change(lawDraft('RoleGranted', given))
  const reason = `The first ${administrator} was granted before; only whoever holds that role makes others.`
  return { kind: 'refused', body: { change: 'bootstrap', code: 'not_permitted', about: { principal } }, reason }
}

/** Decides on a grant. Pure. */
export function grant(
  { principal, role, untilMs, by, data }: Wanted & { principal: string; role: string; untilMs: number | null },
  now: LawNow,
): Decision {
  const attempt: Attempt = { change: 'grant', by, about: { principal, role: short(role) } }
  const objection = objectionTo(attempt, now) ?? objectionToRoles([role], now) ?? objectionToEnd(untilMs, now)
  if (objection !== undefined) return objection
  const given: Grant = { principal, role, untilMs, source: directSource }
  const held = now.law.grants(now.nowMs, principal)
  if (held.some((grant) => isSame(grant, given))) return nothing
  const gone = (grant: Grant): boolean => isOf(grant, given) && grant.source === directSource
  return objectionToLoss(attempt, now, { gone, come: [given] }) ?? change(lawDraft('RoleGranted', given, data))
}

/** Decides on a revocation. Pure. */
export function revoke(
  { principal, role, by, data }: Wanted & { principal: string; role: string },
  now: LawNow,
): Decision {
  const attempt: Attempt = { change: 'revoke', by, about: { principal, role: short(role) } }
  const objection = objectionTo(attempt, now)
  if (objection !== undefined) return objection
  const { law, nowMs } = now
  if (!law.grants(nowMs, principal).some((grant) => grant.role === role)) return nothing
  const loss = objectionToLoss(attempt, now, { gone: (grant) => isOf(grant, { principal, role }) })
  return loss ?? change(lawDraft('RoleRevoked', { principal, role, source: null }, data))
}

/** Decides on a delegation. Pure. */
export function delegate(
  wanted: Wanted & { from: string; to: string; roles: readonly string[]; untilMs: number },
  now: LawNow,
): Decision {
  const { from, to, roles, untilMs, by, data } = wanted
  const attempt: Attempt = { change: 'delegate', by, about: { from, to } }
  const permitted = by === from ? undefined : objectionTo(attempt, now)
  const objection = permitted ?? objectionToDelegation(wanted, now)
  if (objection !== undefined) return objection
  const current = now.law.delegations(now.nowMs).find((other) => other.from === from && other.to === to)
  if (current?.untilMs === untilMs && current.roles.join() === roles.join()) return nothing
  return change(lawDraft('DelegationGranted', { from, to, roles, untilMs }, data))
}

function objectionToDelegation(
  { from, to, roles, untilMs }: { from: string; to: string; roles: readonly string[]; untilMs: number },
  now: LawNow,
): ChangeDecision<never> | undefined {
  if (from === to) return invalid('Nobody stands for themselves: a delegation is to somebody else.')
  if (roles.length === 0) return invalid('A delegation names at least one role.')
  if (roles.includes(administrator)) return invalid(`The role ${administrator} is granted, never delegated.`)
  const unknown = objectionToRoles(roles, now) ?? objectionToEnd(untilMs, now)
  if (unknown !== undefined) return unknown
  const held = now.law.grantedTo(from, now.nowMs)
  const missing = roles.filter((role) => !held.includes(role))
  if (missing.length === 0) return
  return invalid(`Nobody delegates what they do not hold, and ${from} does not hold ${missing.join(', ')} now.`)
}

/** Decides on the end of a delegation. Pure. */
export function undelegate({ from, to, by, data }: Wanted & { from: string; to: string }, now: LawNow): Decision {
  const attempt: Attempt = { change: 'undelegate', by, about: { from, to } }
  const objection = by === from ? undefined : objectionTo(attempt, now)
  if (objection !== undefined) return objection
  const isThere = now.law.delegations(now.nowMs).some((other) => other.from === from && other.to === to)
  return isThere ? change(lawDraft('DelegationRevoked', { from, to }, data)) : nothing
}

/** Decides on a person behind an identity. Pure. */
export function link(
  { principal, person, by }: { readonly principal: string; readonly person: string; readonly by: string },
  now: LawNow,
): Decision {
  const objection = objectionTo({ change: 'link', by, about: { principal, person } }, now)
  if (objection !== undefined) return objection
  const { law } = now
  const holds =
    principal === person ? law.personOf(principal) === principal : law.personOf(principal) === law.personOf(person)
  return holds ? nothing : change(lawDraft('IdentityLinked', { principal, person }))
}

function change(draft: ReturnType<typeof lawDraft>): Decision {
  return { kind: 'change', drafts: [draft], result: undefined }
}

function isOf(grant: Grant, { principal, role }: Pick<Grant, 'principal' | 'role'>): boolean {
  return grant.principal === principal && grant.role === role
}

function isSame(grant: Grant, other: Grant): boolean {
  return isOf(grant, other) && grant.source === other.source && grant.untilMs === other.untilMs
}

// It comes from outside, and may be anything.
function short(role: string): string {
  return role.slice(0, 200)
}
