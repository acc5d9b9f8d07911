import { foldRun, outboxEntryOf, type RunFold, type StoredEvent } from '../../journal/index.js'
import { addDeliveries, type Told } from './line.js'
import type { Session } from './session.js'
import type { RunTip } from './tips.js'

/** Events that go to the end of a run's journal. */
export interface Addition {
  readonly tip: RunTip
  readonly events: readonly StoredEvent[]
  readonly readSignalCount: number
}

/** What a run is with these events, and whether they have something to tell another one. */
export interface Added {
  readonly fold: RunFold
  readonly outbox: boolean
}

/** Writes events and whatever of the projections they change, which for most of them is nothing. */
export function addEvents(session: Session, { tip, events, readSignalCount }: Addition): Added {
  const { streamNo, claimId, epoch } = tip
  const { id: run } = tip.fold
  let { fold } = tip
  for (const event of events) fold = foldRun(run, fold, event)
  session.writer.add(streamNo, events)
  addDeliveries(session, { streamNo, fold, events })
  session.approvals.keep(streamNo, run, events)
  const outbox = enterOutbox(session, { streamNo, fold, events })
  if (
    fold.signalCount !== tip.fold.signalCount ||
    fold.isCancelRequested !== tip.fold.isCancelRequested ||
    readSignalCount !== tip.readSignalCount
  ) {
    session.runs.progress(streamNo, fold, readSignalCount)
  }
  if (fold.outcome === 'open') session.tips.set(run, { streamNo, fold, claimId, epoch, readSignalCount })
  else {
    session.runs.end(streamNo, fold)
    session.tips.forget(run)
  }
  return { fold, outbox }
}

/** Puts into the outbox what events have to tell other runs. Returns whether that was anything. */
export function enterOutbox(session: Session, { streamNo, fold, events }: Told): boolean {
  let isAny = false
  for (const event of events) {
    const entry = outboxEntryOf(fold, event)
    if (entry === undefined) continue
    session.outbox.insert(streamNo, entry)
    isAny = true
  }
  return isAny
}
