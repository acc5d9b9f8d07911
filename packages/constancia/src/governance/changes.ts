import type { GovernanceBodies, GovernanceKind, Law } from '@constancia/verify/governance'
import {
  type ConstanciaError,
  checkId,
  type Draft,
  encodeValue,
  type Limits,
  type StoredEvent,
  seenOf,
} from '../journal/index.js'
import type { Clock, Store } from '../store/index.js'
import { notOver, streamText } from './erasing/not-over.js'
import type { LawBook } from './law-book.js'
import { changeRefused, type RefusalBodies, recordRefusal } from './refusals.js'

/** What changes of the law are made with. */
export interface ChangeParts {
  readonly store: Store
  readonly book: LawBook
  readonly clock: Clock
  readonly limits: Limits
}

/** What is decided about a change. */
export type ChangeDecision<T> =
  /** These events are added; none where it holds already. */
  | { readonly kind: 'change'; readonly drafts: readonly Draft[]; readonly result: T }
  /** Whoever wants it may not. It is recorded. */
  | { readonly kind: 'refused'; readonly body: RefusalBodies['ChangeRefused']; readonly reason: string }
  /** It makes no sense. */
  | { readonly kind: 'invalid'; readonly error: ConstanciaError }

/** What a change is decided from. */
export interface LawNow {
  readonly law: Law
  /** UTC milliseconds since 1970, never before the last event. */
  readonly nowMs: number
}

/** What became of a change: the events that it took, none where it held already. */
export interface Changed<T> {
  readonly events: readonly StoredEvent[]
  readonly result: T
}

/**
 * Changes the law: decides by what holds now and adds the events only if nothing else was added meanwhile; otherwise it reads
 * on and decides anew. Durable on return. Rejects with what is refused or invalid, and with faults of the store.
 */
export async function changeLaw<T>(
  { store, book, limits }: ChangeParts,
  by: string,
  decide: (now: LawNow) => ChangeDecision<T>,
): Promise<Changed<T>> {
  for (;;) {
    await book.catchUp()
    const { head } = book
    const seen = seenOf(head)
    const decision = decide({ law: book.law, nowMs: Math.max(book.nowMs, head.at) })
    if (decision.kind === 'invalid') throw decision.error
    if (decision.kind === 'refused') {
      const refusal = { kind: 'ChangeRefused' as const, body: decision.body, reason: decision.reason, by, seen }
      await recordRefusal({ store, limits }, refusal)
      throw changeRefused(refusal)
    }
    const { drafts, result } = decision
    if (drafts.length === 0) return { events: [], result }
    const answer = await store.record({ stream: book.stream, head, drafts, by: `principal:${by}`, seen })
    if (answer.kind === 'recorded') return { events: answer.events, result }
    if (answer.kind === 'not_erasable') throw notOver(answer.streams.map(streamText))
  }
}

/** A draft of an event of the governance stream; the body's keys are written in the order given. */
export function lawDraft<K extends GovernanceKind>(kind: K, body: GovernanceBodies[K], data?: string): Draft {
  return { kind, body: JSON.stringify(body), data }
}

/** The text of a reason, where there is one. Throws `value_too_large` for more than a text may have. */
export function encodeReason(reason: string | undefined, limits: Limits): string | undefined {
  return reason === undefined ? undefined : encodeValue(String(reason), { limits, what: 'reason of a change' })
}

/** Reads the id of a principal from outside. Throws `invalid_id`. */
export function principalId(text: unknown): string {
  return checkId(text, 'principal id')
}
