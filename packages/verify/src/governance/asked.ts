import type { PendingApproval, Vote } from './approval.js'
import type { ApprovalOutcome, RunBodies } from './run-bodies.js'

/** An approval as the journal tells it. */
export interface AskedApproval<Op extends string = string> {
  readonly op: Op
  readonly verb: string
  readonly name: string
  readonly request: RunBodies<Op>['ApprovalRequested']
  /** What is shown, as its text. */
  readonly shownText: string
  readonly requestedAtMs: number
  readonly votes: readonly CastVote[]
  /** What it came to; undefined while it is open. */
  readonly resolved: { readonly outcome: ApprovalOutcome; readonly amendedText: string | undefined } | undefined
}

/** A vote that was taken and not withdrawn. */
export interface CastVote extends Vote {
  readonly delivery: string
  readonly note: string | undefined
  /** The input that the voter wants instead, as its text. */
  readonly amendedText: string | undefined
}

/** An event, as far as it tells of an approval. `at` is UTC milliseconds since 1970. */
export interface ToldEvent {
  readonly kind: string
  readonly at: number
  readonly body: string
  readonly data: string | undefined
}

/** Folds the events about one op; undefined where no approval was asked for. The last request counts: each begins anew. */
export function askedApproval<Op extends string = string>(events: readonly ToldEvent[]): AskedApproval<Op> | undefined {
  let asked: AskedApproval<Op> | undefined
  for (const event of events) asked = askedAfter(asked, event)
  return asked
}

/** What is asked once an event about its op is known. */
export function askedAfter<Op extends string = string>(
  asked: AskedApproval<Op> | undefined,
  event: ToldEvent,
): AskedApproval<Op> | undefined {
  switch (event.kind) {
    case 'ApprovalRequested':
      return requested(event)
    case 'ApprovalVoted':
      return asked && { ...asked, votes: [...asked.votes, cast(event)] }
    case 'ApprovalWithdrawn': {
      const { voter, delivery } = JSON.parse(event.body) as RunBodies['ApprovalWithdrawn']
      // Two people may have given their votes the same id.
      const stays = (vote: CastVote): boolean => vote.voter !== voter || vote.delivery !== delivery
      return asked && { ...asked, votes: asked.votes.filter(stays) }
    }
    case 'ApprovalResolved': {
      const { outcome } = JSON.parse(event.body) as RunBodies['ApprovalResolved']
      return asked && { ...asked, resolved: { outcome, amendedText: event.data } }
    }
    default:
      return asked
  }
}

function requested<Op extends string>(event: ToldEvent): AskedApproval<Op> {
  const request = JSON.parse(event.body) as RunBodies<Op>['ApprovalRequested']
  const { op, verb, name } = request
  return {
    op,
    verb,
    name,
    request,
    shownText: event.data ?? '',
    requestedAtMs: event.at,
    votes: [],
    resolved: undefined,
  }
}

function cast(event: ToldEvent): CastVote {
  const { voter, choice, shown, delivery, amended } = JSON.parse(event.body) as RunBodies['ApprovalVoted']
  // Both are texts, so that what is kept is JSON whatever the format of values is.
  const kept = JSON.parse(event.data ?? '{}') as { readonly note?: string; readonly amended?: string }
  return { voter, choice, shown, delivery, amended, note: kept.note, amendedText: kept.amended }
}

/** What a vote is judged by. */
export function pendingOf(asked: AskedApproval, actor: string | null): PendingApproval {
  const { request, requestedAtMs, votes } = asked
  return { policy: request.policy, actor, requestedAtMs, shown: request.shown, votes }
}
