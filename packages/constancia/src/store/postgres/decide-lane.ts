import { type Head, type RunId, runStream, type StoredEvent, type StreamId } from '../../journal/index.js'
import { type Facts, type News, newsCountMax } from '../index.js'
import { readEvents } from './events.js'
import type { Decided, DecideJob } from './job.js'
import { arrayOf } from './literals.js'
import { Wait } from './patience.js'
import { storedOf } from './read-back.js'
import { type RunRecord, recordColumns, rowOf } from './run-record.js'
import type { Session } from './session.js'
import { headsOf } from './streams.js'
import { inTransaction, type Transaction } from './transaction.js'
import { identityOf, type Work } from './work.js'
import { write } from './write.js'

const lock = 'SELECT 1 FROM {schema}.runs WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE'

const select = `
  SELECT ${recordColumns}, {schema}.now_ms() AS now_ms, EXISTS (
    SELECT 1 FROM {schema}.inbox AS b WHERE b.root = coalesce(r.root, r.id) AND b.delivery = i.delivery) AS delivered, EXISTS (
    SELECT 1 FROM {schema}.outbox AS o WHERE o.kind = 'cancel' AND o.target = i.child) AS child_to_end
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS i (run, delivery, child, ord)
  LEFT JOIN {schema}.runs AS r ON r.id = i.run ORDER BY i.ord`

type FactsRecord = RunRecord & {
  readonly now_ms: number
  readonly delivered: boolean
  readonly child_to_end: boolean
}

/** A job that was decided and is to be written. */
interface Underway {
  readonly job: DecideJob
  readonly decided: Decided
}

/**
 * Decides jobs in one transaction: locks the streams that they depend on and the rows of their runs in the order of their ids, reads, decides, and writes. Two round
 * trips. A decision that throws concerns its own caller alone. One whose commit nobody heard of is looked for before it is made
 * again.
 */
export async function decideTogether(session: Session, jobs: readonly DecideJob[]): Promise<void> {
  const wait = new Wait(session.patience)
  let left = jobs
  while (left.length > 0) {
    let underway: readonly Underway[] = []
    try {
      const vain = await decideNow(session, left, (decided) => {
        underway = decided
      })
      session.patience.report(false)
      for (const one of underway) if (!vain.has(one)) finish(session, one)
      for (const one of vain) await finishVain(one)
      return
    } catch (error) {
      const kind = await wait.bear(error).catch((fault: unknown) => decideEach(session, { left, underway, fault }))
      if (kind === undefined) return
      left = kind === 'away' ? await unstored(session, wait, { left, underway }) : stillOpen(left, underway)
    }
  }
}

// Answers what was to start runs that are there already.
function decideNow(
  session: Session,
  jobs: readonly DecideJob[],
  onDecided: (underway: readonly Underway[]) => void,
): Promise<ReadonlySet<Underway>> {
  return inTransaction(session, async (on) => {
    const underway = decideAll(await factsOf(session, on, jobs))
    onDecided(underway)
    const works = worksOf(underway)
    if (works.length === 0) return new Set<Underway>()
    const unfit = await on.commit(write(session, on, works))
    const vain = underway.filter(({ decided }) => decided.work !== undefined).filter((_, index) => unfit.has(index))
    if (vain.some(({ decided }) => decided.answerIfExists === undefined))
      throw new TypeError('A run changed although its row was locked.')
    return new Set(vain)
  })
}

// Children begin last: another job of the same transaction may ask one of them to end, which nobody can read yet.
function decideAll(all: readonly FactsOf[]): Underway[] {
  const underway: Underway[] = []
  const toEnd = new Set<RunId>()
  const isStart = ({ job }: FactsOf): boolean => job.child !== undefined
  for (const one of [...all.filter((each) => !isStart(each)), ...all.filter(isStart)]) {
    const { job, facts, record } = one
    const isChildToEnd = one.isChildToEnd || (job.child !== undefined && toEnd.has(job.child))
    try {
      const decided = job.decide(facts, record, isChildToEnd)
      underway.push({ job, decided })
      for (const { kind, target } of decided.work?.change?.added?.entries ?? [])
        if (kind === 'cancel') toEnd.add(target)
    } catch (error) {
      job.reject(error)
    }
  }
  return underway
}

interface FactsOf {
  readonly job: DecideJob
  readonly facts: Facts
  readonly record: RunRecord | undefined
  readonly isChildToEnd: boolean
}

async function factsOf(session: Session, on: Transaction, jobs: readonly DecideJob[]): Promise<FactsOf[]> {
  const runs = arrayOf(jobs.map(({ run }) => run))
  const streams = [...new Set(jobs.flatMap(({ basis }) => basis ?? []))]
  const heads = headsOf(session, on, streams)
  const locked = on.query(session.sql(lock), [runs])
  const asked = [runs, arrayOf(jobs.map(({ delivery }) => delivery)), arrayOf(jobs.map(({ child }) => child))]
  const read = on.query(session.sql(select), asked)
  const [ends, , rows] = await Promise.all([heads, locked, read])
  const records = rows as unknown as FactsRecord[]
  const known = jobs.flatMap((job, index) => {
    const found = records[index]
    if (found === undefined) return []
    const record = found.id === null ? undefined : found
    const run = record === undefined ? undefined : rowOf(record)
    const basisHead = job.basis && ends.get(job.basis)
    const facts = { run, nowMs: found.now_ms, delivered: found.delivered, basisHead, news: undefined }
    return [{ job, record, facts, isChildToEnd: found.child_to_end }]
  })
  const news = await Promise.all(known.map((one) => newsOf(session, on, one)))
  return known.map((one, index) => ({ ...one, facts: { ...one.facts, news: news[index] } }))
}

// Nothing is asked where nothing came.
async function newsOf(session: Session, on: Transaction, { job, facts }: FactsOf): Promise<News | undefined> {
  const { run, basis, known } = job
  if (known === undefined) return
  const since = (stream: StreamId | undefined, seq: number, head: Head | undefined): Promise<StoredEvent[]> =>
    stream === undefined || head === undefined || head.seq <= seq
      ? Promise.resolve([])
      : readEvents(session, on, { stream, range: { fromSeq: seq + 1, limit: newsCountMax } })
  const asked = [since(runStream(run), known.runSeq, facts.run?.head), since(basis, known.basisSeq, facts.basisHead)]
  const [ofRun = [], ofBasis = []] = await Promise.all(asked)
  return { run: ofRun, basis: ofBasis }
}

function worksOf(underway: readonly Underway[]): Work[] {
  return underway.flatMap(({ decided }) => decided.work ?? [])
}

function finish(session: Session, { job, decided }: Underway): void {
  const { work, answer } = decided
  const fold = work?.change?.added?.fold
  if (fold?.outcome === 'open') session.tips.set(job.run, fold)
  // The journal of a run whose child is started is as it was.
  else if (job.child === undefined) session.tips.forget(job.run)
  if (work !== undefined) session.watchers.tell(work.touched)
  job.resolve(answer as never)
}

async function finishVain({ job, decided }: Underway): Promise<void> {
  try {
    job.resolve((await decided.answerIfExists?.()) as never)
  } catch (error) {
    job.reject(error)
  }
}

// Those whose decision threw have their answer.
function stillOpen(left: readonly DecideJob[], underway: readonly Underway[]): readonly DecideJob[] {
  return underway.length === 0 ? left : underway.map(({ job }) => job)
}

interface Doubt {
  readonly left: readonly DecideJob[]
  readonly underway: readonly Underway[]
}

async function unstored(session: Session, wait: Wait, { left, underway }: Doubt): Promise<readonly DecideJob[]> {
  const told = underway.filter(({ decided }) => decided.work !== undefined && identityOf(decided.work) !== undefined)
  if (told.length === 0) return stillOpen(left, underway)
  for (;;) {
    try {
      const stored = await storedOf(session, worksOf(told))
      const done = new Set(told.filter((_, index) => stored.has(index)))
      for (const one of done) finish(session, one)
      return underway.filter((one) => !done.has(one)).map(({ job }) => job)
    } catch (error) {
      await wait.bear(error)
    }
  }
}

interface Failure extends Doubt {
  readonly fault: unknown
}

async function decideEach(session: Session, { left, underway, fault }: Failure): Promise<undefined> {
  const open = stillOpen(left, underway)
  if (open.length === 1 || (fault as { code?: unknown }).code !== undefined) {
    for (const { reject } of open) reject(fault)
    return
  }
  for (const job of open) await decideTogether(session, [job])
}
