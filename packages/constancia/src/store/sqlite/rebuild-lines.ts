import { endDelivery, nextRunId, type OutboxEntry, type RunFold, type RunId, runStream } from '../../journal/index.js'
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
export function isDone(session: Session, { entry, parent }: Said): boolean {
  const { kind, target } = entry
  const record = session.runs.record(target)
  switch (kind) {
    case 'start':
      return isKnown(session, target)
    case 'cancel':
      return record === undefined ? isKnown(session, target) : isEnding(session, record)
    case 'end':
      return record === undefined || record.outcome !== 'open' || knowsEnd(session, record, parent)
  }
}

function isKnown(session: Session, run: RunId): boolean {
  return session.events.streamNo(runStream(run)) !== undefined
}

function isEnding(session: Session, target: RunRecord): boolean {
  const last = target.latest === null ? target : session.runs.record(target.latest)
  return last === undefined || last.cancel_requested !== 0 || last.outcome !== 'open'
}

function knowsEnd(session: Session, target: RunRecord, parent: RunFold['parent']): boolean {
  if (parent === undefined) return true
  const rootNo = rootNoOf(session, foldOf(target), target.stream)
  return session.inbox.has(rootNo, endDelivery(parent))
}
