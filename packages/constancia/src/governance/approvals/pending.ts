import type { PendingApproval, Vote } from '@constancia/verify'
import { decodeValue, type OpId, type StoredEvent } from '../../journal/index.js'
import { bodyOf, type RunBodies } from '../kinds.js'

/** An approval as the journal tells it. */
export interface AskedApproval {
  readonly op: OpId
  readonly verb: string
  readonly name: string
  readonly request: RunBodies['ApprovalRequested']
  /** What is shown, as its text. */
  readonly shownText: string
  readonly requestedAtMs: number
  readonly votes: readonly CastVote[]
  /** What it came to; undefined while it is open. */
  readonly resolved:
    | { readonly outcome: RunBodies['ApprovalResolved']['outcome']; readonly amendedText: string | undefined }
    | undefined
}

/** A vote that was taken and not withdrawn. */
export interface CastVote extends Vote {
  readonly delivery: string
  readonly note: string | undefined
  /** The input that the voter wants instead, as its text. */
  readonly amendedText: string | undefined
}

type Told = Pick<StoredEvent, 'kind' | 'at' | 'body' | 'data'> & { readonly by?: string }

/** Folds the events about one op; undefined where no approval was asked for. The last request counts: each begins anew. */
export function askedApproval(events: readonly Told[]): AskedApproval | undefined {
  let asked: AskedApproval | undefined
  for (const event of events) asked = next(asked, event)
  return asked
}

function next(asked: AskedApproval | undefined, event: Told): AskedApproval | undefined {
  switch (event.kind) {
    case 'ApprovalRequested':
      return requested(event)
    case 'ApprovalVoted':
      return asked && { ...asked, votes: [...asked.votes, cast(event)] }
    case 'ApprovalWithdrawn': {
      const { voter, delivery } = bodyOf(event, 'ApprovalWithdrawn')
      // Two people may have given their votes the same id.
      const stays = (vote: CastVote): boolean => vote.voter !== voter || vote.delivery !== delivery
      return asked && { ...asked, votes: asked.votes.filter(stays) }
    }
    case 'ApprovalResolved':
      return (
        asked && { ...asked, resolved: { outcome: bodyOf(event, 'ApprovalResolved').outcome, amendedText: event.data } }
      )
    default:
      return asked
  }
}

function requested(event: Told): AskedApproval {
  const request = bodyOf(event, 'ApprovalRequested')
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

function cast(event: Told): CastVote {
  const { voter, choice, shown, delivery, amended } = bodyOf(event, 'ApprovalVoted')
  const kept = (event.data === undefined ? {} : decodeValue(event.data)) as {
    readonly note?: string
    readonly amended?: string
  }
  return { voter, choice, shown, delivery, amended, note: kept.note, amendedText: kept.amended }
}

/** What a vote is judged by. */
export function pendingOf(asked: AskedApproval, actor: string | null): PendingApproval {
  const { request, requestedAtMs, votes } = asked
  return { policy: request.policy, actor, requestedAtMs, shown: request.shown, votes }
}

/** The events of a layer above about one op, of what was read of a journal. */
export function eventsAbout<E extends Pick<StoredEvent, 'body'>>(events: readonly E[], op: OpId): readonly E[] {
  return events.filter(({ body }) => (JSON.parse(body) as { readonly op?: string }).op === op)
}
