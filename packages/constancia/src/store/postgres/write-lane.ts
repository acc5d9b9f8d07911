import type { RunId } from '../../journal/index.js'
import type { WriteJob } from './job.js'
import { Wait } from './patience.js'
import { type Plain, plainOf } from './plain.js'
import { storedOf } from './read-back.js'
import type { RunRecord } from './run-record.js'
import { recordsOf } from './runs.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'
import type { Unfit } from './unfit.js'
import type { Work } from './work.js'
import { write } from './write.js'
import { writeOne } from './write-one.js'
import { writePlain } from './write-plain.js'

/** A job and what it writes. */
interface Underway {
  readonly job: WriteJob
  readonly work: Work
  readonly plain: Plain | undefined
}

/** What did not fit, by the place of the work. */
interface Sent {
  readonly unfit: ReadonlyMap<number, Unfit>
  /** What did not fit and of which nobody said why; nothing of it is stored. */
  readonly unexplained: ReadonlySet<number>
}

type Send = (session: Session, all: readonly Underway[]) => Promise<Sent>

interface Settling {
  readonly all: readonly Underway[]
  readonly send: Send
  /** Whether some of it was sent before, and nobody heard what became of it. */
  readonly isDoubtful: boolean
}

// Fewer than so many do not make up for a transaction more.
const apartCountMin = 16

/** Writes jobs in one round trip, which is a transaction of its own, or in two at once where many of them are plain. */
export async function writeTogether(session: Session, jobs: readonly WriteJob[]): Promise<void> {
  const all = await prepareAll(session, jobs)
  const plain = all.filter(isPlain)
  if (plain.length === all.length) return settleAll(session, { all, send: sendPlain, isDoubtful: false })
  if (plain.length < apartCountMin) return settleAll(session, { all, send: sendAny, isDoubtful: false })
  const rest = all.filter((one) => !isPlain(one))
  await Promise.all([
    settleAll(session, { all: plain, send: sendPlain, isDoubtful: false }),
    settleAll(session, { all: rest, send: sendAny, isDoubtful: false }),
  ])
}

/** Writes a job in a transaction that is rolled back unless all of it fits. */
export async function writeWhole(session: Session, jobs: readonly WriteJob[]): Promise<void> {
  await settleAll(session, { all: await prepareAll(session, jobs), send: sendWhole, isDoubtful: false })
}

const isPlain = ({ plain }: Underway): boolean => plain !== undefined
const workOf = ({ work }: Underway): Work => work

const none: Sent = { unfit: new Map(), unexplained: new Set() }

const sendAny: Send = async (session, all) => ({
  ...none,
  unfit: await write(session, session.connections, all.map(workOf)),
})

const sendPlain: Send = async (session, all) => {
  const plains = all.flatMap(({ plain }) => plain ?? [])
  const [first] = plains
  if (first === undefined) return none
  if (plains.length > 1) return { ...none, unexplained: await writePlain(session, plains) }
  return (await writeOne(session, first)) ? none : { ...none, unexplained: new Set([0]) }
}

const sendWhole: Send = (session, all) =>
  inTransaction(session, async (on) => {
    const unfit = await write(session, on, all.map(workOf))
    return unfit.size > 0 ? { ...none, unfit } : on.commit(Promise.resolve(none))
  })

async function prepareAll(session: Session, jobs: readonly WriteJob[]): Promise<Underway[]> {
  const found = await loadUnknown(session, jobs)
  const all: Underway[] = []
  for (const job of jobs) {
    try {
      const prepared = job.prepare(found.get(job))
      if ('answer' in prepared) job.resolve(prepared.answer as never)
      else all.push({ job, work: prepared, plain: plainOf(prepared) })
    } catch (error) {
      job.reject(error)
    }
  }
  return all
}

async function loadUnknown(
  session: Session,
  jobs: readonly WriteJob[],
): Promise<Map<WriteJob, { readonly record: RunRecord | undefined }>> {
  const unknown = jobs.filter(({ at }) => at !== undefined && session.tips.at(at.run, at.head) === undefined)
  if (unknown.length === 0) return new Map()
  const runOf = (job: WriteJob): RunId => job.at?.run ?? ('' as RunId)
  const records = await session.patiently(() => recordsOf(session, session.connections, unknown.map(runOf)))
  return new Map(unknown.map((job) => [job, { record: records.get(runOf(job)) }]))
}

async function settleAll(session: Session, { all, send, isDoubtful: wasDoubtful }: Settling): Promise<void> {
  const wait = new Wait(session.patience)
  let left = all
  let isDoubtful = wasDoubtful
  let unexplained: readonly Underway[] = []
  while (left.length > 0) {
    try {
      if (isDoubtful) left = await settleStored(session, left)
      const sent = left.length === 0 ? none : await send(session, left)
      session.patience.report(false)
      unexplained = left.filter((_, index) => sent.unexplained.has(index))
      const explained = left.filter((_, index) => !sent.unexplained.has(index))
      finishAll(session, isDoubtful ? await reallyUnfit(session, left, sent.unfit) : sent.unfit, explained)
      break
    } catch (error) {
      const kind = await wait.bear(error).catch((fault: unknown) => settleEach(session, { left, send, fault }))
      if (kind === undefined) return
      isDoubtful ||= kind === 'away'
    }
  }
  // Asked apart from what is stored by now: should that fail, nothing is to be sent twice.
  if (unexplained.length > 0) await settleAll(session, { all: unexplained, send: sendAny, isDoubtful })
}

// One of them broke a rule of the schema: each again in a transaction of its own, so that the others do not suffer.
async function settleEach(session: Session, { left, send, fault }: Failure): Promise<undefined> {
  const [only] = left
  if (left.length === 1 || (fault as { code?: unknown }).code !== undefined) {
    for (const { job } of left) job.reject(fault)
  } else if (only !== undefined) {
    for (const one of left) await settleAll(session, { all: [one], send, isDoubtful: false })
  }
}

interface Failure {
  readonly left: readonly Underway[]
  readonly send: Send
  readonly fault: unknown
}

/** Nobody heard whether it is stored: what is found there is done, the rest is sent again. */
async function settleStored(session: Session, all: readonly Underway[]): Promise<readonly Underway[]> {
  const stored = await storedOf(session, all.map(workOf))
  finishAll(
    session,
    new Map(),
    all.filter((_, index) => stored.has(index)),
  )
  return all.filter((_, index) => !stored.has(index))
}

// What was sent twice may not fit because the first of the two was stored meanwhile.
async function reallyUnfit(
  session: Session,
  all: readonly Underway[],
  unfit: ReadonlyMap<number, Unfit>,
): Promise<ReadonlyMap<number, Unfit>> {
  if (unfit.size === 0) return unfit
  const stored = await storedOf(session, all.map(workOf))
  return new Map([...unfit].filter(([index]) => !stored.has(index)))
}

function finishAll(session: Session, unfit: ReadonlyMap<number, Unfit>, all: readonly Underway[]): void {
  for (const [index, { job, work }] of all.entries()) {
    const found = unfit.get(index)
    try {
      job.resolve(job.finish(found) as never) // Where that is still to be asked for, whoever waits waits for it.
    } catch (error) {
      job.reject(error)
    }
    if (found === undefined) session.watchers.tell(work.touched)
  }
}
