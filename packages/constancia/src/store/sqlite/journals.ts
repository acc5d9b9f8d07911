import {
  assert,
  assertExactTexts,
  bodyOf,
  chainDrafts,
  emptyHead,
  foldRun,
  type RunFold,
  type RunId,
  runStream,
  type StoredEvent,
} from '../../journal/index.js'
import type { Append, Appended, Created, CreateRun, WithinResult } from '../index.js'
import { addEvents, enterOutbox } from './addition.js'
import { holds } from './claims.js'
import { failureOf } from './effects.js'
import { carryDeliveries } from './line.js'
import { rowOf } from './run-record.js'
import type { Session } from './session.js'
import { hasMoved } from './streams.js'

/** Starts a journal; see `Store.create`. */
export function create(session: Session, request: CreateRun): Promise<Created> {
  const created = session.write<Created>(() => {
    const { run, settles } = request
    if (settles !== undefined) session.outbox.settle(settles)
    const known = session.events.streamNo(runStream(run))
    if (known !== undefined) return whatExists(session, run, known)
    const { events } = createNow(session, request)
    return { kind: 'created', events }
  })
  session.watchers.expect(request.run)
  return created
}

function whatExists(session: Session, run: RunId, streamNo: number): Created {
  const record = session.runs.record(run)
  if (record !== undefined) return { kind: 'exists', row: rowOf(record) }
  assert(session.purged.has(streamNo), `run ${run} has a journal but no row: run "rebuild"`)
  return { kind: 'purged' }
}

interface Begun {
  readonly fold: RunFold
  readonly events: readonly StoredEvent[]
}

function createNow(session: Session, { run, drafts: first, draftsIfToEnd, by, seen }: CreateRun): Begun {
  const stream = runStream(run)
  const isToEnd = draftsIfToEnd !== undefined && session.outbox.asksToEnd(run)
  const drafts = isToEnd ? [...first, ...draftsIfToEnd] : first
  assertExactTexts(drafts)
  const nowMs = session.clock.now()
  const events = chainDrafts(emptyHead(stream), drafts, {
    stream,
    nowMs,
    by,
    seen: session.known.complete(seen),
    salt: session.salt,
  })
  const fold = events.reduce<RunFold | undefined>((before, event) => foldRun(run, before, event), undefined)
  assert(fold !== undefined, `run ${run} was to be created without events`)
  const streamNo = session.events.insertStream(stream)
  session.writer.add(streamNo, events)
  session.runs.insert(streamNo, fold, { epoch: 0, readSignalCount: 0, lostLeaseCount: 0, nowMs })
  carryDeliveries(session, { streamNo, fold, events })
  session.approvals.keep(streamNo, run, events)
  const outbox = enterOutbox(session, { streamNo, fold, events })
  session.watchers.touch({ run, headSeq: fold.head.seq, due: fold.outcome === 'open', outbox })
  return { fold, events }
}

/** Adds what the owner of a claim did; see `Store.append`. */
export function append(session: Session, request: Append): Promise<Appended> {
  const appended = session.write(() => appendNow(session, request))
  if (request.within === undefined) return appended
  return appended.catch((error: unknown) => {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    return session.write(() => appendNow(session, request, failure))
  })
}

// With what came of something that is done within, where that is known already.
function appendNow(session: Session, request: Append, came?: WithinResult): Appended {
  const { claim, head, seen, readSignalCount, successor, within } = request
  const { run } = claim
  const tip = session.tips.get(run)
  if (tip === undefined) return { kind: 'claim_lost' }
  if (tip.fold.outcome !== 'open') return { kind: 'run_ended' }
  if (!holds(claim, tip)) return { kind: 'claim_lost' }
  const before = tip.fold.head
  if (before.seq !== head.seq || before.hash !== head.hash) return { kind: 'head_conflict', head: before }
  if (hasMoved(session, request.basis)) return { kind: 'basis_moved' }
  if (successor !== undefined) checkSuccessor(session, request, successor)
  const told = within === undefined ? [] : within.outcome(came ?? session.effects.run(within))
  const drafts = [...request.drafts, ...told]
  assertExactTexts(drafts)
  const by = `claim:${claim.id}@${claim.epoch}`
  const nowMs = Math.max(session.clock.now(), request.basis?.atMs ?? 0)
  const provenance = { nowMs, by, seen: session.known.complete(seen), salt: session.salt }
  const events = chainDrafts(before, drafts, { stream: runStream(run), ...provenance })
  const { fold, outbox } = addEvents(session, { tip, events, readSignalCount })
  if (successor !== undefined) continueWith(session, fold, successor)
  const due = fold.outcome !== 'open' && session.limitedFlows.has(fold.flow)
  session.watchers.touch({ run, headSeq: fold.head.seq, due, outbox })
  return { kind: 'appended', events }
}

function checkSuccessor(session: Session, { claim: { run }, drafts, within }: Append, successor: CreateRun): void {
  assert(within === undefined, `run ${run} has a successor, and something is to be done within its append`)
  const last = drafts.at(-1)
  assert(last?.kind === 'FlowContinued', `run ${run} has a successor, but the last draft is ${last?.kind ?? 'none'}`)
  const { next } = bodyOf(last, 'FlowContinued')
  assert(next === successor.run, `run ${run} is continued as ${next}, but its successor is ${successor.run}`)
  const known = session.events.streamNo(runStream(successor.run))
  assert(known === undefined, `run ${successor.run}, which was to take over from run ${run}, exists already`)
}

function continueWith(session: Session, { id, root }: RunFold, successor: CreateRun): void {
  if (successor.settles !== undefined) session.outbox.settle(successor.settles)
  const { fold } = createNow(session, successor)
  assert(fold.root === root, `run ${fold.id} was to take over from run ${id}, but has another root: ${fold.root}`)
  session.runs.setLatest(root, fold.id)
}
