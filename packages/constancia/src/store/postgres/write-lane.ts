import type { RunId } from '../../journal/index.js'
import type { WriteJob } from './job.js'
import { Wait } from './patience.js'
import { storedOf } from './read-back.js'
import type { RunRecord } from './run-record.js'
import { recordsOf } from './runs.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'
import type { Unfit } from './unfit.js'
import type { Work } from './work.js'
import { write } from './write.js'
import { writeOne } from './write-one.js'

/** A job and what it writes. */
interface Underway {
  readonly job: WriteJob
  readonly work: Work
}

type Send = (session: Session, works: readonly Work[]) => Promise<Map<number, Unfit>>

/** Writes jobs in one round trip, which is a transaction of its own; a lone one that does not fit takes another, to say why. */
export async function writeTogether(session: Session, jobs: readonly WriteJob[]): Promise<void> {
  await settleAll(session, await prepareAll(session, jobs), async (one, works) =>
    (await writeOne(one, works)) ? new Map() : write(one, one.connections, works),
  )
}

/** Writes a job in a transaction that is rolled back unless all of it fits. */
export async function writeWhole(session: Session, jobs: readonly WriteJob[]): Promise<void> {
  await settleAll(session, await prepareAll(session, jobs), (one, works) =>
    inTransaction(one, async (on) => {
      const unfit = await write(one, on, works)
      return unfit.size > 0 ? unfit : on.commit(Promise.resolve(unfit))
    }),
  )
}

async function prepareAll(session: Session, jobs: readonly WriteJob[]): Promise<Underway[]> {
  const found = await loadUnknown(session, jobs)
  const all: Underway[] = []
  for (const job of jobs) {
    try {
      const prepared = job.prepare(found.get(job))
      if ('answer' in prepared) job.resolve(prepared.answer as never)
      else all.push({ job, work: prepared })
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

async function settleAll(session: Session, given: readonly Underway[], send: Send): Promise<void> {
  const wait = new Wait(session.patience)
  let left = given
  let isDoubtful = false
  while (left.length > 0) {
    try {
      if (isDoubtful) left = await settleStored(session, left)
      const unfit =
        left.length === 0
          ? new Map()
          : await send(
              session,
              left.map(({ work }) => work),
            )
      session.patience.report(false)
      await finishAll(session, isDoubtful ? await reallyUnfit(session, left, unfit) : unfit, left)
      return
    } catch (error) {
      const kind = await wait.bear(error).catch((fault: unknown) => settleEach(session, { left, send, fault }))
      if (kind === undefined) return
      isDoubtful ||= kind === 'away'
    }
  }
}

// One of them broke a rule of the schema: each again in a transaction of its own, so that the others do not suffer.
async function settleEach(session: Session, { left, send, fault }: Failure): Promise<undefined> {
  const [only] = left
  if (left.length === 1 || (fault as { code?: unknown }).code !== undefined) {
    for (const { job } of left) job.reject(fault)
  } else if (only !== undefined) {
    for (const one of left) await settleAll(session, [one], send)
  }
}

interface Failure {
  readonly left: readonly Underway[]
  readonly send: Send
  readonly fault: unknown
}

/** Nobody heard whether it is stored: what is found there is done, the rest is sent again. */
async function settleStored(session: Session, all: readonly Underway[]): Promise<readonly Underway[]> {
  const stored = await storedOf(
    session,
    all.map(({ work }) => work),
  )
  await finishAll(
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
  const stored = await storedOf(
    session,
    all.map(({ work }) => work),
  )
  return new Map([...unfit].filter(([index]) => !stored.has(index)))
}

async function finishAll(session: Session, unfit: ReadonlyMap<number, Unfit>, all: readonly Underway[]): Promise<void> {
  for (const [index, { job, work }] of all.entries()) {
    const found = unfit.get(index)
    try {
      job.resolve((await job.finish(found)) as never)
    } catch (error) {
      job.reject(error)
    }
    if (found === undefined) session.watchers.tell(work.touched)
  }
}
