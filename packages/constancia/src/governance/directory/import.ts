import type { Grant } from '@constancia/verify/governance'
import { checkId } from '../../journal/index.js'
import { type ChangeDecision, type LawNow, lawDraft, principalId } from '../changes.js'
import { governanceError } from '../errors.js'
import { bootstrapSource, directSource } from './decisions.js'
import { objectionToLoss } from './last-administrator.js'
import { type Attempt, invalid, objectionTo, objectionToRoles } from './permission.js'

/** What a company's own directory says. */
export interface RoleImport {
  /** Names that directory; an id, and neither `direct` nor `bootstrap`. */
  readonly source: string
  /** At most 10,000. What has ended is as if it were not there. */
  readonly grants: readonly ImportedGrant[]
  /** Whether what this source granted before and does not name now is revoked, or stays. */
  readonly mode: 'replace' | 'add'
}

/** One role of one principal. */
export interface ImportedGrant {
  readonly principal: string
  readonly role: string
  /** UTC milliseconds since 1970; no end unless set. */
  readonly untilMs?: number | undefined
}

/** How what a source says differs from what it granted before. */
export interface ImportDifference {
  /** New, or with another end. */
  readonly granted: readonly Grant[]
  readonly revoked: readonly Grant[]
  /** Named by the source, but revoked here by hand since: only a grant by hand gives it back. */
  readonly heldBack: readonly Grant[]
}

const grantCountMax = 10_000

/** Reads an import from outside. Throws `invalid_id`, or `invalid_change` that lists what makes no sense. */
export function roleImport({ source, grants, mode }: RoleImport): Checked {
  checkId(source, 'source of roles')
  const problems = [
    ...([directSource, bootstrapSource].includes(source) ? [`${source} is no directory of its own`] : []),
    ...(mode === 'replace' || mode === 'add' ? [] : [`a mode is replace or add, but it was ${JSON.stringify(mode)}`]),
    ...(grants.length > grantCountMax ? [`${grants.length} grants are more than ${grantCountMax} at once`] : []),
  ]
  if (problems.length > 0) {
    throw governanceError('invalid_change', `This cannot be imported: ${problems.join('; ')}. Nothing was changed.`)
  }
  const checked = grants.map(({ principal, role, untilMs = null }): Grant => {
    return { principal: principalId(principal), role: String(role), untilMs, source }
  })
  return { source, mode, grants: checked }
}

interface Checked {
  readonly source: string
  readonly mode: RoleImport['mode']
  readonly grants: readonly Grant[]
}

/** What an import would change. Pure. */
export function importDifference({ source, grants, mode }: Checked, { law, nowMs }: LawNow): ImportDifference {
  const wanted = new Map(grants.filter((grant) => isYet(grant, nowMs)).map((grant) => [keyOf(grant), grant]))
  const before = new Map(
    law
      .grants(nowMs)
      .filter((grant) => grant.source === source)
      .map((grant) => [keyOf(grant), grant]),
  )
  const news = [...wanted]
    .filter(([key, { untilMs }]) => before.get(key)?.untilMs !== untilMs)
    .map(([, grant]) => grant)
  const isHeldBack = ({ principal, role }: Grant): boolean => law.isWithdrawn(principal, role)
  return {
    granted: news.filter((grant) => !isHeldBack(grant)),
    revoked: mode === 'add' ? [] : [...before].filter(([key]) => !wanted.has(key)).map(([, grant]) => grant),
    heldBack: news.filter(isHeldBack),
  }
}

/** Decides on an import. Pure. */
export function importRoles(
  wanted: Checked & { readonly by: string; readonly data: string | undefined },
  now: LawNow,
): ChangeDecision<ImportDifference> {
  const attempt: Attempt = { change: 'import', by: wanted.by, about: { source: wanted.source } }
  const roles = [...new Set(wanted.grants.map(({ role }) => role))]
  const objection = objectionTo(attempt, now) ?? objectionToGrants(wanted.grants) ?? objectionToRoles(roles, now)
  if (objection !== undefined) return objection
  const difference = importDifference(wanted, now)
  const replaced = new Set([...difference.revoked, ...difference.granted].map(keyOf))
  const gone = (grant: Grant): boolean => grant.source === wanted.source && replaced.has(keyOf(grant))
  const loss = objectionToLoss(attempt, now, { gone, come: difference.granted })
  if (loss !== undefined) return loss
  const drafts = [
    ...difference.revoked.map(({ principal, role, source }) =>
      lawDraft('RoleRevoked', { principal, role, source }, wanted.data),
    ),
    ...difference.granted.map((grant) => lawDraft('RoleGranted', grant, wanted.data)),
  ]
  return { kind: 'change', drafts, result: difference }
}

function objectionToGrants(grants: readonly Grant[]): ChangeDecision<never> | undefined {
  const odd = grants.find(({ untilMs }) => untilMs !== null && !Number.isSafeInteger(untilMs))
  if (odd !== undefined) return invalid(`The end of ${odd.role} of ${odd.principal} is no moment in milliseconds.`)
  const met = new Set<string>()
  for (const grant of grants) {
    if (met.has(keyOf(grant))) return invalid(`${grant.role} of ${grant.principal} is named twice.`)
    met.add(keyOf(grant))
  }
  return undefined
}

function isYet({ untilMs }: Grant, nowMs: number): boolean {
  return untilMs === null || untilMs > nowMs
}

function keyOf({ principal, role }: Grant): string {
  return `${principal}\n${role}`
}
