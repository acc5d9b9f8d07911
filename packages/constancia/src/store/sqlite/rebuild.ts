import {
  deliveryOf,
  foldRun,
  type OutboxEntry,
  outboxEntryOf,
  type RunFold,
  type RunId,
  runStream,
  type StoredEvent,
} from '../../journal/index.js'
import { rolledBackCode } from '../index.js'
import { rootNoOf } from './line.js'
import { isDone, latestOf, type Said } from './rebuild-lines.js'
import type { RunTable } from './runs.js'
import type { Session } from './session.js'

const pageEvents = 1000
const prefix = 'run/'

/**
 * Computes `runs`, `inbox`, `outbox` and `approvals` anew from the journals; see `Store.rebuild`. One transaction; it blocks the event loop.
 * What was purged stays purged.
 */
export function rebuild(session: Session): Promise<{ runCount: number; eventCount: number }> {
  return session.write(() => {
    const kept = keptRows(session)
    session.runs.clear()
    session.tips.forgetAll()
    session.inbox.clear()
    session.outbox.clear()
    session.approvals.clear()
    const rebuilt: Rebuilt = { runCount: 0, eventCount: 0, said: [], continuedRoots: [] }
    for (const { no, name } of streamsOf(session)) {
      if (!name.startsWith(prefix)) continue
      rebuildRun(session, { no, id: name.slice(prefix.length) as RunId, kept: kept.get(no) }, rebuilt)
    }
    for (const root of rebuilt.continuedRoots) session.runs.setLatest(root.id, latestOf(session, root))
    rebuildOutbox(session, rebuilt.said)
    const { runCount, eventCount } = rebuilt
    return { runCount, eventCount }
  })
}

interface Rebuilt {
  runCount: number
  eventCount: number
  /** What runs had to tell each other, done or not. */
  readonly said: Said[]
  readonly continuedRoots: RunFold[]
}

type KeptRow = ReturnType<RunTable['kept']>[number]

function keptRows(session: Session): Map<number, KeptRow> {
  return new Map(session.runs.kept().map((row) => [row.stream, row]))
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

function rebuildRun(session: Session, { no, id, kept }: RunJournal, rebuilt: Rebuilt): void {
  let fold: RunFold | undefined
  // An epoch never goes back: a claim that was lost must not hold again.
  let epoch = kept?.epoch ?? 0
  for (const event of eventsOf(session, id)) {
    fold = foldRun(id, fold, event)
    epoch = Math.max(epoch, Number(/^claim:.*@(\d+)$/.exec(event.by)?.[1] ?? 0))
    rebuildDelivery(session, { no, fold, event })
    session.approvals.keep(no, id, [event])
    const entry = outboxEntryOf(fold, event)
    if (entry !== undefined) rebuilt.said.push({ streamNo: no, entry, parent: fold.parent })
  }
  if (fold === undefined) return
  const { read_signal_count: readSignalCount = 0, lost_leases: lostLeaseCount = 0 } = kept ?? {}
  session.runs.insert(no, fold, { epoch, readSignalCount, lostLeaseCount, nowMs: session.clock.now() })
  if (fold.outcome === 'open' && kept?.stuck_code === rolledBackCode)
    session.runs.rest(no, { kind: 'stuck', code: rolledBackCode, message: kept.stuck_message ?? '' }, readSignalCount)
  if (fold.root === id && fold.continuedAs !== undefined) rebuilt.continuedRoots.push(fold)
  rebuilt.runCount++
  rebuilt.eventCount += fold.head.seq + 1
}

function* eventsOf(session: Session, id: RunId): Generator<StoredEvent> {
  for (let fromSeq = 0; ; fromSeq += pageEvents) {
    const events = session.events.read(runStream(id), fromSeq, pageEvents)
    yield* events
    if (events.length < pageEvents) return
  }
}

// What a run carried over from another one of its line may be there already. A line whose root was purged has no inbox.
function rebuildDelivery(session: Session, at: { no: number; fold: RunFold; event: StoredEvent }): void {
  const delivery = deliveryOf(at.event)
  if (delivery === undefined) return
  const rootNo = rootNoOf(session, at.fold, at.no)
  if (rootNo === at.no) session.inbox.insert(rootNo, delivery)
  else if (!session.purged.has(rootNo)) session.inbox.carryOver(rootNo, delivery)
}

function rebuildOutbox(session: Session, said: readonly Said[]): void {
  const open: { readonly eventId: number; readonly streamNo: number; readonly entry: OutboxEntry }[] = []
  for (const one of said) {
    const { streamNo, entry } = one
    if (!isDone(session, one)) open.push({ eventId: session.events.eventId(streamNo, entry.seq), streamNo, entry })
  }
  // In the order in which they were said.
  open.sort((a, b) => a.eventId - b.eventId)
  for (const { streamNo, entry } of open) session.outbox.insert(streamNo, entry)
}
