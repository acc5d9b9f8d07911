import { approvedMeaning, deadlineOf, judgeVote, type Now, type PendingApproval } from '../approval.js'
import { type AskedApproval, askedAfter, pendingOf, type ToldEvent } from '../asked.js'
import { canonicalText, type Json } from '../canonical.js'
import { askGate } from '../gate.js'
import type { Question } from '../question.js'
import { nullOr, object, text } from '../reading/form.js'
import { readAs, readData } from '../reading/read.js'
import { principalOf, type ReplayEvent } from './finding.js'
import { areSame, type Decision, listed, type Told, withOne } from './run-state.js'
import { shownDigestIn } from './shown.js'

const questionForm = object({
  has: { action: nullOr(text), title: text, schema: nullOr(text), input: nullOr(text), question: text },
})

/** Whether what people were asked is what is shown, and whether the gate asked for it. */
export function checkRequest({ event, body, op, run, started, law }: Decision<'ApprovalRequested'>): void {
  const { findings } = run
  const fail = (why: string): void => findings.fail('approvals', event.seq, `The request does not follow: ${why}`)
  if (op.asked !== undefined && op.asked.resolved === undefined) fail('an approval of this op is open already.')
  if (op.verb === 'do' && body.action !== op.name) fail(`it is about ${body.action}, and its op is ${op.name}.`)
  if (op.verb === 'approval' && body.rule !== null) fail('what a flow asks for by itself is asked for by no rule.')
  const question = questionIn(event)
  if (question === undefined) {
    return findings.unsure(
      'approvals',
      event.seq,
      'What was shown is withheld or unreadable: neither its digest nor its rule is known.',
    )
  }
  if (typeof question === 'string') return fail(question)
  if (shownDigestIn(run, body.op, event.data as string) !== body.shown) fail('the digest is not that of what is shown.')
  if (question.action !== body.action) fail('another action is shown than it is about.')
  const schema = body.action === null ? null : run.history.schemaDigestOf(law.inForce?.declared, body.action)
  if (question.schema !== schema) fail('what is shown names another schema than the contract in force has.')
  if (op.verb !== 'do') return
  if (question.input === null) return fail('what is shown has no input.')
  if (readData(question.input) === undefined) {
    return findings.unsure(
      'approvals',
      event.seq,
      'The input that is shown cannot be read, so that the rule is not known.',
    )
  }
  const asked = { law, run: started, action: op.name, inputText: question.input, nowMs: event.at }
  const answer = askGate({ ...asked, approval: undefined, isUsed: false, schemaDigestOf: run.history.schemaDigestOf })
  if (answer.kind !== 'needs_approval') return fail(`the gate asks for no approval; it says ${answer.kind}.`)
  if (answer.rule !== body.rule) fail(`it is rule ${answer.rule} that asks for it, and not rule ${body.rule}.`)
  if (!isSameJson(answer.policy, body.policy)) fail(`rule ${answer.rule} asks for another approval.`)
}

function isSameJson(one: unknown, other: unknown): boolean {
  return canonicalText(one as Json) === canonicalText(other as Json)
}

// Undefined where it is withheld or no strict JSON, a text where it says something else.
function questionIn({ data }: ReplayEvent): Question | string | undefined {
  if (data === undefined || readData(data) === undefined) return undefined
  const read = readAs<Question>(data, questionForm)
  return read.kind === 'read' ? read.value : `what is shown cannot be read: ${read.why}.`
}

/** What a vote carried: its note and its amended input. Undefined where that is withheld or cannot be read. */
export interface Said {
  readonly note: string | undefined
  readonly amended: string | undefined
}

const saidForm = object({ has: {}, may: { note: text, amended: text } })

/** Reads what a vote carried. */
export function saidIn({ data }: ReplayEvent): Said | undefined {
  if (data === undefined) return undefined
  if (data === 'none') return { note: undefined, amended: undefined }
  const read = readAs<Partial<Said>>(data, saidForm)
  return read.kind === 'read' ? { note: read.value.note, amended: read.value.amended } : undefined
}

/** Whether a vote counts by what held then, and what it brings. */
export function checkVote({ event, body, op, run, started, law }: Decision<'ApprovalVoted'>): void {
  const { findings } = run
  const fail = (why: string): void =>
    findings.fail('approvals', event.seq, `The vote of ${body.voter} does not count: ${why}`)
  if (principalOf(event.by) !== body.voter) fail(`it is by ${event.by}.`)
  const asked = changeable(op, run.cancelSeq)
  if (typeof asked === 'string') return fail(asked)
  if (op.votes.has(deliveryKey(body.voter, body.delivery))) fail('it was given before under this delivery.')
  const { voter, choice, shown, amended, roles } = body
  const pending = pendingOf(asked, started.actor)
  const now = { law, nowMs: event.at }
  const ballot = { voter, choice, shown, amended }
  const judged = judgeVote(pending, ballot, now)
  if (judged.kind === 'refused') fail(judged.reason)
  else if (!areSame(judged.roles, roles))
    fail(`it is recorded by ${listed(roles)}, and counts by ${listed(judged.roles)}.`)
  if (amended !== null && (choice === 'reject' || asked.request.action === null)) fail('there is nothing to amend.')
  checkSaid({ event, body, op, run, started }, asked)
  if (judged.kind === 'refused' || judged.resolution === null) return
  const after = { ...pending, votes: [...pending.votes, ballot] }
  const amendedText = amendedTextOf(after, { asked, event, isKnown: op.isAmendmentKnown }, now)
  run.expected = { vote: event, op: body.op, outcome: judged.resolution, amendedText }
}

function checkSaid({ event, body, run }: Told<'ApprovalVoted'>, asked: AskedApproval): void {
  const { findings } = run
  const said = saidIn(event)
  const isNeeded = asked.request.policy.reasonRequired || body.amended !== null
  if (said === undefined) {
    if (isNeeded)
      findings.unsure('approvals', event.seq, `What ${body.voter} said with the vote is withheld or unreadable.`)
    return
  }
  if (asked.request.policy.reasonRequired && !said.note?.trim()) {
    findings.fail('approvals', event.seq, `The vote of ${body.voter} gives no reason, which was required.`)
  }
  const digest = said.amended === undefined ? null : shownDigestIn(run, body.op, said.amended)
  if (digest !== body.amended) {
    findings.fail('approvals', event.seq, `The vote of ${body.voter} names another digest than that of what it amends.`)
  }
}

// Null where nobody can tell.
function amendedTextOf(
  after: PendingApproval,
  given: { readonly asked: AskedApproval; readonly event: ReplayEvent; readonly isKnown: boolean },
  now: Now,
): string | undefined | null {
  const meaning = approvedMeaning(after, now)
  if (meaning === undefined || meaning === null) return undefined
  const { asked, event, isKnown } = given
  const own = after.votes.at(-1)?.amended === meaning ? saidIn(event)?.amended : undefined
  const text = own ?? asked.votes.find(({ amended }) => amended === meaning)?.amendedText
  return text ?? (isKnown && saidIn(event) !== undefined ? undefined : null)
}

/** Whether a resolution is what the vote right before it brought, or what the deadline brought. */
export function checkResolution({ event, body, op, run, started }: Told<'ApprovalResolved'>): void {
  const { findings, expected } = run
  const fail = (why: string): void => findings.fail('approvals', event.seq, `The resolution does not follow: ${why}`)
  run.expected = undefined
  const { asked } = op
  if (asked === undefined || asked.resolved !== undefined) return fail('no approval is open there.')
  if (expected !== undefined) return
  if (body.outcome !== 'expired') return fail(`${body.outcome} is what a vote brings, and none did.`)
  if (!event.by.startsWith('claim:'))
    fail(`that a deadline has passed is written by the owner of the run, not by ${event.by}.`)
  const deadlineMs = deadlineOf(pendingOf(asked, started.actor))
  if (deadlineMs === undefined || event.at < deadlineMs) fail('its deadline had not passed.')
}

/** Whether the event after a vote that decided says what it decided; called with the next event, or at the end. */
export function checkExpected(run: Told['run'], event: ReplayEvent | undefined, body: unknown): void {
  const { expected, findings } = run
  if (expected === undefined) return
  const { vote, op, outcome, amendedText } = expected
  const said = body as { readonly op?: string; readonly outcome?: string } | undefined
  const isTogether =
    event?.kind === 'ApprovalResolved' &&
    event.by === vote.by &&
    event.at === vote.at &&
    event.governanceSeq === vote.governanceSeq
  if (!isTogether || said?.op !== op || said.outcome !== outcome) {
    run.expected = undefined
    const why = `With it the approval of op ${op} was ${outcome}, and nothing right after it says so.`
    return findings.fail('approvals', vote.seq, why)
  }
  // That there is data is seen even where it is withheld, and where nothing was changed there is none.
  if (amendedText === null || (event.data === undefined && amendedText !== undefined)) {
    return findings.unsure('approvals', event.seq, 'What was approved with changes is withheld.')
  }
  if (event.data === (amendedText ?? 'none')) return
  findings.fail('approvals', event.seq, 'The resolution carries another input than the one that was approved.')
}

const withdrawalCountMax = 20

/** Whether somebody takes back a vote of theirs, in time. */
export function checkWithdrawal({ event, body, op, run, started, law }: Decision<'ApprovalWithdrawn'>): void {
  const fail = (why: string): void => run.findings.fail('approvals', event.seq, `The withdrawal does not count: ${why}`)
  const by = principalOf(event.by)
  const person = law.personOf(body.voter)
  if (by === undefined || law.personOf(by) !== person) fail(`${event.by} is not ${body.voter}.`)
  const asked = changeable(op, run.cancelSeq)
  if (typeof asked === 'string') return fail(asked)
  const deadlineMs = deadlineOf(pendingOf(asked, started.actor))
  if (deadlineMs !== undefined && event.at >= deadlineMs) fail('the deadline had passed.')
  const isThere = asked.votes.some(({ voter, delivery }) => voter === body.voter && delivery === body.delivery)
  if (!isThere) fail('there is no such vote.')
  const before = op.withdrawn.filter((voter) => law.personOf(voter) === person)
  if (before.length >= withdrawalCountMax) fail(`this person had withdrawn ${before.length} times.`)
}

/** Whether more roles may decide, by what was asked for. */
export function checkEscalation({ event, body, op, run }: Told<'ApprovalEscalated'>): void {
  const fail = (why: string): void =>
    run.findings.fail('approvals', event.seq, `The escalation does not follow: ${why}`)
  const { asked } = op
  if (asked === undefined || asked.resolved !== undefined) return fail('no approval is open there.')
  const { escalation } = asked.request.policy
  if (escalation === null) return fail('none was asked for.')
  if (op.isEscalated) fail('it was escalated before.')
  if (!areSame(escalation.roles, body.roles)) fail(`it goes to ${listed(escalation.roles)}.`)
  if (event.at < asked.requestedAtMs + escalation.afterMs) fail('it had not waited long enough.')
}

// The approval that people may change, or why there is none.
function changeable(op: Told['op'], cancelSeq: number | undefined): AskedApproval | string {
  const { asked, requestedSeq } = op
  if (asked === undefined) return 'no approval was asked for there.'
  if (asked.resolved !== undefined) return `it was decided before: ${asked.resolved.outcome}.`
  if (cancelSeq !== undefined && requestedSeq < cancelSeq) return 'the run was being cancelled.'
  return asked
}

function deliveryKey(voter: string, delivery: string): string {
  return `${voter}\n${delivery}`
}

/** Notes what an event says of the approval of its op. */
export function noteApproval({ event, body, op }: Told): void {
  op.asked = askedAfter(op.asked, toldOf(event))
  switch (event.kind) {
    case 'ApprovalRequested':
      op.requestedSeq = event.seq
      op.isShownKnown = typeof questionIn(event) === 'object'
      op.isEscalated = false
      return
    case 'ApprovalVoted': {
      const { voter, delivery, amended } = body as Told<'ApprovalVoted'>['body']
      op.votes = withOne(op.votes, deliveryKey(voter, delivery))
      if (amended !== null && saidIn(event)?.amended === undefined) op.isAmendmentKnown = false
      return
    }
    case 'ApprovalWithdrawn':
      op.withdrawn = [...op.withdrawn, (body as Told<'ApprovalWithdrawn'>['body']).voter]
      return
    case 'ApprovalEscalated':
      op.isEscalated = true
      return
    case 'ApprovalResolved':
      if (event.data === undefined) op.isAmendmentKnown = false
      op.lastPause = 'ApprovalResolved'
      op.lastDecision = 'ApprovalResolved'
      // What authorises nothing is not kept.
      if (op.asked !== undefined && (op.asked.resolved?.outcome !== 'approved' || op.asked.request.action === null)) {
        op.asked = { ...op.asked, shownText: '', votes: [] }
      }
  }
}

function toldOf(event: ReplayEvent): ToldEvent {
  const { kind, at, body = '{}' } = event
  const isReadable = kind !== 'ApprovalVoted' || saidIn(event) !== undefined
  const data = event.data === 'none' || !isReadable ? undefined : event.data
  return { kind, at, body, data }
}
