import type { AddedKind } from '../engine/index.js'
import type { RunKind } from './kinds.js'

const outcomes: ReadonlySet<string> = new Set<RunKind>([
  'ActionCompleted',
  'ActionFailed',
  'ActionDenied',
  'MessageSent',
])
const records: ReadonlySet<string> = new Set<RunKind>([
  'ActionAuthorized',
  'ActionAttemptFailed',
  'OutcomeUnknown',
  'OutcomeStated',
  'ApprovalRequested',
  'ApprovalVoted',
  'ApprovalWithdrawn',
  'ApprovalEscalated',
  'ResumeAuthorized',
  'ResumeDeferred',
  'ResumeDenied',
])

/** What an event of governance is to the op that it names. */
export function bearingOf(kind: string, verb: string): AddedKind | undefined {
  if (outcomes.has(kind)) return 'outcome'
  // What people said to a question is its answer; to an action, it is only what it goes on from.
  if (kind === ('ApprovalResolved' satisfies RunKind)) return verb === 'approval' ? 'outcome' : 'record'
  return records.has(kind) ? 'record' : undefined
}
