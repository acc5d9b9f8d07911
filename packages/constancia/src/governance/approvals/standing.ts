import type { OpId } from '../../journal/index.js'
import type { RunRow } from '../../store/index.js'
import type { AnswerRefused } from './deciding.js'
import { type AskedApproval, askedApproval } from './pending.js'
import type { RunReading } from './reading.js'

/** An approval that a vote can change, or why none can. */
export type Standing = { readonly kind: 'open'; readonly asked: AskedApproval } | AnswerRefused

/** Finds the approval that somebody answers. Pure. */
export function standingOf(op: OpId, run: RunRow | undefined, reading: RunReading): Standing {
  if (run === undefined) return refused('unknown_run', 'There is no such run.', 'nothing')
  const asked = askedApproval(reading.about(op))
  const stands = asked?.resolved?.outcome ?? run.outcome
  if (asked === undefined) return refused('unknown_approval', 'No approval was asked for there.', stands)
  if (asked.resolved !== undefined) return refused('resolved_already', `It is decided: ${stands}.`, stands)
  if (run.outcome !== 'open') return refused('run_ended', `The run has ended as ${stands}.`, stands)
  if (isCancelled(op, reading)) return refused('cancelled', 'The run is being cancelled.', 'cancelled')
  return { kind: 'open', asked }
}

// A wish to cancel closes whatever is open at its place in the journal; what the clean-up asks for later is open.
function isCancelled(op: OpId, reading: RunReading): boolean {
  const { cancelSeq } = reading
  if (cancelSeq === undefined) return false
  const requested = reading.about(op).filter(({ kind }) => kind === 'ApprovalRequested')
  return (requested.at(-1)?.seq ?? -1) < cancelSeq
}

/** What is told to whoever answers in vain. */
export function refused(code: AnswerRefused['code'], reason: string, stands: string): AnswerRefused {
  return { kind: 'refused', code, reason, stands }
}
