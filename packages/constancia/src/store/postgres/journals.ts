import {
  assert,
  bodyOf,
  type Draft,
  emptyHead,
  type RunFold,
  type RunId,
  rootRunId,
  runStream,
} from '../../journal/index.js'
import type { Append, Appended, Created, CreateRun } from '../index.js'
import type { AppendedWithin, DecideJob, JobRequest, WithinJob, WriteJob } from './job.js'
import { foldOf, type RunRecord, rowOf } from './run-record.js'
import { recordsOf } from './runs.js'
import type { Session } from './session.js'
import type { Touched } from './touched.js'
import type { Unfit } from './unfit.js'
import { type Added, add, type Start, type Work } from './work.js'

/** Starts a journal; see `Store.create`. */
export async function create(session: Session, request: CreateRun): Promise<Created> {
  if (request.draftsIfToEnd !== undefined) return createChild(session, request, request.draftsIfToEnd)
  let added: Added | undefined
  const prepare = (): Work => {
    added ??= begin(session, request)
    return startOf(request, added)
  }
  const finish = (unfit: Unfit | undefined): Created | Promise<Created> =>
    unfit === undefined && added !== undefined
      ? { kind: 'created', events: added.events }
      : session.patiently(() => whatExists(session, request.run))
  const { run } = request
  const root = rootRunId(run)
  if (root !== run && request.drafts.some(({ body }) => body.includes('"continues"'))) await checkRoot(session, request)
  return session.commit.submit<WriteJob>({ lane: 'write', runs: [run], at: undefined, prepare, finish })
}

// What a run says is written under the lock of its row, which is held from the look at what it said up to the start of its child.
function createChild(session: Session, request: CreateRun, wish: readonly Draft[]): Promise<Created> {
  const { run, settles, drafts } = request
  assert(settles !== undefined, `run ${run} was to end if its parent says so, but was to be started for nobody`)
  const answerIfExists = (): Promise<Created> => session.patiently(() => whatExists(session, run))
  const decide: DecideJob['decide'] = (_facts, _record, isToEnd) => {
    const added = begin(session, isToEnd ? { ...request, drafts: [...drafts, ...wish] } : request)
    return { work: startOf(request, added), answer: { kind: 'created', events: added.events }, answerIfExists }
  }
  const job = { lane: 'decide', runs: [run], run: settles.run, child: run, decide } as const
  return session.commit.submit<DecideJob>({ ...job, delivery: undefined, basis: undefined, known: undefined })
}

function startOf({ run, settles }: CreateRun, added: Added): Work {
  return { start: { run, added }, settles, touched: [touchedOf(added, added.fold.outcome === 'open')] }
}

// A run that takes over from another one shares its root's inbox.
async function checkRoot(session: Session, { run }: CreateRun): Promise<void> {
  const root = rootRunId(run)
  const sql = session.sql('SELECT 1 FROM {schema}.streams WHERE name = $1')
  const found = await session.patiently(() => session.connections.query(sql, [runStream(root)]))
  assert(found.length > 0, `run ${run} was to take over from run ${root}, which never was`)
}

function begin(session: Session, { run, drafts, by, seen }: CreateRun): Added {
  assert(drafts.length > 0, `run ${run} was to be created without events`)
  const head = emptyHead(runStream(run))
  return add({
    run,
    head,
    fold: undefined,
    drafts,
    nowMs: session.clock.now(),
    by,
    seen: session.known.complete(seen),
    salt: session.salt,
  })
}

async function whatExists(session: Session, run: RunId): Promise<Created> {
  const record = (await recordsOf(session, session.connections, [run])).get(run)
  if (record !== undefined) return { kind: 'exists', row: rowOf(record) }
  const sql = session.sql(
    'SELECT 1 FROM {schema}.purged WHERE stream = (SELECT no FROM {schema}.streams WHERE name = $1)',
  )
  const purged = await session.connections.query(sql, [runStream(run)])
  assert(purged.length > 0, `run ${run} has a journal but no row: run "rebuild"`)
  return { kind: 'purged' }
}

/** Adds what the owner of a claim did; see `Store.append`. */
export function append(session: Session, request: Append): Promise<Appended> {
  const { within } = request
  return within === undefined ? appendPlain(session, request) : appendWithin(session, { ...request, within })
}

async function appendWithin(session: Session, request: WithinJob['request']): Promise<Appended> {
  const { claim, drafts, successor, within } = request
  const { run } = claim
  assert(successor === undefined, `run ${run} has a successor, and something is to be done within its append`)
  const done = (await session.commit.submit<WithinJob>({ lane: 'within', runs: [run], request })) as AppendedWithin
  if (done.kind !== 'undone') return done
  // Of the effect nothing is there: what is to be said of it is an append like any other.
  return appendPlain(session, { ...request, drafts: [...drafts, ...within.outcome({ error: done.error })] })
}

function appendPlain(session: Session, request: Append): Promise<Appended> {
  return session.commit.submit<WriteJob>(new AppendJob(session, request))
}

// One object for each step of each run, where two functions with what they see would be five.
class AppendJob implements JobRequest<WriteJob> {
  readonly lane: 'write' | 'whole'
  readonly runs: readonly RunId[]
  readonly at: WriteJob['at']
  readonly #session: Session
  readonly #request: Append
  #work: AppendWork | undefined

  constructor(session: Session, request: Append) {
    const { claim, head, successor } = request
    const { run } = claim
    // A successor must not be there: seldom enough for a transaction of its own.
    this.lane = successor === undefined ? 'write' : 'whole'
    this.runs = successor === undefined ? [run] : [run, successor.run, rootRunId(run)]
    this.at = { run, head }
    this.#session = session
    this.#request = request
  }

  prepare(found: { readonly record: RunRecord | undefined } | undefined): AppendWork | { readonly answer: Appended } {
    const fold = foldAt(this.#session, this.#request, found)
    if ('kind' in fold) return { answer: fold }
    if (this.#work === undefined && isOver(this.#session, this.#request.basis))
      return { answer: { kind: 'basis_moved' } }
    this.#work ??= workOf(this.#session, this.#request, fold)
    return this.#work
  }

  finish(unfit: Unfit | undefined): Appended {
    const { claim, successor } = this.#request
    const { run } = claim
    if (unfit?.kind === 'exists' && successor !== undefined)
      assert(false, `run ${successor.run}, which was to take over from run ${run}, exists already`)
    return appendedOf(this.#session, { run, unfit, added: this.#work?.change.added })
  }
}

interface Came {
  readonly run: RunId
  readonly unfit: Unfit | undefined
  readonly added: Added | undefined
}

/** What became of an append, given what did not fit, if anything. */
export function appendedOf(session: Session, { run, unfit, added }: Came): Appended {
  if (unfit?.kind === 'basis_moved') return { kind: 'basis_moved' }
  if (unfit !== undefined) session.tips.forget(run)
  if (unfit?.kind === 'head_conflict') return { kind: 'head_conflict', head: unfit.head }
  if (unfit !== undefined || added === undefined)
    return { kind: unfit?.kind === 'run_ended' ? 'run_ended' : 'claim_lost' }
  if (added.fold.outcome === 'open') session.tips.set(run, added.fold)
  else session.tips.forget(run)
  return { kind: 'appended', events: added.events }
}

function foldAt(
  session: Session,
  request: Append,
  found: { readonly record: RunRecord | undefined } | undefined,
): RunFold | Refused {
  return session.tips.at(request.claim.run, request.head) ?? foldFound(request, found?.record)
}

/** An append that was not stored. */
export type Refused = Exclude<Appended, { kind: 'appended' }>

/** The fold of a row that an append fits, or why it does not. */
export function foldFound({ claim, head }: Append, record: RunRecord | undefined): RunFold | Refused {
  if (record === undefined) return { kind: 'claim_lost' }
  if (record.outcome !== 'open') return { kind: 'run_ended' }
  if (record.claim_id !== claim.id || record.epoch !== claim.epoch) return { kind: 'claim_lost' }
  const fold = foldOf(record)
  return fold.head.seq === head.seq && fold.head.hash === head.hash ? fold : { kind: 'head_conflict', head: fold.head }
}

/** Whether what an append was decided from says something else by now. */
export function isOver(session: Session, basis: Append['basis']): boolean {
  return session.clock.now() >= (basis?.untilMs ?? Infinity)
}

/** What an append comes to. */
type AppendWork = Work & { readonly change: { readonly added: Added } }

/** What an append writes. */
export function workOf(session: Session, request: Append, fold: RunFold): AppendWork {
  const { claim, drafts, seen, readSignalCount, successor, basis } = request
  const { run } = claim
  if (successor !== undefined) checkSuccessor(request, successor)
  const by = `claim:${claim.id}@${claim.epoch}`
  const nowMs = Math.max(session.clock.now(), basis?.atMs ?? 0)
  // What the database holds of the head counts, its time too.
  const added = add({
    run,
    head: fold.head,
    fold,
    drafts,
    nowMs,
    by,
    seen: session.known.complete(seen),
    salt: session.salt,
  })
  const change = { run, claim, head: fold.head, basis, added, readSignalCount, isProgress: added.events.length > 0 }
  const isRoom = added.fold.outcome !== 'open' && session.limitedFlows.has(fold.flow)
  const touched = [touchedOf(added, isRoom)]
  if (successor === undefined) return { change, touched }
  const start: Start = { run: successor.run, added: begin(session, successor) }
  const { root } = start.added.fold
  assert(root === fold.root, `run ${start.run} was to take over from run ${run}, but has another root: ${root}`)
  const latest = { root, run: start.run }
  return { change, start, latest, settles: successor.settles, touched: [...touched, touchedOf(start.added, true)] }
}

function checkSuccessor({ claim: { run }, drafts }: Append, successor: CreateRun): void {
  const last = drafts.at(-1)
  assert(last?.kind === 'FlowContinued', `run ${run} has a successor, but the last draft is ${last?.kind ?? 'none'}`)
  const { next } = bodyOf(last, 'FlowContinued')
  assert(next === successor.run, `run ${run} is continued as ${next}, but its successor is ${successor.run}`)
}

/** What listeners are told of new events of a run's owner, or of who starts it. Others wait for what is due, for the outbox, and for ends; the rest they need not know. */
export function touchedOf({ fold, entries }: Added, due: boolean): Touched {
  const outbox = entries.length > 0
  const ended = fold.outcome !== 'open'
  return { run: fold.id, headSeq: fold.head.seq, due, outbox, byOwner: true, ended, isLoud: due || outbox || ended }
}
