import { administrator, type Grant } from '@constancia/verify/governance'
import type { ChangeDecision, LawNow } from '../changes.js'
import type { Attempt } from './permission.js'

/**
 * Undefined where somebody holds `administrator` without an end once these grants are gone and those are there: otherwise
 * nobody could ever change roles again.
 */
export function objectionToLoss(
  attempt: Attempt,
  { law, nowMs }: LawNow,
  { gone, come = [] }: { readonly gone: (grant: Grant) => boolean; readonly come?: readonly Grant[] },
): ChangeDecision<never> | undefined {
  const lasting = ({ role, untilMs }: Grant): boolean => role === administrator && untilMs === null
  const before = law.grants(nowMs).filter(lasting)
  const stay = [...before.filter((grant) => !gone(grant)), ...come.filter(lasting)]
  if (before.length === 0 || stay.length > 0) return
  const { change, about } = attempt
  const reason =
    `It would leave nobody who holds ${administrator} without an end, and nobody could change roles again. ` +
    `Grant ${administrator} to somebody else first, without an end.`
  return { kind: 'refused', body: { change, code: 'last_administrator', about }, reason }
}
