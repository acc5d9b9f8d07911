/** Who is behind which identity. */
export class Identities {
  #people = new Map<string, string>()
  /** How many identities are linked to each person: to whom none is, no way leads. */
  #behind = new Map<string, number>()
  /** The ends of ways that were gone, until a link changes: many may be of thousands of links. */
  readonly #ends = new Map<string, string>()

  /** The same, to be gone on with by itself. */
  copy(): Identities {
    const copy = new Identities()
    copy.#people = new Map(this.#people)
    copy.#behind = new Map(this.#behind)
    return copy
  }

  /** How many identities are linked: what a copy costs. */
  get size(): number {
    return this.#people.size
  }

  /** A principal is an identity of this person; of nobody else, where both are the same. A circle says nothing new. */
  link(principal: string, person: string): void {
    if (principal !== person && this.#isBehind(principal, person)) return
    const before = this.#people.get(principal)
    if (before !== undefined) this.#count(before, -1)
    this.#ends.clear()
    if (principal === person) this.#people.delete(principal)
    else {
      this.#people.set(principal, person)
      this.#count(person, 1)
    }
  }

  #count(person: string, change: 1 | -1): void {
    const count = (this.#behind.get(person) ?? 0) + change
    if (count === 0) this.#behind.delete(person)
    else this.#behind.set(person, count)
  }

  #isBehind(person: string, principal: string): boolean {
    if (!this.#behind.has(person)) return false
    for (let one: string | undefined = principal; one !== undefined; one = this.#people.get(one)) {
      if (one === person) return true
    }
    return false
  }

  /** The person behind an identity: itself unless it was linked. */
  personOf(principal: string): string {
    if (!this.#people.has(principal)) return principal
    const way: string[] = []
    let end: string | undefined
    for (let one: string | undefined = principal; one !== undefined && end === undefined; one = this.#people.get(one)) {
      end = this.#ends.get(one)
      way.push(one)
    }
    const person = end ?? (way.at(-1) as string)
    for (const one of way) this.#ends.set(one, person)
    return person
  }
}
