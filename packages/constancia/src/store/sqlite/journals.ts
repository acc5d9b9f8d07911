import {
  assert,
  chainDrafts,
  type Draft,
  deliveryOf,
  emptyHead,
  foldRun,
  type RunFold,
  type RunId,
  runStream,
  type StoredEvent,
} from '../../journal/index.js'
import type { Append, Appended, Created, CreateRun, Decide, Decision, Facts, RunRow } from '../index.js'
import { holds } from './claims.js'
import { checkTexts } from './events.js'
import { foldOf, type RunRecord, rowOf } from './runs.js'
import type { Session } from './session.js'
import { type RunTip, tipOf } from './tips.js'

/** Starts a journal; see `Store.create`. */
export function create(session: Session, request: CreateRun): Promise<Created> {
  return session.write(() => createNow(session, request))
}

function createNow(session: Session, { run, drafts, by, seen }: CreateRun): Created {
  const stream = runStream(run)
  if (session.events.streamNo(stream) !== undefined) return { kind: 'exists', row: rowThatExists(session, run) }
  const nowMs = session.clock.now()
  const events = chainDrafts(emptyHead(stream), drafts, { stream, nowMs, by, seen, salt: session.salt })
  const fold = events.reduce<RunFold | undefined>((before, event) => foldRun(run, before, event), undefined)
  assert(fold !== undefined, `run ${run} was to be created without events`)
  const streamNo = session.events.insertStream(stream)
  session.writer.add(streamNo, events)
  session.runs.insert(streamNo, fold, { epoch: 0, readSignalCount: 0, nowMs })
  insertDeliveries(session, streamNo, events)
  session.watchers.touch({ run, headSeq: fold.head.seq, due: fold.outcome === 'open' })
  return { kind: 'created', events }
}

function rowThatExists(session: Session, run: RunId): RunRow {
  const record = session.runs.record(run)
  assert(record !== undefined, `run ${run} has a journal but no row: run "rebuild"`)
  return rowOf(record)
}

/** Adds what the owner of a claim did; see `Store.append`. */
export function append(session: Session, request: Append): Promise<Appended> {
  return session.write(() => appendNow(session, request))
}

function appendNow(session: Session, { claim, head, drafts, seen, readSignalCount }: Append): Appended {
  const { run } = claim
  const tip = session.tips.get(run)
  if (tip === undefined) return { kind: 'claim_lost' }
  if (tip.fold.outcome !== 'open') return { kind: 'run_ended' }
  if (!holds(claim, tip)) return { kind: 'claim_lost' }
  const before = tip.fold.head
  if (before.seq !== head.seq || before.hash !== head.hash) return { kind: 'head_conflict', head: before }
  checkTexts(drafts)
  const by = `claim:${claim.id}@${claim.epoch}`
  const provenance = { nowMs: session.clock.now(), by, seen, salt: session.salt }
  const events = chainDrafts(before, drafts, { stream: runStream(run), ...provenance })
  const fold = addEvents(session, { tip, events, readSignalCount })
  session.watchers.touch({ run, headSeq: fold.head.seq, due: false })
  return { kind: 'appended', events }
}

interface Addition {
  readonly tip: RunTip
  readonly events: readonly StoredEvent[]
  readonly readSignalCount: number
}

// Writes events and whatever of the run's row they change, which for most of them is nothing.
function addEvents(session: Session, { tip, events, readSignalCount }: Addition): RunFold {
  const { streamNo, claimId, epoch } = tip
  const { id: run } = tip.fold
  let { fold } = tip
  for (const event of events) fold = foldRun(run, fold, event)
  session.writer.add(streamNo, events)
  insertDeliveries(session, streamNo, events)
  if (fold.signalCount !== tip.fold.signalCount || readSignalCount !== tip.readSignalCount) {
    session.runs.count(streamNo, fold.signalCount, readSignalCount)
  }
  if (fold.outcome === 'open') session.tips.set(run, { streamNo, fold, claimId, epoch, readSignalCount })
  else {
    session.runs.end(streamNo, fold)
    session.tips.forget(run)
  }
  return fold
}

/** Lets the world outside add to a run; see `Store.decide`. */
export function decide<T>(session: Session, request: Decide<T>): Promise<T> {
  return session.write(() => {
    const record = session.runs.record(request.run)
    const facts = factsOf(session, request, record)
    const decision = request.decide(facts)
    if (record !== undefined) enact(session, { request, record, facts, decision })
    assert(
      record !== undefined || decision.drafts.length === 0,
      `events were decided for run ${request.run}, which does not exist`,
    )
    return decision.result
  })
}

function factsOf(session: Session, { delivery }: Decide<unknown>, record: RunRecord | undefined): Facts {
  const delivered = record !== undefined && delivery !== undefined && session.inbox.has(record.stream, delivery)
  return { run: record === undefined ? undefined : rowOf(record), nowMs: session.clock.now(), delivered }
}

interface Enactment {
  readonly request: Decide<unknown>
  readonly record: RunRecord
  readonly facts: Facts
  readonly decision: Decision<unknown>
}

function enact(session: Session, { request, record, facts, decision }: Enactment): void {
  const { run } = request
  const events = chainDecided(session, { request, record, facts, decision })
  const wakes = events.length > 0 && (record.status === 'waiting' || record.status === 'paused')
  const unsticks = decision.unstick === true && record.status === 'stuck'
  if (events.length === 0 && !unsticks) return
  if (wakes || unsticks) session.runs.makeReady(record.stream, facts.nowMs)
  const fold = addEvents(session, { tip: tipOf(record), events, readSignalCount: record.read_signal_count })
  session.watchers.touch({ run, headSeq: fold.head.seq, due: wakes || unsticks })
}

function chainDecided(session: Session, { request, record, facts, decision }: Enactment): StoredEvent[] {
  const { run, delivery, by, seen } = request
  const chain = (drafts: readonly Draft[]): StoredEvent[] =>
    chainDrafts(foldOf(record).head, drafts, {
      stream: runStream(run),
      nowMs: facts.nowMs,
      by,
      seen,
      salt: session.salt,
    })
  if (decision.drafts.length === 0) return []
  assert(record.outcome === 'open', `events were decided for run ${run}, which has ended`)
  checkTexts(decision.drafts)
  const events = chain(decision.drafts)
  const carriesIt = events.map((event) => delivery !== undefined && deliveryOf(event) === delivery)
  assert(
    delivery === undefined || carriesIt.includes(true),
    `no event decided for run ${run} carries delivery ${delivery}`,
  )
  return facts.delivered ? chain(decision.drafts.filter((_, index) => carriesIt[index] !== true)) : events
}

function insertDeliveries(session: Session, streamNo: number, events: readonly StoredEvent[]): void {
  for (const event of events) {
    const delivery = deliveryOf(event)
    if (delivery !== undefined) session.inbox.insert(streamNo, delivery)
  }
}
