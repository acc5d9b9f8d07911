import type { DeclaredContract } from './contract.js'

/**
 * The kinds of events of the governance stream, and what their bodies say. Moments are UTC milliseconds since 1970;
 * principals and people are pseudonyms.
 *
 * | kind | data |
 * |---|---|
 * | ContractActivated | the contract's canonical text |
 * | RoleGranted, RoleRevoked, DelegationGranted, DelegationRevoked | the reason in words, where one was given |
 * | IdentityLinked | – |
 */
export interface GovernanceBodies {
  readonly ContractActivated: {
    readonly name: string
    readonly version: string
    readonly digest: string
    readonly approvedBy: readonly string[]
  }
  readonly RoleGranted: {
    readonly principal: string
    readonly role: string
    readonly untilMs: number | null
    readonly source: string
  }
  readonly RoleRevoked: { readonly principal: string; readonly role: string; readonly source: string }
  /** What `from` may decide, `to` may decide in their place. */
  readonly DelegationGranted: {
    readonly from: string
    readonly to: string
    readonly roles: readonly string[]
    readonly untilMs: number
  }
  readonly DelegationRevoked: { readonly from: string; readonly to: string }
  /** A principal is an identity of this person: nobody approves what they asked for under another name. */
  readonly IdentityLinked: { readonly principal: string; readonly person: string }
}

/** A kind of event of the governance stream. */
export type GovernanceKind = keyof GovernanceBodies

/** What a law is folded from. */
export interface GovernanceEvent {
  readonly seq: number
  readonly kind: string
  readonly body: string
  readonly data: string | undefined
}

/** A contract that was put in force. */
export interface ActivatedContract {
  readonly declared: DeclaredContract
  readonly digest: string
  /** Position of its activation in the governance stream. */
  readonly seq: number
}

interface Grant {
  readonly untilMs: number | null
}

interface Delegation {
  readonly roles: readonly string[]
  readonly untilMs: number
}

/**
 * Who may, as the governance stream tells up to some event: the contracts, the grants, the delegations, and who is behind
 * which identity. The same for whoever reads the same events: the runtime, and an auditor years later.
 */
export class Law {
  readonly #contracts = new Map<string, ActivatedContract>()
  readonly #grants = new Map<string, Map<string, Grant>>()
  // By whom they were delegated to.
  readonly #delegations = new Map<string, Map<string, Delegation>>()
  readonly #people = new Map<string, string>()
  #inForce: ActivatedContract | undefined
  #eventCount = 0

  /** How many events it was folded from. */
  get eventCount(): number {
    return this.#eventCount
  }

  /** The contract in force; undefined before the first. */
  get inForce(): ActivatedContract | undefined {
    return this.#inForce
  }

  /** A contract that is or was in force. */
  contract(digest: string): ActivatedContract | undefined {
    return this.#contracts.get(digest)
  }

  /** Whether anybody holds a role at that moment. */
  isHeld(role: string, atMs: number): boolean {
    for (const grants of this.#grants.values()) if (isCurrent(grants.get(role), atMs)) return true
    return false
  }

  /** The roles that a principal was granted and holds at that moment, in the order of the alphabet. */
  grantedTo(principal: string, atMs: number): readonly string[] {
    const grants = this.#grants.get(principal) ?? new Map<string, Grant>()
    return [...grants]
      .filter(([, grant]) => isCurrent(grant, atMs))
      .map(([role]) => role)
      .sort()
  }

  /** What a principal may decide for others at that moment: each role, and whose it is. A delegated role is not delegated further. */
  delegatedTo(principal: string, atMs: number): readonly { readonly role: string; readonly from: string }[] {
    const delegations = this.#delegations.get(principal) ?? new Map<string, Delegation>()
    return [...delegations].flatMap(([from, { roles, untilMs }]) => {
      if (atMs >= untilMs) return []
      const held = this.grantedTo(from, atMs)
      return roles.filter((role) => held.includes(role)).map((role) => ({ role, from }))
    })
  }

  /** The person behind an identity: itself unless it was linked. */
  personOf(principal: string): string {
    return this.#people.get(principal) ?? principal
  }

  /** Takes the next event. Kinds that it does not know say nothing about who may. Throws `TypeError` where events are missing. */
  add(event: GovernanceEvent): void {
    if (event.seq !== this.#eventCount) {
      throw new TypeError(`Event ${event.seq} of the governance stream came where ${this.#eventCount} was expected.`)
    }
    this.#eventCount++
    const body: unknown = JSON.parse(event.body)
    const take = this.#takers[event.kind as GovernanceKind]
    if (take !== undefined) take(body as never, event)
  }

  readonly #takers: { readonly [K in GovernanceKind]?: (body: GovernanceBodies[K], event: GovernanceEvent) => void } = {
    ContractActivated: ({ digest }, { seq, data = '' }) => {
      this.#inForce = { declared: JSON.parse(data) as DeclaredContract, digest, seq }
      this.#contracts.set(digest, this.#inForce)
    },
    RoleGranted: ({ principal, role, untilMs }) => {
      within(this.#grants, principal).set(role, { untilMs })
    },
    RoleRevoked: ({ principal, role }) => {
      this.#grants.get(principal)?.delete(role)
    },
    DelegationGranted: ({ from, to, roles, untilMs }) => {
      within(this.#delegations, to).set(from, { roles, untilMs })
    },
    DelegationRevoked: ({ from, to }) => {
      this.#delegations.get(to)?.delete(from)
    },
    IdentityLinked: ({ principal, person }) => {
      this.#people.set(principal, person)
    },
  }
}

function isCurrent(grant: Grant | undefined, atMs: number): boolean {
  return grant !== undefined && (grant.untilMs === null || atMs < grant.untilMs)
}

function within<V>(map: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const found = map.get(name) ?? new Map<string, V>()
  map.set(name, found)
  return found
}
