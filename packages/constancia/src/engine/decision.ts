import { type Draft, type Head, seenOf } from '../journal/index.js'
import type { Claim, Decision, Facts, RunRow, Store } from '../store/index.js'
import type { Basis } from './basis.js'

/** What a decision of a run's owner is made with. */
export interface DecisionInput {
  readonly store: Store
  readonly claim: Claim
  readonly basis: Basis
  /** Where the owner knows the journal to end. */
  readonly head: Head
  /** Pure; it may be called more than once. Undefined for what cannot be decided so. */
  readonly decide: () => readonly Draft[] | undefined
}

/** What became of it. */
export type Decided =
  /** So many events were added. */
  | { readonly kind: 'decided'; readonly count: number }
  | { readonly kind: 'head_conflict' | 'basis_moved' | 'claim_lost' | 'run_ended' }

/** An owner that was refused so often because the basis grew meanwhile decides in the store's transaction: nobody may starve. */
export const movesMax = 3

/** Where the basis changes by itself within so many milliseconds it is decided by the database's clock, which is exact. */
const carefulMs = 60_000

/** Whether a decision is to be made in the transaction that stores it. */
export function isToBeExact(basis: Basis, moveCount: number): boolean {
  return moveCount >= movesMax || basis.untilMs - basis.nowMs <= carefulMs
}

/**
 * Decides in one transaction with what is decided from: nothing is added to the basis in between, and it is the database's clock that
 * counts. As with an append, nothing is added unless the claim holds and the journal ends where its owner knows. Durable on return.
 * Dearer than an append, which goes together with those of other runs. Rejects with faults of the store.
 */
export function decideExactly({ store, claim, basis, head, decide }: DecisionInput): Promise<Decided> {
  return store.decide<Decided>({
    run: claim.run,
    delivery: undefined,
    by: `claim:${claim.id}@${claim.epoch}`,
    seen: seenOf(basis.head),
    basis: basis.stream,
    known: { runSeq: head.seq, basisSeq: basis.head.seq },
    decide: (facts) => {
      basis.noteTime(facts.nowMs)
      const objection = objectionTo(facts.run, claim, head)
      if (objection !== undefined) return { drafts: [], result: { kind: objection } }
      return decidedNow(facts, basis, decide)
    },
  })
}

function decidedNow(facts: Facts, basis: Basis, decide: DecisionInput['decide']): Decision<Decided> {
  const drafts = basis.asOf(facts, decide)
  if (drafts === undefined) return { drafts: [], result: { kind: 'basis_moved' } }
  const seen = seenOf(facts.basisHead ?? basis.head)
  return { drafts, seen, result: { kind: 'decided', count: drafts.length } }
}

function objectionTo(
  row: RunRow | undefined,
  claim: Claim,
  head: Head,
): Exclude<Decided['kind'], 'decided'> | undefined {
  if (row === undefined) return 'claim_lost'
  if (row.outcome !== 'open') return 'run_ended'
  if (row.claim?.id !== claim.id || row.epoch !== claim.epoch) return 'claim_lost'
  return row.head.seq === head.seq && row.head.hash === head.hash ? undefined : 'head_conflict'
}
