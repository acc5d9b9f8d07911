import { type ConstanciaError, type Draft, type Head, type Limits, seenOf } from '../../journal/index.js'
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
export interface Answer<T> {
  readonly by: string
  readonly choice: RefusalBodies['VoteRefused']['choice']
  readonly op: string
  readonly reading: RunReading
  /** What has to be found out before it can be decided; done again whenever more was read. */
  readonly prepare?: () => Promise<void>
  /** Pure: it may be called more than once. */
  readonly decide: (facts: Facts) => AnswerDecision<T>
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

type Known<T> = AnswerDecision<T> | { readonly kind: 'read_on' }

/**
 * Takes an answer: decides it from the run's journal and the law, and adds it in one transaction in which neither has grown;
 * where one has, it reads on and decides anew, so each round means that somebody else got something done. Durable on return.
 * Rejects with `vote_refused` where it does not count, which is recorded, and with faults of the store.
 */
export async function takeAnswer<T>(parts: AnswerParts, answer: Answer<T>): Promise<T> {
  for (;;) {
    await answer.reading.readOn()
    await answer.prepare?.()
    await parts.book.catchUp()
    const { head } = parts.book
    const decision = await decideNow(parts, answer, head)
    if (decision.kind === 'counts') return decision.result
    if (decision.kind === 'refused') throw await refuse(parts, answer, { ...decision, seen: seenOf(head) })
  }
}

function decideNow<T>({ store, book }: AnswerParts, answer: Answer<T>, head: Head): Promise<Known<T>> {
  const { by, reading } = answer
  return store.decide<Known<T>>({
    run: reading.run,
    delivery: undefined,
    by: `principal:${by}`,
    seen: seenOf(head),
    basis: book.stream,
    decide: (facts) => {
      if (!isKnown(facts, { head, book, reading })) return { drafts: [], result: { kind: 'read_on' } }
      const result = answer.decide(facts)
      return { drafts: result.kind === 'counts' ? result.drafts : [], result }
    },
  })
}

// The law that this process has read must be the one that holds in this transaction, and `seen` must name it.
function isKnown(
  { run, basisHead }: Facts,
  { head, book, reading }: { readonly head: Head; readonly book: LawBook; readonly reading: RunReading },
): boolean {
  if (run !== undefined && !reading.isAt(run.head)) return false
  return basisHead?.seq === head.seq && basisHead.hash === head.hash && book.head.seq === head.seq
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
