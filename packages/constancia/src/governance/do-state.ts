import type { Outcome } from '../engine/index.js'
import { type AskedApproval, askedApproval } from './approvals/pending.js'
import { bodyOf } from './kinds.js'

/** Where an action stands, as the journal tells it. */
export type DoState =
  /** Nothing is decided, or everything begins anew. `attempt` is the one that would be authorised. */
  | { readonly kind: 'undecided'; readonly attempt: number }
  /** People were asked and have not said. */
  | { readonly kind: 'asking'; readonly asked: AskedApproval }
  /** The intent is durable and nothing is known of its effect. */
  | { readonly kind: 'authorized'; readonly attempt: number; readonly event: Outcome }
  /** A failed attempt is repeated once its time has come, UTC milliseconds since 1970. */
  | { readonly kind: 'failed'; readonly attempt: number; readonly dueMs: number }
  | { readonly kind: 'unknown'; readonly attempt: number }
  /** A person said what came of it. */
  | { readonly kind: 'stated'; readonly attempt: number; readonly event: Outcome }

/** Folds what the journal has of an action. */
export function doStateOf(events: readonly Outcome[]): DoState {
  const last = events.findLast(({ kind }) => steering.has(kind))
  const attempt = attemptOf(events)
  switch (last?.kind) {
    case 'ActionAuthorized':
      return { kind: 'authorized', attempt, event: last }
    case 'ActionAttemptFailed':
      return { kind: 'failed', attempt, dueMs: last.at + bodyOf(last, 'ActionAttemptFailed').delayMs }
    case 'OutcomeUnknown':
      return { kind: 'unknown', attempt }
    case 'OutcomeStated':
      return { kind: 'stated', attempt, event: last }
    case 'ApprovalResolved':
      return { kind: 'undecided', attempt: attempt + 1 }
    default: {
      const asked = askedApproval(events)
      return asked === undefined ? { kind: 'undecided', attempt: attempt + 1 } : { kind: 'asking', asked }
    }
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
