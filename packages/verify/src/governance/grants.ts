/** One source's word that a principal holds a role. */
export interface Grant {
  readonly principal: string
  readonly role: string
  /** UTC milliseconds since 1970; null for no end. */
  readonly untilMs: number | null
  readonly source: string
}

/** Who was granted what, by which source. A role is held while one source says so. */
export class Grants {
  // Of each principal at most one for each role and source. The lists are never changed: copies share them.
  #grants = new Map<string, readonly Grant[]>()
  #withdrawn = new Set<string>()
  #everGranted = new Set<string>()

  /** The same, to be gone on with by itself. */
  copy(): Grants {
    const copy = new Grants()
    copy.#grants = new Map(this.#grants)
    copy.#withdrawn = new Set(this.#withdrawn)
    copy.#everGranted = new Set(this.#everGranted)
    return copy
  }

  /** How many principals something is known of: what a copy costs. */
  get size(): number {
    return this.#grants.size + this.#withdrawn.size
  }

  /** Takes what a source says; it replaces what that source said before of this role. */
  add(grant: Grant): void {
    const { principal, role, source } = grant
    const others = this.#of(principal).filter((one) => one.role !== role || one.source !== source)
    this.#grants.set(principal, [...others, grant])
    this.#withdrawn.delete(pairOf(grant))
    this.#everGranted.add(role)
  }

  /** Takes away what one source granted, or, for null, what all of them did. */
  remove({ principal, role, source }: { principal: string; role: string; source: string | null }): void {
    const stays = (one: Grant): boolean => one.role !== role || (source !== null && one.source !== source)
    const given = this.#of(principal)
    if (!given.every(stays)) this.#grants.set(principal, given.filter(stays))
    if (source !== null) return
    this.#withdrawn.add(pairOf({ principal, role }))
  }

  /** Whether the role was taken from this principal, whoever had granted it, and not granted since. */
  isWithdrawn(pair: { readonly principal: string; readonly role: string }): boolean {
    return this.#withdrawn.has(pairOf(pair))
  }

  /** Whether anybody ever held this role. */
  wasGranted(role: string): boolean {
    return this.#everGranted.has(role)
  }

  /** What holds at that moment for one principal, by role and source in the order of the alphabet. */
  of(principal: string, atMs: number): readonly Grant[] {
    return sorted(this.#of(principal).filter((grant) => isCurrent(grant, atMs)))
  }

  /** All that holds at that moment. */
  all(atMs: number): readonly Grant[] {
    return [...this.#grants.keys()].flatMap((principal) => this.of(principal, atMs))
  }

  /** When the next grant ends by itself that holds at that moment; Infinity where none does. */
  endAfter(atMs: number): number {
    let endMs = Number.POSITIVE_INFINITY
    for (const given of this.#grants.values())
      for (const { untilMs } of given) if (untilMs !== null && untilMs > atMs) endMs = Math.min(endMs, untilMs)
    return endMs
  }

  /** Whether a principal holds a role at that moment. */
  holds(principal: string, role: string, atMs: number): boolean {
    return this.#of(principal).some((grant) => grant.role === role && isCurrent(grant, atMs))
  }

  /** Whether anybody holds a role at that moment. */
  isHeld(role: string, atMs: number): boolean {
    for (const principal of this.#grants.keys()) if (this.holds(principal, role, atMs)) return true
    return false
  }

  #of(principal: string): readonly Grant[] {
    return this.#grants.get(principal) ?? noGrants
  }
}

const noGrants: readonly Grant[] = []

function isCurrent({ untilMs }: Grant, atMs: number): boolean {
  return untilMs === null || atMs < untilMs
}

function sorted(grants: readonly Grant[]): Grant[] {
  const keyOf = ({ role, source }: Grant): string => `${role}\n${source}`
  return [...grants].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function pairOf({ principal, role }: { readonly principal: string; readonly role: string }): string {
  return `${principal}\n${role}`
}
