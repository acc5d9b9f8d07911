import type { StoredEvent } from './event.js'
import type { RunId } from './ids.js'
import { bodyOf, endOf } from './kinds.js'
import type { RunFold } from './run-fold.js'

/**
 * Something that one run has to tell another. It is named by the event that says it; its content is in that event:
 *
 * | kind | event | what is to happen |
 * |---|---|---|
 * | start | ChildStarted | the child is started |
 * | cancel | ChildCancelRequested | the child is asked to end |
 * | end | the end of a child | its parent learns what came of it |
 */
export interface OutboxEntry {
  /** Whose event says it. */
  readonly run: RunId
  readonly seq: number
  readonly kind: 'start' | 'cancel' | 'end'
  /** Whom it concerns. */
  readonly target: RunId
}

/** What an event puts into the outbox: the projection `outbox`. `fold` is that of its run, the event included. Pure. */
export function outboxEntryOf(fold: RunFold, event: StoredEvent): OutboxEntry | undefined {
  const { id: run, parent } = fold
  const { seq, kind } = event
  switch (kind) {
    case 'ChildStarted':
      return { run, seq, kind: 'start', target: bodyOf(event, 'ChildStarted').child }
    case 'ChildCancelRequested':
      return { run, seq, kind: 'cancel', target: bodyOf(event, 'ChildCancelRequested').child }
    case 'FlowContinued':
      return undefined // Its successor answers.
    default:
      return parent === undefined || endOf(kind) === undefined
        ? undefined
        : { run, seq, kind: 'end', target: parent.run }
  }
}
