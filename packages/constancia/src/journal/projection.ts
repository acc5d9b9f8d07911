import { type ApprovalChange, approvalChangeOf } from './approval-fold.js'
import { assert } from './errors.js'
import type { StoredEvent } from './event.js'
import type { RunId } from './ids.js'
import { type OutboxEntry, outboxEntryOf } from './outbox.js'
import { deliveryOf, foldRun, type RunFold } from './run-fold.js'

/** What follows from events of a run: its row, what the inbox remembers of them, what they put into the outbox, and what they do to approvals. */
export interface Projection {
  /** The run with these events. */
  readonly fold: RunFold
  readonly deliveries: readonly string[]
  readonly entries: readonly OutboxEntry[]
  readonly approvals: readonly ApprovalChange[]
}

/** What follows from the next events of a run. Pure. Throws if one of them cannot follow, or if a run is to begin without any. */
export function projectionOf(run: RunId, before: RunFold | undefined, events: readonly StoredEvent[]): Projection {
  let fold = before
  const deliveries: string[] = []
  const entries: OutboxEntry[] = []
  const approvals: ApprovalChange[] = []
  for (const event of events) {
    fold = foldRun(run, fold, event)
    const delivery = deliveryOf(event)
    if (delivery !== undefined) deliveries.push(delivery)
    const entry = outboxEntryOf(fold, event)
    if (entry !== undefined) entries.push(entry)
    const approval = approvalChangeOf(event)
    if (approval !== undefined) approvals.push(approval)
  }
  assert(fold !== undefined, `run ${run} was to have a journal without events`)
  return { fold, deliveries, entries, approvals }
}
