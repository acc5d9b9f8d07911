/** Who is behind which identity. */
export class Identities {
  #people = new Map<string, string>()

  /** The same, to be gone on with by itself. */
  copy(): Identities {
    const copy = new Identities()
    copy.#people = new Map(this.#people)
    return copy
  }

  /** How many identities are linked: what a copy costs. */
  get size(): number {
    return this.#people.size
  }

  /** A principal is an identity of this person; of nobody else, where both are the same. A circle says nothing new. */
  link(principal: string, person: string): void {
    if (principal === person) this.#people.delete(principal)
    else if (!this.#isBehind(principal, person)) this.#people.set(principal, person)
  }

  #isBehind(person: string, principal: string): boolean {
    for (let one: string | undefined = principal; one !== undefined; one = this.#people.get(one)) {
      if (one === person) return true
    }
    return false
  }

  /** The person behind an identity: itself unless it was linked. */
  personOf(principal: string): string {
    let person = principal
    for (let next = this.#people.get(person); next !== undefined; next = this.#people.get(person)) person = next
    return person
  }
}
