import {
  endDelivery,
  isDispatched,
  nextRunId,
  type OutboxEntry,
  type RunFold,
  type RunId,
  runStream,
} from '../../journal/index.js'
import { rootNoOf } from './line.js'
import { foldOf, type RunRecord } from './run-record.js'
import type { Session } from './session.js'

/** Something that a run had to tell another. */
export interface Said {
  readonly streamNo: number
  readonly entry: OutboxEntry
  /** Of a child: whose it is. */
  readonly parent: RunFold['parent']
}

/** The last run of a line, once the rows are there. A run of it that was purged says no more what took over from it. */
export function latestOf(session: Session, root: RunFold): RunId {
  let latest = root.continuedAs ?? root.id
  for (;;) {
    const record = session.runs.record(latest)
    const next = record === undefined ? nextIfKnown(session, latest) : record.continued_as
    if (next === null) return latest
    latest = next
  }
}

function nextIfKnown(session: Session, run: RunId): RunId | null {
  const next = nextRunId(run)
  return session.events.streamNo(runStream(next)) === undefined ? null : next
}

/** Whether what a run had to tell another was done, as the other one's journal shows. */
export function isDone(session: Session, { entry: { kind, target }, parent }: Said): boolean {
  const record = session.runs.record(target)
  const last = record === undefined || record.latest === null ? record : session.runs.record(record.latest)
  return isDispatched(kind, {
    isKnown: session.events.streamNo(runStream(target)) !== undefined,
    fold: record && foldOf(record),
    latest: last && foldOf(last),
    knowsEnd: parent === undefined || (record !== undefined && knowsEnd(session, record, parent)),
  })
}

function knowsEnd(session: Session, target: RunRecord, parent: NonNullable<RunFold['parent']>): boolean {
  return session.inbox.has(rootNoOf(session, foldOf(target), target.stream), endDelivery(parent))
}
