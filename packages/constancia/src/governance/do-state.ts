import type { OpRecord, Outcome } from '../engine/index.js'
import { type AskedApproval, askedApproval } from './approvals/pending.js'
import { bodyOf } from './kinds.js'

/** Where an action stands, as the journal tells it. */
export type DoState =
  /** Nothing is decided, or everything begins anew. `attempt` is the one that would be authorised. */
  | { readonly kind: 'undecided'; readonly attempt: number; readonly asked: AskedApproval | undefined }
  /** People were asked and have not said. */
  | { readonly kind: 'asking'; readonly asked: AskedApproval }
  /** The intent is durable and nothing is known of its effect. */
  | { readonly kind: 'authorized'; readonly attempt: number; readonly event: Outcome }
  /** A failed attempt is repeated once its time has come, UTC milliseconds since 1970. */
  | {
      readonly kind: 'failed'
      readonly attempt: number
      readonly dueMs: number
      readonly asked: AskedApproval | undefined
    }
  | { readonly kind: 'unknown'; readonly attempt: number }
  /** A person said what came of it. */
  | {
      readonly kind: 'stated'
      readonly attempt: number
      readonly event: Outcome
      readonly asked: AskedApproval | undefined
    }

/** Folds what the journal has of an action. */
export function doStateOf(record: OpRecord | undefined): DoState {
  const events = record?.added ?? []
  const asked = askedApproval(events)
  const last = events.findLast(({ kind }) => steering.has(kind))
  const attempt = attemptOf(events)
  switch (last?.kind) {
    case 'ActionAuthorized':
      return { kind: 'authorized', attempt, event: last }
    case 'ActionAttemptFailed':
      return { kind: 'failed', attempt, dueMs: last.at + bodyOf(last, 'ActionAttemptFailed').delayMs, asked }
    case 'OutcomeUnknown':
      return { kind: 'unknown', attempt }
    case 'OutcomeStated':
      return { kind: 'stated', attempt, event: last, asked }
    case 'ApprovalResolved':
      return { kind: 'undecided', attempt: attempt + 1, asked }
    default:
      if (asked !== undefined) return { kind: 'asking', asked }
      return { kind: 'undecided', attempt: attempt + 1, asked: undefined }
  }
}

const steering: ReadonlySet<string> = new Set([
  'ActionAuthorized',
  'ActionAttemptFailed',
  'OutcomeUnknown',
  'OutcomeStated',
  'ApprovalRequested',
  'ApprovalResolved',
])

function attemptOf(events: readonly Outcome[]): number {
  const last = events.findLast(({ kind }) => kind === 'ActionAuthorized' || kind === 'ActionAttemptFailed')
  return last === undefined ? 0 : (JSON.parse(last.body) as { readonly attempt: number }).attempt
}
