import type { StoredEvent } from './event.js'
import type { RunId } from './ids.js'
import { bodyOf, endOf, type Tells } from './kinds.js'
import type { RunFold } from './run-fold.js'

/**
 * Something that a run has to tell another, or its caller. It is named by the event that says it; its content is in that event:
 *
 * | kind | event | what is to happen |
 * |---|---|---|
 * | start | ChildStarted | the child is started |
 * | cancel | ChildCancelRequested | the child is asked to end |
 * | end | the end of a child | its parent learns what came of it |
 * | notice | one that says so (`tells`) | whoever started the run learns of it |
 */
export interface OutboxEntry {
  /** Whose event says it. */
  readonly run: RunId
  readonly seq: number
  readonly kind: 'start' | 'cancel' | 'end' | 'notice'
  /** Whom it concerns; of a notice, the first run of its line. */
  readonly target: RunId
}

// What ends a run is not among them: that depends on the run.
const noticeKinds: ReadonlySet<string> = new Set([
  'MessageSent',
  'ApprovalRequested',
  'ApprovalResolved',
  'ResumeDeferred',
  'ResumeDenied',
])

/**
 * The id under which the caller of a run is told of something, however often that is tried: whoever is told counts it once.
 * No name that a user chooses can imitate it. Pure.
 */
export function noticeId({ run, seq }: Pick<OutboxEntry, 'run' | 'seq'>): string {
  return `${run}/${seq}`
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
      if (endOf(kind) === undefined) return noticeKinds.has(kind) ? noticeOf(fold, event) : undefined
      return parent === undefined ? noticeOf(fold, event) : { run, seq, kind: 'end', target: parent.run }
  }
}

function noticeOf({ id: run, root: target }: RunFold, { seq, body }: StoredEvent): OutboxEntry | undefined {
  return (JSON.parse(body) as Tells).tells === true ? { run, seq, kind: 'notice', target } : undefined
}

/** What is known of the run that an entry concerns. */
export interface OutboxTarget {
  /** Whether there is such a run, or was one before it was purged. */
  readonly isKnown: boolean
  /** Undefined where there is none, or none any more. */
  readonly fold: RunFold | undefined
  /** The last of the runs that took over from it; itself where none did; undefined where that one was purged. */
  readonly latest: RunFold | undefined
  /** Whether its line has been told of the end of this child. */
  readonly knowsEnd: boolean
}

/**
 * Whether what an entry asks for was done, as journals show it: a rebuild puts only the rest into the outbox. Of notices no journal shows
 * that, so a rebuild leaves those that are there and puts none back. Pure.
 */
export function isDispatched(kind: OutboxEntry['kind'], { isKnown, fold, latest, knowsEnd }: OutboxTarget): boolean {
  switch (kind) {
    case 'start':
      return isKnown
    case 'cancel':
      if (fold === undefined) return isKnown
      return latest === undefined || latest.isCancelRequested || latest.outcome !== 'open'
    case 'end':
      return fold === undefined || fold.outcome !== 'open' || knowsEnd
    case 'notice':
      return true
  }
}
