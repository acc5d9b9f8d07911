import type { RunId } from '../journal/index.js'
import type { Fact, FamilyFacts } from './facts.js'
import { type Held, leadsTo } from './held.js'

/** How many events each run of a family has. */
export type EventCounts = ReadonlyMap<RunId, number>

/** A fact of one run of a family. */
export interface FamilyFact {
  readonly run: RunId
  readonly fact: Fact
}

/** Notes, while the first history is made, which move of the conductor each event came of. */
export class Chronicle {
  readonly #moves = new Map<RunId, number[]>()
  #move = 0

  /** Takes down what came since the last move. */
  note(counts: EventCounts): void {
    this.#move += 1
    for (const [run, count] of counts) {
      const moves = this.#moves.get(run) ?? []
      while (moves.length < count) moves.push(this.#move)
      this.#moves.set(run, moves)
    }
  }

  /** The history as it became. */
  close(facts: FamilyFacts): Reference {
    return new Reference(facts, this.#moves)
  }
}

/**
 * The history that trials follow. Facts of the same move came of one thing that was let through, in several journals perhaps;
 * the order within a journal is that of its events, the order between journals that of the moves.
 */
export class Reference {
  readonly facts: FamilyFacts
  readonly #moves: ReadonlyMap<RunId, readonly number[]>

  constructor(facts: FamilyFacts, moves: ReadonlyMap<RunId, readonly number[]>) {
    this.facts = facts
    this.#moves = moves
  }

  /** What comes next: of the earliest move that is not done yet, the next fact of each run. */
  next(counts: EventCounts): readonly FamilyFact[] {
    let next: FamilyFact[] = []
    let earliest = Infinity
    for (const [run, facts] of this.facts) {
      const seq = counts.get(run) ?? 0
      const fact = facts[seq]
      const move = this.#moves.get(run)?.[seq] ?? Infinity
      if (fact === undefined || move > earliest) continue
      next = move < earliest ? [{ run, fact }] : [...next, { run, fact }]
      earliest = move
    }
    return next
  }

  /** Whether what is held is still to come. */
  comes(held: Held, counts: EventCounts): boolean {
    return (
      this.facts.get(held.run)?.some((fact, seq) => seq >= (counts.get(held.run) ?? 0) && leadsTo(held, fact)) ?? false
    )
  }

  /** The last fact that is stored and suits. */
  lastStored(counts: EventCounts, suits: (fact: FamilyFact) => boolean): FamilyFact | undefined {
    let last: FamilyFact | undefined
    let latest = -1
    for (const [run, facts] of this.facts) {
      const seq = facts.slice(0, counts.get(run) ?? 0).findLastIndex((fact) => suits({ run, fact }))
      const [fact, move] = [facts[seq], this.#moves.get(run)?.[seq] ?? -1]
      if (fact === undefined || move < latest) continue
      last = { run, fact }
      latest = move
    }
    return last
  }
}
