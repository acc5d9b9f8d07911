import { administrator, type GovernanceBodies, type GovernanceEvent, type GovernanceKind } from './bodies.js'
import type { DeclaredContract } from './contract.js'
import { type Delegation, Delegations } from './delegations.js'
import { type Grant, Grants } from './grants.js'
import { Identities } from './identities.js'

/** A contract that was put in force. */
export interface ActivatedContract {
  readonly declared: DeclaredContract
  readonly digest: string
  /** Position of its activation in the governance stream. */
  readonly seq: number
}

/** A contract that somebody wants in force, and that takes more people yet. */
export interface ProposedContract {
  readonly declared: DeclaredContract
  readonly digest: string
  /** Position of its proposal in the governance stream. */
  readonly seq: number
  /** Those who want it, each once, in the order in which they said so. */
  readonly confirmers: readonly string[]
}

/** Who wants something in force, how much of it counts now, and how much it takes. */
export interface Support {
  /** Principals whose confirmations count, the earliest of each person first. */
  readonly confirmers: readonly string[]
  readonly suffices: boolean
}

/**
 * Who may, as the governance stream tells up to some event: the contracts, the grants, the delegations, and who is behind
 * which identity. The same for whoever reads the same events: the runtime, and an auditor years later.
 */
export class Law {
  readonly #contracts = new Map<string, ActivatedContract>()
  readonly #proposals = new Map<string, ProposedContract>()
  #grants = new Grants()
  #delegations = new Delegations()
  #identities = new Identities()
  #inForce: ActivatedContract | undefined
  #eventCount = 0

  /** The same law, to be gone on with by itself: what is added to one of the two does not concern the other. */
  copy(): Law {
    const copy = new Law()
    for (const [digest, activated] of this.#contracts) copy.#contracts.set(digest, activated)
    for (const [digest, proposed] of this.#proposals) copy.#proposals.set(digest, proposed)
    copy.#grants = this.#grants.copy()
    copy.#delegations = this.#delegations.copy()
    copy.#identities = this.#identities.copy()
    copy.#inForce = this.#inForce
    copy.#eventCount = this.#eventCount
    return copy
  }

  /** About how many things a copy of it has to keep. */
  get size(): number {
    const people = this.#grants.size + 2 * this.#delegations.size + this.#identities.size
    return people + this.#contracts.size + this.#proposals.size
  }

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

  /** Contracts that were proposed since the last activation. */
  get proposals(): readonly ProposedContract[] {
    return [...this.#proposals.values()]
  }

  /** The roles whose holders put the next contract in force, and how many people it takes. */
  get activation(): { readonly roles: readonly string[]; readonly quorum: number } {
    return this.#inForce?.declared.activation ?? { roles: [administrator], quorum: 1 }
  }

  /**
   * Who of these want a contract in force in a way that counts at that moment: different people, who hold a role by which the
   * contract in force lets them.
   */
  supportBy(confirmers: readonly string[], atMs: number): Support {
    const { roles, quorum } = this.activation
    const people = new Map<string, string>()
    for (const principal of confirmers) {
      const isEntitled = roles.some((role) => this.#grants.holds(principal, role, atMs))
      const person = this.personOf(principal)
      if (isEntitled && !people.has(person)) people.set(person, principal)
    }
    return { confirmers: [...people.values()], suffices: people.size >= quorum }
  }

  /** Whether anybody holds a role at that moment. */
  isHeld(role: string, atMs: number): boolean {
    return this.#grants.isHeld(role, atMs)
  }

  /** Whether anybody was ever granted a role. */
  wasGranted(role: string): boolean {
    return this.#grants.wasGranted(role)
  }

  /** Whether a role was taken from a principal by hand and not granted since: no imported directory gives it back. */
  isWithdrawn(principal: string, role: string): boolean {
    return this.#grants.isWithdrawn({ principal, role })
  }

  /** The roles that a principal was granted and holds at that moment, in the order of the alphabet. */
  grantedTo(principal: string, atMs: number): readonly string[] {
    return [...new Set(this.#grants.of(principal, atMs).map(({ role }) => role))]
  }

  /** The grants that hold at that moment: of one principal, or all. A role that two sources grant is told twice. */
  grants(atMs: number, principal?: string): readonly Grant[] {
    return principal === undefined ? this.#grants.all(atMs) : this.#grants.of(principal, atMs)
  }

  /** The delegations that have not ended at that moment, whether or not those who gave them hold the roles. */
  delegations(atMs: number): readonly Delegation[] {
    return this.#delegations.all(atMs)
  }

  /** What a principal may decide for others at that moment: each role, and whose it is. A delegated role is not delegated further. */
  delegatedTo(principal: string, atMs: number): readonly { readonly role: string; readonly from: string }[] {
    return this.#delegations.to(principal, atMs).flatMap(({ from, roles }) => {
      const held = roles.filter((role) => this.#grants.holds(from, role, atMs))
      return held.map((role) => ({ role, from }))
    })
  }

  /** When a grant or a delegation ends by itself next, after that moment: until then nothing changes by time alone. Infinity where none does. */
  endAfter(atMs: number): number {
    return Math.min(this.#grants.endAfter(atMs), this.#delegations.endAfter(atMs))
  }

  /** The person behind an identity: itself unless it was linked. */
  personOf(principal: string): string {
    return this.#identities.personOf(principal)
  }

  /** Takes the next event. Kinds that it does not know say nothing about who may. Throws `TypeError` where events are missing. */
  add(event: GovernanceEvent): void {
    this.take(lawEntryOf(event))
  }

  /** Takes the next event, already read. Throws `TypeError` where events are missing. */
  take(entry: LawEntry): void {
    if (entry.seq !== this.#eventCount) {
      throw new TypeError(`Event ${entry.seq} of the governance stream came where ${this.#eventCount} was expected.`)
    }
    this.#eventCount++
    if (entry.kind === undefined) return
    const take = this.#takers[entry.kind]
    take(entry.body as never, entry)
  }

  readonly #takers: { readonly [K in GovernanceKind]: (body: GovernanceBodies[K], entry: LawEntry) => void } = {
    ContractProposed: ({ digest }, { seq, declared }) => {
      if (declared === undefined) return
      this.#proposals.set(digest, { declared, digest, seq, confirmers: [] })
    },
    ContractConfirmed: ({ digest, confirmer }) => {
      const proposal = this.#proposals.get(digest)
      if (proposal === undefined) return
      this.#proposals.set(digest, { ...proposal, confirmers: [...new Set([...proposal.confirmers, confirmer])] })
    },
    ContractActivated: ({ digest }, { seq, declared }) => {
      if (declared === undefined) return
      this.#inForce = { declared, digest, seq }
      this.#contracts.set(digest, this.#inForce)
      this.#proposals.clear()
    },
    RoleGranted: (grant) => this.#grants.add(grant),
    RoleRevoked: (revoked) => this.#grants.remove(revoked),
    DelegationGranted: (delegation) => this.#delegations.add(delegation),
    DelegationRevoked: (pair) => this.#delegations.remove(pair),
    IdentityLinked: ({ principal, person }) => this.#identities.link(principal, person),
    Erased: () => undefined,
  }
}

/** An event of the governance stream, already read. */
export interface LawEntry {
  readonly seq: number
  /** Undefined for kinds that say nothing about who may. */
  readonly kind: GovernanceKind | undefined
  readonly body: GovernanceBodies[GovernanceKind] | undefined
  /** The contract, where one is proposed or put in force. */
  readonly declared: DeclaredContract | undefined
}

const kinds: ReadonlySet<string> = new Set<GovernanceKind>([
  'ContractProposed',
  'ContractConfirmed',
  'ContractActivated',
  'RoleGranted',
  'RoleRevoked',
  'DelegationGranted',
  'DelegationRevoked',
  'IdentityLinked',
  'Erased',
])

/** Whether events of this kind say who may, or are decided by that. */
export function isGovernanceKind(kind: string): kind is GovernanceKind {
  return kinds.has(kind)
}

// Of a stream that is trusted, so that what it says is of the form that it should be.
function lawEntryOf({ seq, kind, body, data = '' }: GovernanceEvent): LawEntry {
  if (!isGovernanceKind(kind)) return { seq, kind: undefined, body: undefined, declared: undefined }
  const isContract = kind === 'ContractProposed' || kind === 'ContractActivated'
  const declared = isContract ? (JSON.parse(data) as DeclaredContract) : undefined
  return { seq, kind, body: JSON.parse(body) as GovernanceBodies[GovernanceKind], declared }
}
