import { type AskedApproval as Asked, askedApproval as fold, type ToldEvent } from '@constancia/verify/governance'
import type { OpId, StoredEvent } from '../../journal/index.js'

export { type CastVote, pendingOf } from '@constancia/verify/governance'

/** An approval as the journal tells it. */
export type AskedApproval = Asked<OpId>

/** Folds the events about one op; undefined where no approval was asked for. The last request counts: each begins anew. */
export function askedApproval(events: readonly ToldEvent[]): AskedApproval | undefined {
  return fold<OpId>(events)
}

/** The events of a layer above about one op, of what was read of a journal. */
export function eventsAbout<E extends Pick<StoredEvent, 'body'>>(events: readonly E[], op: OpId): readonly E[] {
  return events.filter(({ body }) => (JSON.parse(body) as { readonly op?: string }).op === op)
}
