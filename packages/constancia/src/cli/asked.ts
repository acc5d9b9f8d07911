import { deadlineOf, type Law, rolesAskedAt } from '@constancia/verify'
import type { Runtime } from '../engine/index.js'
import {
  type AskedApproval,
  askedApproval,
  bodyOf,
  eventsAbout,
  pendingOf,
  type Question,
  questionOf,
  rolesThatState,
  shownDigestOf,
} from '../governance/index.js'
import type { OpId, StoredEvent } from '../journal/index.js'
import type { RunRow } from '../store/index.js'
import { cliError } from './errors.js'
import { quoted } from './rows.js'

/** Something that people were asked in a run. Moments are UTC milliseconds since 1970. */
export type Asked = AskedToApprove | AskedToState

/** An approval that was asked for. */
export interface AskedToApprove {
  readonly kind: 'approval'
  readonly run: RunRow
  readonly op: OpId
  readonly name: string
  readonly approval: AskedApproval
  readonly isOpen: boolean
  readonly sinceMs: number
  readonly untilMs: number | undefined
}

/** An effect whose outcome nobody knows. */
export interface AskedToState {
  readonly kind: 'statement'
  readonly run: RunRow
  readonly op: OpId
  readonly name: string
  readonly isOpen: true
  readonly sinceMs: number
  readonly untilMs: undefined
}

/** All that people were asked in a run, and effects whose outcome is unknown now, in the order of the ops' first events. */
export async function askedIn(runtime: Runtime, run: RunRow): Promise<readonly Asked[]> {
  const events = await runtime.run(run.id).events()
  const cancelSeq = events.find(({ kind }) => kind === 'CancelRequested')?.seq ?? -1
  const ops = new Set<OpId>()
  for (const { kind, body } of events) {
    if (kind === 'ApprovalRequested' || kind === 'OutcomeUnknown') ops.add((JSON.parse(body) as { op: OpId }).op)
  }
  return [...ops].flatMap((op) => askedAbout(op, { run, cancelSeq, events: eventsAbout(events, op) }))
}

interface Told {
  readonly run: RunRow
  readonly cancelSeq: number
  readonly events: readonly StoredEvent[]
}

function askedAbout(op: OpId, { run, cancelSeq, events }: Told): Asked[] {
  const asked: Asked[] = []
  const approval = askedApproval(events)
  if (approval !== undefined) {
    const seq = events.findLast(({ kind }) => kind === 'ApprovalRequested')?.seq ?? 0
    // A wish to cancel closes what was asked before it.
    const isOpen = approval.resolved === undefined && run.outcome === 'open' && seq > cancelSeq
    const untilMs = deadlineOf(pendingOf(approval, null))
    asked.push({
      kind: 'approval',
      run,
      op,
      name: approval.name,
      approval,
      isOpen,
      sinceMs: approval.requestedAtMs,
      untilMs,
    })
  }
  const last = events.findLast(({ kind }) => kind.startsWith('Action') || kind.startsWith('Outcome'))
  if (last?.kind === 'OutcomeUnknown' && run.outcome === 'open') {
    const { name } = bodyOf(last, 'OutcomeUnknown')
    asked.push({ kind: 'statement', run, op, name, isOpen: true, sinceMs: last.at, untilMs: undefined })
  }
  return asked
}

/** The roles whose holders are asked now. */
export function rolesAsked(asked: Asked, law: Law, nowMs: number): readonly string[] {
  if (asked.kind === 'statement') return rolesThatState(asked.name, law)
  return rolesAskedAt(pendingOf(asked.approval, asked.run.actor ?? null), nowMs)
}

/** What was shown; where it was erased, what is left of it. */
export function shownIn({ request, shownText }: AskedApproval): Question {
  if (shownText !== '') return questionOf(shownText)
  return { action: request.action, title: '', schema: null, input: null, question: '(erased)' }
}

/** What it is about, in a few words: `Pay a vendor (bank.transfer)`. */
export function subjectOf(asked: Asked): string {
  if (asked.kind === 'statement') return `what came of ${asked.name}`
  const { action, title, question } = shownIn(asked.approval)
  if (action === null) return question === '' ? asked.name : question
  return title === '' ? action : `${title} (${action})`
}

/**
 * Finds the approval that a call names: that of the op, or where none is named the only one that is open, or the only one that ever was.
 * Throws `unknown_approval`, and `ambiguous_id` which lists them.
 */
export async function findApproval(runtime: Runtime, run: RunRow, op: string | undefined): Promise<AskedToApprove> {
  const all = (await askedIn(runtime, run)).filter((one) => one.kind === 'approval')
  const named = op === undefined ? all : all.filter((one) => one.op === op)
  const open = named.filter(({ isOpen }) => isOpen)
  const [first, ...others] = open.length > 0 ? open : named
  if (first === undefined) {
    const where = op === undefined ? `run ${run.id}` : `op ${JSON.stringify(op)} of run ${run.id}`
    const list = op === undefined || all.length === 0 ? '' : ` It asked in op ${all.map((one) => one.op).join(', ')}.`
    throw cliError('unknown_approval', `No approval was asked for in ${where}. Nothing was done.${list}`)
  }
  if (others.length === 0) return first
  const lines = [first, ...others].map((one) => `  ${one.op}  ${quoted(one.name)}  ${subjectOf(one)}`)
  throw cliError(
    'ambiguous_id',
    [`Run ${run.id} asked for ${lines.length} approvals. Nothing was done; name the op.`, ...lines].join('\n'),
  )
}

/** Whether what is shown is what its digest says; a journal that somebody damaged is not voted on. */
export function requireShown({ run, op, approval, isOpen }: AskedToApprove): void {
  // Of a run that is over it may have been erased.
  if (approval.shownText === '' && !isOpen) return
  if (shownDigestOf(run.id, op, approval.shownText) === approval.request.shown) return
  const message = `What is shown for op ${op} of run ${run.id} is not what its digest says. Nothing was done; look at constancia doctor.`
  throw cliError('journal_damaged', message)
}
