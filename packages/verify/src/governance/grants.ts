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
  // By principal, role and source.
  readonly #grants = new Map<string, Map<string, Map<string, Grant>>>()
  readonly #withdrawn = new Set<string>()
  readonly #everGranted = new Set<string>()

  /** The same, to be gone on with by itself. */
  copy(): Grants {
    const copy = new Grants()
    for (const [principal, roles] of this.#grants) {
      copy.#grants.set(principal, new Map([...roles].map(([role, sources]) => [role, new Map(sources)])))
    }
    for (const pair of this.#withdrawn) copy.#withdrawn.add(pair)
    for (const role of this.#everGranted) copy.#everGranted.add(role)
    return copy
  }

  /** Takes what a source says; it replaces what that source said before of this role. */
  add(grant: Grant): void {
    const { principal, role, source } = grant
    within(within(this.#grants, principal), role).set(source, grant)
    this.#withdrawn.delete(pairOf(grant))
    this.#everGranted.add(role)
  }

  /** Takes away what one source granted, or, for null, what all of them did. */
  remove({ principal, role, source }: { principal: string; role: string; source: string | null }): void {
    const given = this.#grants.get(principal)?.get(role)
    if (source !== null) return void given?.delete(source)
    given?.clear()
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
    const roles = this.#grants.get(principal)?.values() ?? []
    return sorted([...roles].flatMap((sources) => [...sources.values()]).filter((grant) => isCurrent(grant, atMs)))
  }

  /** All that holds at that moment. */
  all(atMs: number): readonly Grant[] {
    return [...this.#grants.keys()].flatMap((principal) => this.of(principal, atMs))
  }

  /** When the next grant ends by itself that holds at that moment; Infinity where none does. */
  endAfter(atMs: number): number {
    let endMs = Number.POSITIVE_INFINITY
    for (const roles of this.#grants.values())
      for (const sources of roles.values())
        for (const { untilMs } of sources.values())
          if (untilMs !== null && untilMs > atMs) endMs = Math.min(endMs, untilMs)
    return endMs
  }

  /** Whether a principal holds a role at that moment. */
  holds(principal: string, role: string, atMs: number): boolean {
    for (const grant of this.#grants.get(principal)?.get(role)?.values() ?? []) if (isCurrent(grant, atMs)) return true
    return false
  }

  /** Whether anybody holds a role at that moment. */
  isHeld(role: string, atMs: number): boolean {
    for (const principal of this.#grants.keys()) if (this.holds(principal, role, atMs)) return true
    return false
  }
}

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

function within<V>(map: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const found = map.get(name) ?? new Map<string, V>()
  map.set(name, found)
  return found
}
