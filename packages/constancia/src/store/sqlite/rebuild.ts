import { deliveryOf, foldRun, type RunFold, type RunId, type StreamId } from '../../journal/index.js'
import type { Session } from './session.js'

const pageEvents = 1000
const prefix = 'run/'

/** Computes `runs` and `inbox` anew from the journals; see `Store.rebuild`. One transaction; it blocks the event loop. */
export function rebuild(session: Session): Promise<{ runCount: number; eventCount: number }> {
  return session.write(() => {
    const kept = keptRows(session)
    session.runs.clear()
    session.tips.forgetAll()
    session.inbox.clear()
    const total = { runCount: 0, eventCount: 0 }
    for (const { no, name } of streamsOf(session)) {
      if (!name.startsWith(prefix)) continue
      total.eventCount += rebuildRun(session, { no, id: name.slice(prefix.length) as RunId, kept: kept.get(no) })
      total.runCount++
    }
    return total
  })
}

interface KeptRow {
  readonly epoch: number
  readonly readSignalCount: number
}

function keptRows(session: Session): Map<number, KeptRow> {
  const kept = new Map<number, KeptRow>()
  for (const { stream, epoch, read_signal_count: readSignalCount } of session.runs.kept()) {
    kept.set(stream, { epoch, readSignalCount })
  }
  return kept
}

function* streamsOf(session: Session): Generator<{ readonly no: number; readonly name: string }> {
  let page = session.events.streams(0, pageEvents)
  while (page.length > 0) {
    yield* page
    page = session.events.streams(page.at(-1)?.no ?? 0, pageEvents)
  }
}

interface RunJournal {
  readonly no: number
  readonly id: RunId
  readonly kept: KeptRow | undefined
}

function rebuildRun(session: Session, { no, id, kept }: RunJournal): number {
  let fold: RunFold | undefined
  // An epoch never goes back: a claim that was lost must not hold again.
  let epoch = kept?.epoch ?? 0
  for (;;) {
    const events = session.events.read(`${prefix}${id}` as StreamId, (fold?.head.seq ?? -1) + 1, pageEvents)
    for (const event of events) {
      fold = foldRun(id, fold, event)
      epoch = Math.max(epoch, Number(/^claim:.*@(\d+)$/.exec(event.by)?.[1] ?? 0))
      const delivery = deliveryOf(event)
      if (delivery !== undefined) session.inbox.insert(no, delivery)
    }
    if (events.length < pageEvents) break
  }
  if (fold === undefined) return 0
  session.runs.insert(no, fold, { epoch, readSignalCount: kept?.readSignalCount ?? 0, nowMs: session.clock.now() })
  return fold.head.seq + 1
}
