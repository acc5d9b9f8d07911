import { assert, deliveryOf, type RunFold, runStream, type StoredEvent } from '../../journal/index.js'
import type { Session } from './session.js'

/** Events of a run, where they are, and what it is with them. */
export interface Told {
  readonly streamNo: number
  readonly fold: RunFold
  readonly events: readonly StoredEvent[]
}

/**
 * The number of the stream whose inbox a run has: that of its line's root. The stream is known even where the root's journal
 * was purged.
 */
export function rootNoOf(session: Session, fold: Pick<RunFold, 'id' | 'root'>, streamNo: number): number {
  if (fold.root === fold.id) return streamNo
  const rootNo = session.events.streamNo(runStream(fold.root))
  assert(rootNo !== undefined, `run ${fold.id} took over from run ${fold.root}, which never was`)
  return rootNo
}

/** Puts the deliveries of new events into the inbox of their run's line. */
export function addDeliveries(session: Session, { streamNo, fold, events }: Told): void {
  for (const event of events) {
    const delivery = deliveryOf(event)
    if (delivery !== undefined) session.inbox.insert(rootNoOf(session, fold, streamNo), delivery)
  }
}

/** Puts the deliveries of a run's first events into the inbox; what it carries over from its line is there already. */
export function carryDeliveries(session: Session, told: Told): void {
  const { streamNo, fold, events } = told
  if (fold.root === fold.id) {
    addDeliveries(session, told)
    return
  }
  for (const event of events) {
    const delivery = deliveryOf(event)
    if (delivery !== undefined) session.inbox.carryOver(rootNoOf(session, fold, streamNo), delivery)
  }
}
