import type { DeclaredContract, Law } from '@constancia/verify'
import type { CastVote } from '../governance/index.js'
import { plainText, ruleInWords } from '../governance/presentation/index.js'
import { decodeValue } from '../journal/index.js'
import { type AskedToApprove, rolesAsked, shownIn, subjectOf } from './asked.js'
import { momentText } from './durations.js'
import type { Paint } from './paint.js'
import { orText } from './principals.js'
import { whenText } from './rows.js'
import { counted, padEnd, printable, printableLines, wrap } from './text.js'
import { valueText } from './values.js'

/** What an approval is drawn from. */
export interface ApprovalDrawing {
  readonly asked: AskedToApprove
  readonly law: Law
  readonly nowMs: number
  readonly width: number
  readonly paint: Paint
  /** Whether what to do is asked right below. */
  readonly isAsking?: boolean
}

const labelWidth = 10

type Field = readonly [label: string, text: string]

/** Exactly what an approver decides on: what is shown, to whom, until when, by which rule, and who has said what. */
export function approvalLines(drawing: ApprovalDrawing): string[] {
  const { asked, paint, width } = drawing
  const { run, op } = asked
  const title = `${paint.strong(printable(subjectOf(asked)))}  ${stateText(asked, paint)}`
  const fields: Field[] = [
    [
      'run',
      `${run.id}, op ${op} of ${run.flow}@${run.version}${run.actor === undefined ? '' : `, acting as ${printable(run.actor)}`}`,
    ],
    ...situation(drawing),
    ...shownFields(drawing),
    ...voteFields(asked),
    ...(drawing.isAsking === true ? [] : todo(asked)),
  ]
  return [title, ...fields.flatMap(([label, text]) => fieldLines(label, text, { paint, width }))]
}

function fieldLines(
  label: string,
  text: string,
  { paint, width }: { readonly paint: Paint; readonly width: number },
): string[] {
  const indent = ' '.repeat(labelWidth)
  // What is copied, or has to be exact, stays in one piece.
  const isWhole = label === 'shown' || label === 'to do'
  const room = isWhole ? Number.POSITIVE_INFINITY : width - labelWidth
  const lines = text.split('\n').flatMap((line) => wrap(line, room).split('\n'))
  return lines.map((line, index) => (index === 0 ? paint.faint(padEnd(label, labelWidth)) : indent) + line)
}

/** How it stands with an approval, in a word and its colour. */
export function stateText({ approval, isOpen }: AskedToApprove, paint: Paint): string {
  const outcome = approval.resolved?.outcome
  if (outcome === undefined) return isOpen ? paint.accent('open') : paint.warn('closed')
  return outcome === 'approved' ? paint.good(outcome) : paint.bad(outcome)
}

function situation({ asked, law, nowMs }: ApprovalDrawing): Field[] {
  const { approval, sinceMs, untilMs } = asked
  const { quorum, notBy, amendable, reasonRequired, escalation } = approval.request.policy
  const notes = [
    quorum === 1 ? '' : `${quorum} different people`,
    notBy === 'actor' ? 'nobody their own request' : '',
    amendable ? 'may be approved with changes' : '',
    reasonRequired ? 'with a reason (--note)' : '',
  ].filter(Boolean)
  const fields: Field[] = [
    ['asks', [orText(rolesAsked(asked, law, nowMs)), ...notes].join('; ')],
    ['since', whenText(sinceMs, nowMs)],
  ]
  if (untilMs !== undefined) fields.push(['until', whenText(untilMs, nowMs)])
  const escalatesMs = escalation === null ? undefined : sinceMs + escalation.afterMs
  if (escalation !== null && escalatesMs !== undefined && escalatesMs > nowMs)
    fields.push(['then', `${orText(escalation.roles)} as well, from ${whenText(escalatesMs, nowMs)}`])
  return fields
}

function shownFields({ asked, law, width }: ApprovalDrawing): Field[] {
  const { request, shownText } = asked.approval
  const { action, input, question } = shownIn(asked.approval)
  const contract = law.contract(request.contract)
  const fields: Field[] = []
  if (request.rule !== null && contract !== undefined) fields.push(['rule', ruleText(contract.declared, request.rule)])
  if (contract !== undefined)
    fields.push(['contract', printable(`${contract.declared.name} ${contract.declared.version}`)])
  if (action === null) fields.push(['allows', 'nothing by itself; it is a question'])
  if (question !== '') fields.push(['question', printableLines(question)])
  if (input !== null) fields.push(['input', valueText(decodeValue(input), width - labelWidth)])
  fields.push(['shown', printable(shownText === '' ? '(erased)' : shownText)], ['digest', request.shown])
  return fields
}

function ruleText({ rules }: DeclaredContract, index: number): string {
  const rule = rules[index]
  return rule === undefined ? String(index + 1) : printable(`${index + 1}: ${plainText(ruleInWords(rule))}`)
}

function voteFields({ approval }: AskedToApprove): Field[] {
  if (approval.votes.length === 0) return [['votes', 'none yet']]
  return approval.votes.map((vote, index): Field => [index === 0 ? 'votes' : '', voteText(vote)])
}

function voteText({ voter, choice, note, amendedText }: CastVote): string {
  const changes = amendedText === undefined ? '' : `, with this input instead: ${printable(amendedText)}`
  return `${choice} by ${printable(voter)}${changes}${note === undefined ? '' : `: ${printable(note)}`}`
}

function todo({ run, op, approval, isOpen }: AskedToApprove): Field[] {
  if (!isOpen) return []
  return [
    [
      'to do',
      `constancia approve ${run.id} ${op} --as <principal> --shown ${approval.request.shown}\nor reject, with the same words`,
    ],
  ]
}

/** The same for programs. */
export function approvalDocument({
  asked,
  law,
  nowMs,
}: Omit<ApprovalDrawing, 'width' | 'paint'>): Record<string, unknown> {
  const { run, op, name, approval, isOpen, sinceMs, untilMs } = asked
  const { request, shownText, votes, resolved } = approval
  return {
    run: run.id,
    flow: run.flow,
    version: run.version,
    actor: run.actor ?? null,
    op,
    name,
    state: resolved?.outcome ?? (isOpen ? 'open' : 'closed'),
    ...shownIn(approval),
    shown: request.shown,
    shownText: shownText === '' ? null : shownText,
    contract: request.contract,
    rule: request.rule,
    policy: request.policy,
    rolesAsked: rolesAsked(asked, law, nowMs),
    sinceMs,
    untilMs: untilMs ?? null,
    votes: votes.map(({ voter, choice, shown, amendedText, note, delivery }) => ({
      voter,
      choice,
      shown,
      amended: amendedText ?? null,
      note: note ?? null,
      delivery,
    })),
    amended: resolved?.amendedText ?? null,
  }
}

/** A moment until which something waits, for a column of a table. */
export function untilText(untilMs: number | undefined): string {
  return untilMs === undefined ? '' : momentText(untilMs)
}

/** `1 of 2 votes`. */
export function votesText({ approval }: AskedToApprove): string {
  const { quorum } = approval.request.policy
  return quorum === 1 ? '' : `, ${approval.votes.length} of ${counted(quorum, 'vote')}`
}
