import type { Law } from '@constancia/verify/governance'
import { type ConstanciaError, type Draft, type Limits, seenOf } from '../../journal/index.js'
import type { Facts, Store } from '../../store/index.js'
import { governanceError } from '../errors.js'
import type { VoteRefusalCode } from '../kinds.js'
import type { LawBook } from '../law-book.js'
import { type RefusalBodies, recordRefusal } from '../refusals.js'
import type { RunReading } from './reading.js'

/** What answers of people are taken with. */
export interface AnswerParts {
  readonly store: Store
  readonly book: LawBook
  readonly limits: Limits
  /** Makes the id of a delivery that has none. */
  readonly newId: () => string
}

/** Somebody's answer on its way into the journal of a run. */
export interface Answer<T> extends Pick<Submission<T>, 'by' | 'reading' | 'prepare'> {
  readonly choice: RefusalBodies['VoteRefused']['choice']
  readonly op: string
  /** Pure: it may be called more than once. */
  readonly decide: (known: AnswerKnown) => AnswerDecision<T>
}

/** What an answer is decided from, all of it as it is in the transaction that writes the decision. */
export interface AnswerKnown {
  readonly facts: Facts
  readonly reading: RunReading
  readonly law: Law
}

/** What is decided about an answer. */
export type AnswerDecision<T> =
  /** It counts: these events are added; none where it is in already. */
  { readonly kind: 'counts'; readonly drafts: readonly Draft[]; readonly result: T } | AnswerRefused

/** Why an answer does not count, and what stands instead. */
export interface AnswerRefused {
  readonly kind: 'refused'
  readonly code: VoteRefusalCode
  readonly reason: string
  readonly stands: string
}

/** Something that people add to the journal of a run. */
export interface Submission<T> {
  readonly by: string
  readonly reading: RunReading
  /** What has to be found out before it can be decided; done again whenever more was read. */
  readonly prepare?: () => Promise<void>
  /** Pure: it may be called more than once. */
  readonly decide: (known: AnswerKnown) => { readonly drafts: readonly Draft[]; readonly result: T }
}

/** What was decided, and the law that it was decided by; see `seenOf`. */
export interface Decided<T> {
  readonly result: T
  readonly seen: string
}

/**
 * Decides in one transaction by the run's journal and the law as they are there, and adds what was decided. What came since they were
 * read is among the facts, so that nobody starves where they grow all the time. Durable on return. Rejects with faults of the store.
 */
export async function decideByLaw<T>(parts: AnswerParts, submission: Submission<T>): Promise<Decided<T>> {
  for (;;) {
    await submission.reading.readOn()
    await submission.prepare?.()
    await parts.book.catchUp()
    const decided = await decideNow(parts, submission)
    if (decided !== undefined) return decided
  }
}

/** Takes an answer. Durable on return. Rejects with `vote_refused` where it does not count, which is recorded, and with faults of the store. */
export async function takeAnswer<T>(parts: AnswerParts, answer: Answer<T>): Promise<T> {
  const decide = (known: AnswerKnown): { drafts: readonly Draft[]; result: AnswerDecision<T> } => {
    const result = answer.decide(known)
    return { drafts: result.kind === 'counts' ? result.drafts : [], result }
  }
  const { result, seen } = await decideByLaw(parts, { ...answer, decide })
  if (result.kind === 'counts') return result.result
  throw await refuse(parts, answer, { ...result, seen })
}

// Undefined where more has to be read first.
function decideNow<T>(
  { store, book }: AnswerParts,
  { by, reading, decide }: Submission<T>,
): Promise<Decided<T> | undefined> {
  const { head } = book
  return store.decide<Decided<T> | undefined>({
    run: reading.run,
    delivery: undefined,
    by: `principal:${by}`,
    seen: seenOf(head),
    basis: book.stream,
    known: { runSeq: reading.head.seq, basisSeq: head.seq },
    decide: (facts) => {
      book.noteTime(facts.nowMs)
      const law = book.lawAt(facts)
      const read = readingNow(facts, reading)
      if (law === undefined || read === undefined) return { drafts: [], result: undefined }
      const seen = seenOf(facts.basisHead ?? head)
      // The moment that the events will bear: none is dated before the one before it, whatever the clock says.
      const nowMs = Math.max(facts.nowMs, read.head.at)
      const { drafts, result } = decide({ facts: { ...facts, nowMs }, reading: read, law })
      return { drafts, seen, result: { result, seen } }
    },
  })
}

// What has to be found out first is found out by reading on.
function readingNow({ run, news }: Facts, reading: RunReading): RunReading | undefined {
  if (run === undefined) return reading
  const since = news?.run ?? []
  if (since.some(({ kind }) => kind === 'ApprovalRequested' || kind === 'OutcomeUnknown')) return
  const read = since.length === 0 ? reading : reading.with(since)
  return read.isAt(run.head) ? read : undefined
}

async function refuse<T>(
  { store, limits }: AnswerParts,
  { by, choice, op, reading: { run } }: Answer<T>,
  { code, reason, stands, seen }: AnswerRefused & { readonly seen: string },
): Promise<ConstanciaError> {
  await recordRefusal(
    { store, limits },
    { kind: 'VoteRefused', body: { run, op, choice, code, stands }, reason, by, seen },
  )
  return governanceError(
    'vote_refused',
    `This does not count for op ${op} of run ${run}: ${reason} What stands: ${stands}. Nothing was changed, and the attempt was recorded.`,
    { details: { reason: code, stands } },
  )
}
