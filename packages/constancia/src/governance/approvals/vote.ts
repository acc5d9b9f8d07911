import { approvedMeaning, judgeVote, type PendingApproval } from '@constancia/verify/governance'
import { type Draft, encodeValue, type Tells } from '../../journal/index.js'
import { bodyOf, draftOf, type RunBodies } from '../kinds.js'
import { type AnswerDecision, type AnswerKnown, type AnswerParts, takeAnswer } from './deciding.js'
import { type IncomingAnswer, incomingAnswer, oneOf, saidText } from './incoming.js'
import { type AskedApproval, askedApproval, pendingOf } from './pending.js'
import { RunReading } from './reading.js'
import { shownDigestOf } from './shown.js'
import { refused, standingOf } from './standing.js'

/** Somebody's answer to an approval. */
export interface VoteRequest {
  readonly run: string
  /** The op that asks. */
  readonly op: string
  /** The principal who votes. */
  readonly voter: string
  readonly choice: 'approve' | 'reject'
  /** The digest of what the voter was shown. */
  readonly shown: string
  /** Required where the contract says so. */
  readonly note?: string
  /** Approves with this input instead of the one that is shown, where that is allowed. */
  readonly amended?: unknown
  /** Names this answer: the same again counts once, and is answered as before. */
  readonly delivery?: string
}

/** A vote that counts. */
export interface VoteTaken {
  /** By which the voter decides. */
  readonly roles: readonly string[]
  /** What the approval came to with this vote; null while it takes more. */
  readonly resolution: 'approved' | 'rejected' | null
}

/** What votes are taken with. */
export interface VoteParts extends AnswerParts {
  /** What is wrong with the text of an amended input of an action; undefined if it fits the action's schema. */
  readonly checkAmended: (action: string, text: string) => string | undefined | Promise<string | undefined>
}

/** A vote on its way. */
interface Incoming extends IncomingAnswer {
  readonly choice: 'approve' | 'reject'
  readonly shown: string
  readonly amended: { readonly text: string; readonly digest: string } | undefined
  /** Note and amended input, as they are stored. */
  readonly data: string | undefined
  readonly delivery: string
}

/**
 * Takes a vote, and the resolution that it brings, in one append: decided by the law, the journal and the database's clock at
 * that moment. Durable on return. Rejects with `vote_refused`, whose details say why (`reason`) and what stands (`stands`), and
 * which is recorded; with `invalid_id`, `invalid_option`, `value_too_large` or `not_serializable` for what is no vote.
 */
export async function vote(parts: VoteParts, request: VoteRequest): Promise<VoteTaken> {
  const incoming = incomingVote(parts, request)
  const { by, choice, op, run } = incoming
  const reading = new RunReading(parts.store, run)
  let unfit: string | undefined
  return takeAnswer(parts, {
    by,
    choice,
    op,
    reading,
    prepare: async () => {
      unfit = await unfitAmendment(parts, incoming, reading)
    },
    decide: (known) => decideVote(incoming, { ...known, unfit }),
  })
}

function incomingVote({ limits, newId }: VoteParts, request: VoteRequest): Incoming {
  const answer = incomingAnswer(request, request.voter)
  const { run, op, note, delivery = newId() } = answer
  const choice = oneOf(['approve', 'reject'], request.choice, 'A choice')
  const isAmended = request.amended !== undefined
  const text = isAmended ? encodeValue(request.amended, { limits, what: 'amended input' }) : undefined
  const amended = text === undefined ? undefined : { text, digest: shownDigestOf(run, op, text) }
  const data = saidText({ note, amended: text }, limits)
  return { ...answer, choice, shown: String(request.shown), amended, data, delivery }
}

async function unfitAmendment(
  { checkAmended }: VoteParts,
  { op, choice, amended }: Incoming,
  reading: RunReading,
): Promise<string | undefined> {
  if (amended === undefined) return
  if (choice === 'reject') return 'Whoever rejects has nothing to change.'
  const action = askedApproval(reading.about(op))?.request.action
  if (action === undefined) return
  return action === null ? 'A plain question has no input to change.' : checkAmended(action, amended.text)
}

interface Known extends AnswerKnown {
  readonly unfit: string | undefined
}

/** Decides on a vote. Pure. */
function decideVote(incoming: Incoming, { facts, reading, law, unfit }: Known): AnswerDecision<VoteTaken> {
  const { op, choice, amended, note, by, shown } = incoming
  const earlier = earlierVote(incoming, reading)
  if (earlier !== undefined) return earlier
  const standing = standingOf(op, facts.run, reading)
  if (standing.kind === 'refused') return standing
  const { asked } = standing
  const pending = pendingOf(asked, reading.actor)
  const ballot = { voter: by, choice, shown, amended: amended?.digest ?? null }
  const now = { law, nowMs: facts.nowMs }
  const judged = judgeVote(pending, ballot, now)
  if (judged.kind === 'refused') return refused(judged.code, judged.reason, standsNow(judged.code))
  if (unfit !== undefined) return refused('amended_unfit', unfit, 'open')
  if (pending.policy.reasonRequired && !note?.trim()) {
    return refused('reason_missing', 'The contract asks for a reason with each decision.', 'open')
  }
  const { roles, resolution } = judged
  const after = { ...pending, votes: [...pending.votes, ballot] }
  const drafts = [voteDraft(incoming, asked, roles)]
  if (resolution !== null) {
    const told = { outcome: resolution, ...reading.tells }
    drafts.push(resolutionDraft(asked, told, amendedText(after, { asked, incoming }, now)))
  }
  return { kind: 'counts', drafts, result: { roles, resolution } }
}

// Past its deadline an approval has lapsed, whether or not somebody has written that down yet.
function standsNow(code: string): string {
  return code === 'too_late' ? 'expired' : 'open'
}

// The same answer again, or another one that claims to be the same.
function earlierVote(incoming: Incoming, reading: RunReading): AnswerDecision<VoteTaken> | undefined {
  const { by, op, delivery, choice, shown, amended } = incoming
  const about = reading.about(op)
  const index = about.findIndex((event) => {
    if (event.kind !== 'ApprovalVoted') return false
    const body = bodyOf(event, 'ApprovalVoted')
    return body.voter === by && body.delivery === delivery
  })
  const event = about[index]
  if (event === undefined) return
  const body = bodyOf(event, 'ApprovalVoted')
  const isSame = body.choice === choice && body.shown === shown && body.amended === (amended?.digest ?? null)
  const next = about[index + 1]
  // The resolution that a vote brought was written together with it; the owner of the run may write one right after it as well.
  const isBrought = next?.kind === 'ApprovalResolved' && next.seq === event.seq + 1 && next.by === event.by
  const brought = isBrought ? bodyOf(next, 'ApprovalResolved') : undefined
  if (isSame) {
    const resolution = (brought?.outcome ?? null) as VoteTaken['resolution']
    return { kind: 'counts', drafts: [], result: { roles: body.roles, resolution } }
  }
  const stands = askedApproval(about)?.resolved?.outcome ?? 'open'
  return refused('delivery_used', `Delivery ${delivery} is another answer of this voter.`, stands)
}

function voteDraft(incoming: Incoming, asked: AskedApproval, roles: readonly string[]): Draft {
  const { by: voter, choice, shown, delivery, amended, data } = incoming
  const { op, verb, name } = asked
  const body: RunBodies['ApprovalVoted'] = {
    op,
    verb,
    name,
    voter,
    choice,
    shown,
    roles,
    delivery,
    amended: amended?.digest ?? null,
  }
  return draftOf('ApprovalVoted', body, data)
}

function resolutionDraft(
  { op, verb, name }: AskedApproval,
  told: Tells & { readonly outcome: 'approved' | 'rejected' },
  amended: string | undefined,
): Draft {
  return draftOf('ApprovalResolved', { op, verb, name, ...told }, amended)
}

// What the votes that decide mean need not be what the last of them means: a vote may count again.
function amendedText(
  after: PendingApproval,
  { asked, incoming }: { readonly asked: AskedApproval; readonly incoming: Incoming },
  now: Parameters<typeof approvedMeaning>[1],
): string | undefined {
  const meaning = approvedMeaning(after, now)
  if (meaning === undefined || meaning === null) return
  if (incoming.amended?.digest === meaning) return incoming.amended.text
  return asked.votes.find(({ amended }) => amended === meaning)?.amendedText
}
