import {
  assert,
  assertExactTexts,
  chainDrafts,
  type Draft,
  deliveryOf,
  type Head,
  runStream,
  type StoredEvent,
  type StreamId,
} from '../../journal/index.js'
import { type Decide, type Decision, type Facts, type News, newsCountMax } from '../index.js'
import { addEvents } from './addition.js'
import { rootNoOf } from './line.js'
import { foldOf, type RunRecord, rowOf } from './run-record.js'
import type { Session } from './session.js'
import { tipOf } from './tips.js'

/** Lets the world outside add to a run; see `Store.decide`. */
export function decide<T>(session: Session, request: Decide<T>): Promise<T> {
  const decided = session.write(() => {
    if (request.settles !== undefined) session.outbox.settle(request.settles)
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
  if (!session.tips.isOwned(request.run)) session.watchers.expect(request.run)
  return decided
}

function factsOf(session: Session, request: Decide<unknown>, record: RunRecord | undefined): Facts {
  const { delivery, basis } = request
  const nowMs = session.clock.now()
  const basisHead = basis && session.heads.get(basis)
  const news = newsOf(session, request, { run: record && foldOf(record).head, basis: basisHead })
  if (record === undefined) return { run: undefined, nowMs, delivered: false, basisHead, news }
  const run = rowOf(record)
  const delivered = delivery !== undefined && session.inbox.has(rootNoOf(session, run, record.stream), delivery)
  return { run, nowMs, delivered, basisHead, news }
}

// Nothing is read where nothing came.
function newsOf(
  session: Session,
  { run, basis, known }: Decide<unknown>,
  heads: { readonly run: Head | undefined; readonly basis: Head | undefined },
): News | undefined {
  if (known === undefined) return
  const since = (stream: StreamId | undefined, seq: number, head: Head | undefined): StoredEvent[] =>
    stream === undefined || head === undefined || head.seq <= seq
      ? []
      : session.events.read(stream, seq + 1, newsCountMax)
  return { run: since(runStream(run), known.runSeq, heads.run), basis: since(basis, known.basisSeq, heads.basis) }
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
  const addition = { tip: tipOf(record), events, readSignalCount: record.read_signal_count }
  const { fold, outbox } = addEvents(session, addition)
  const isOpen = fold.outcome === 'open'
  // A run that is ended from outside makes room for another one of its flow.
  const due = isOpen ? wakes || unsticks : session.limitedFlows.has(fold.flow)
  session.watchers.touch({ run, headSeq: fold.head.seq, due, outbox })
}

function chainDecided(session: Session, { request, record, facts, decision }: Enactment): StoredEvent[] {
  const { run, delivery, by } = request
  const { seen = request.seen } = decision
  const chain = (drafts: readonly Draft[]): StoredEvent[] =>
    chainDrafts(foldOf(record).head, drafts, {
      stream: runStream(run),
      nowMs: facts.nowMs,
      by,
      seen: session.known.complete(seen),
      salt: session.salt,
    })
  if (decision.drafts.length === 0) return []
  assert(record.outcome === 'open', `events were decided for run ${run}, which has ended`)
  assertExactTexts(decision.drafts)
  const events = chain(decision.drafts)
  const carriesIt = events.map((event) => delivery !== undefined && deliveryOf(event) === delivery)
  assert(
    delivery === undefined || carriesIt.includes(true),
    `no event decided for run ${run} carries delivery ${delivery}`,
  )
  return facts.delivered ? chain(decision.drafts.filter((_, index) => carriesIt[index] !== true)) : events
}
