import { assert, type Draft, deliveryOf } from '../../journal/index.js'
import type { Decide, Decision, Facts } from '../index.js'
import type { Decided, DecideJob } from './job.js'
import { touchedOf } from './journals.js'
import { foldOf, type RunRecord } from './run-record.js'
import type { Session } from './session.js'
import { type Added, add, type State } from './work.js'

/** Lets the world outside add to a run; see `Store.decide`. */
export function decide<T>(session: Session, request: Decide<T>): Promise<T> {
  const { run, delivery, settles, basis, known } = request
  const decideJob: DecideJob['decide'] = (facts, record) => {
    const decision = request.decide(facts)
    const decided = record === undefined ? undefined : enact(session, { request, record, facts, decision })
    assert(
      record !== undefined || decision.drafts.length === 0,
      `events were decided for run ${run}, which does not exist`,
    )
    const work = decided ?? (settles === undefined ? undefined : { touched: [] })
    return { work: work === undefined ? undefined : { ...work, settles }, answer: decision.result }
  }
  return session.commit.submit<DecideJob>({
    lane: 'decide',
    runs: [run],
    run,
    delivery,
    basis,
    known,
    child: undefined,
    decide: decideJob,
  })
}

interface Enactment {
  readonly request: Decide<unknown>
  readonly record: RunRecord
  readonly facts: Facts
  readonly decision: Decision<unknown>
}

function enact(session: Session, enactment: Enactment): Decided['work'] {
  const { record, decision } = enactment
  const added = addDecided(session, enactment)
  const isNew = added.events.length > 0
  const wakes = isNew && (record.status === 'waiting' || record.status === 'paused')
  const unsticks = decision.unstick === true && record.status === 'stuck'
  if (!isNew && !unsticks) return undefined
  const state: State | undefined = wakes || unsticks ? { status: 'ready' } : undefined
  const isOpen = added.fold.outcome === 'open'
  // A run that is ended from outside makes room for another one of its flow.
  const due = isOpen ? wakes || unsticks : session.limitedFlows.has(added.fold.flow)
  const head = foldOf(record).head
  const change = { run: record.id, claim: undefined, head, added, isProgress: false, state }
  // Whoever has the run, perhaps another process, is to read on.
  return { change, touched: [{ ...touchedOf(added, due), byOwner: false, isLoud: true }] }
}

function addDecided(session: Session, { request, record, facts, decision }: Enactment): Added {
  const { run, delivery, by } = request
  const { seen = request.seen } = decision
  const fold = foldOf(record)
  const addAll = (drafts: readonly Draft[]): Added =>
    add({
      run,
      head: fold.head,
      fold,
      drafts,
      nowMs: facts.nowMs,
      by,
      seen: session.known.complete(seen),
      salt: session.salt,
    })
  if (decision.drafts.length === 0) return addAll([])
  assert(record.outcome === 'open', `events were decided for run ${run}, which has ended`)
  const added = addAll(decision.drafts)
  if (delivery === undefined) return added
  const carriesIt = added.events.map((event) => deliveryOf(event) === delivery)
  assert(carriesIt.includes(true), `no event decided for run ${run} carries delivery ${delivery}`)
  return facts.delivered ? addAll(decision.drafts.filter((_, index) => carriesIt[index] !== true)) : added
}
