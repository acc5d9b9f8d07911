import { type DeclaredApproval, deadlineOf } from '@constancia/verify/governance'
import type { Host, OpRecord } from '../../engine/index.js'
import type { Draft } from '../../journal/index.js'
import type { AnyAction } from '../contract/action.js'
import { type Government, schemaDigestOf } from '../government.js'
import { type About, draftOf } from '../kinds.js'
import { type AskedApproval, pendingOf } from './pending.js'
import { shownDigestOf, shownTextOf } from './shown.js'

/** What people are asked. */
export interface ApprovalQuestion {
  readonly about: About
  readonly contract: string
  /** The rule that asks for it, where the gate did. */
  readonly rule: number | null
  readonly policy: DeclaredApproval
  readonly action: AnyAction | undefined
  readonly inputText: string | undefined
  readonly question: string
}

/** The event that asks people, with exactly what they are shown. */
export function requestOf(asked: ApprovalQuestion, host: Host): Draft {
  const { about, contract, rule, policy, action, inputText = null, question } = asked
  const { basis } = host.parts.governing as Government
  const name = action?.name ?? null
  const schema = name === null ? null : schemaDigestOf(basis.inForce?.declared, name)
  const text = shownTextOf({ action: name, title: action?.title ?? '', schema, input: inputText, question })
  const shown = shownDigestOf(host.runId, about.op, text)
  return draftOf(
    'ApprovalRequested',
    { ...about, contract, action: name, rule, policy, shown, ...host.guarded?.tells },
    text,
  )
}

/** When something is to be done about an approval that is open: it is escalated, or its deadline comes. UTC milliseconds since 1970. */
export function wakeOf(asked: AskedApproval, record: OpRecord | undefined): number | undefined {
  const { policy } = asked.request
  const isEscalated = record?.added?.some(({ kind }) => kind === 'ApprovalEscalated') === true
  const escalatesMs =
    policy.escalation === null || isEscalated ? undefined : asked.requestedAtMs + policy.escalation.afterMs
  const moments = [deadlineOf(pendingOf(asked, null)), escalatesMs].filter((moment) => moment !== undefined)
  return moments.length === 0 ? undefined : Math.min(...moments)
}
