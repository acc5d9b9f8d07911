import { deadlineOf } from '@constancia/verify/governance'
import { bodyOf, draftOf } from '../kinds.js'
import { type AnswerDecision, type AnswerKnown, type AnswerParts, takeAnswer } from './deciding.js'
import { type IncomingAnswer, incomingAnswer } from './incoming.js'
import { type CastVote, pendingOf } from './pending.js'
import { RunReading } from './reading.js'
import { refused, standingOf } from './standing.js'

/** Somebody who takes their vote back. */
export interface Withdrawal {
  readonly run: string
  readonly op: string
  /** The principal who voted, or another identity of the same person. */
  readonly voter: string
  /** The delivery of the vote to take back; the one that stands unless set. Named twice, it is taken back once. */
  readonly delivery?: string
}

/** A vote that was taken back. */
export interface VoteWithdrawn {
  readonly voter: string
  /** The delivery of the vote. */
  readonly delivery: string
}

/** How often the votes of one voter can be taken back in one op: nobody fills a journal this way. */
const withdrawalCountMax = 20

/**
 * Takes a vote back that has decided nothing yet; that person may vote anew. Durable on return. Rejects with `vote_refused`,
 * which is recorded, where there is no such vote, or it is too late.
 */
export async function withdraw(parts: AnswerParts, request: Withdrawal): Promise<VoteWithdrawn> {
  const incoming = incomingAnswer(request, request.voter)
  const { by, op, run } = incoming
  const reading = new RunReading(parts.store, run)
  const decide = (known: AnswerKnown): AnswerDecision<VoteWithdrawn> => decideWithdrawal(incoming, known)
  return takeAnswer(parts, { by, choice: 'withdraw', op, reading, decide })
}

/** Decides on a withdrawal. Pure. */
function decideWithdrawal(
  incoming: IncomingAnswer,
  { facts, reading, law }: AnswerKnown,
): AnswerDecision<VoteWithdrawn> {
  const { op, by, delivery } = incoming
  const isTheirs = ({ voter }: { readonly voter: string }): boolean => law.personOf(voter) === law.personOf(by)
  const before = reading
    .about(op)
    .flatMap((event) => (event.kind === 'ApprovalWithdrawn' ? [bodyOf(event, 'ApprovalWithdrawn')] : []))
    .filter(isTheirs)
  const same = before.find((withdrawn) => withdrawn.delivery === delivery)
  if (same !== undefined) {
    return { kind: 'counts', drafts: [], result: { voter: same.voter, delivery: same.delivery } }
  }
  const standing = standingOf(op, facts.run, reading)
  if (standing.kind === 'refused') return standing
  const { asked } = standing
  const deadlineMs = deadlineOf(pendingOf(asked, reading.actor))
  if (deadlineMs !== undefined && facts.nowMs >= deadlineMs) {
    return refused('too_late', 'The deadline has passed.', 'expired')
  }
  const isMeant = (vote: CastVote): boolean => isTheirs(vote) && (delivery === undefined || vote.delivery === delivery)
  const vote = asked.votes.find(isMeant)
  if (vote === undefined) return refused('not_voted', 'There is no such vote of this person.', 'open')
  if (before.length >= withdrawalCountMax) {
    return refused('withdrawn_too_often', `This person has withdrawn ${before.length} times; the vote stands.`, 'open')
  }
  const { verb, name } = asked
  const result = { voter: vote.voter, delivery: vote.delivery }
  return { kind: 'counts', drafts: [draftOf('ApprovalWithdrawn', { op, verb, name, ...result })], result }
}
