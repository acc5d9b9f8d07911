import type { ReplayedKind } from '../reading/forms.js'
import type { ReplayCheck } from './finding.js'

interface KindFacts {
  /** What cannot be evaluated without it; the first is the one that it fails itself. */
  readonly checks: readonly ReplayCheck[]
  /** Whether it is decided by a law. */
  readonly isDecided?: true
  /** Who writes it; both may where that is not said. */
  readonly by?: 'owner' | 'people'
}

const all: readonly ReplayCheck[] = ['actions', 'approvals', 'resumes', 'once']

const facts: Readonly<Record<ReplayedKind, KindFacts>> = {
  FlowStarted: { checks: all },
  ChildEnded: { checks: ['resumes'] },
  CancelRequested: { checks: all },
  ActionAuthorized: { checks: ['actions', 'once'], isDecided: true, by: 'owner' },
  ActionDenied: { checks: ['actions', 'once'], isDecided: true, by: 'owner' },
  ActionCompleted: { checks: ['actions', 'once'], by: 'owner' },
  ActionAttemptFailed: { checks: ['once'], by: 'owner' },
  ActionFailed: { checks: ['once'], by: 'owner' },
  OutcomeUnknown: { checks: ['once'], by: 'owner' },
  OutcomeStated: { checks: ['actions', 'once'], isDecided: true, by: 'people' },
  ApprovalRequested: { checks: ['approvals', 'actions'], isDecided: true, by: 'owner' },
  ApprovalVoted: { checks: ['approvals', 'actions'], isDecided: true, by: 'people' },
  ApprovalWithdrawn: { checks: ['approvals', 'actions'], isDecided: true, by: 'people' },
  ApprovalEscalated: { checks: ['approvals'], isDecided: true, by: 'owner' },
  ApprovalResolved: { checks: ['approvals', 'actions'], isDecided: true },
  ResumeAuthorized: { checks: ['resumes'], isDecided: true },
  ResumeDeferred: { checks: ['resumes'], isDecided: true, by: 'owner' },
  ResumeDenied: { checks: ['resumes'], isDecided: true, by: 'people' },
}

/** What cannot be evaluated without an event of this kind; the first is what it fails itself. */
export function checksOf(kind: ReplayedKind): readonly ReplayCheck[] {
  return facts[kind].checks
}

/** Whether events of this kind are decided by a law. */
export function isDecision(kind: string): boolean {
  return facts[kind as ReplayedKind].isDecided === true
}

/** Whether only owners of the run write it. */
export function isOwnersKind(kind: string): boolean {
  return facts[kind as ReplayedKind].by === 'owner'
}

/** Whether only people write it. */
export function isPeoplesKind(kind: string): boolean {
  return facts[kind as ReplayedKind].by === 'people'
}
