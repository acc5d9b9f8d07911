/** What somebody lets somebody else decide in their place, up to a moment. */
export interface Delegation {
  readonly from: string
  readonly to: string
  readonly roles: readonly string[]
  /** UTC milliseconds since 1970. */
  readonly untilMs: number
}

/** Who stands for whom. */
export class Delegations {
  // By whom they were delegated to, and by whom they come from.
  readonly #delegations = new Map<string, Map<string, Delegation>>()

  #pairCount = 0

  /** The same, to be gone on with by itself. */
  copy(): Delegations {
    const copy = new Delegations()
    for (const [to, given] of this.#delegations) copy.#delegations.set(to, new Map(given))
    copy.#pairCount = this.#pairCount
    return copy
  }

  /** How many pairs there are or were: what a copy costs. */
  get size(): number {
    return this.#pairCount
  }

  /** Takes a delegation; it replaces what was delegated before between these two. */
  add(delegation: Delegation): void {
    const given = this.#delegations.get(delegation.to) ?? new Map<string, Delegation>()
    this.#pairCount += 1
    this.#delegations.set(delegation.to, given.set(delegation.from, delegation))
  }

  /** Ends what was delegated between these two. */
  remove({ from, to }: { readonly from: string; readonly to: string }): void {
    this.#delegations.get(to)?.delete(from)
  }

  /** What was delegated to somebody and has not ended at that moment. */
  to(principal: string, atMs: number): readonly Delegation[] {
    return [...(this.#delegations.get(principal)?.values() ?? [])].filter(({ untilMs }) => atMs < untilMs)
  }

  /** When the next of them ends by itself; Infinity where none does. */
  endAfter(atMs: number): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.all(atMs).map(({ untilMs }) => untilMs))
  }

  /** All that has not ended at that moment. */
  all(atMs: number): readonly Delegation[] {
    return [...this.#delegations.keys()].flatMap((principal) => this.to(principal, atMs))
  }
}
