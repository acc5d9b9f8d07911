/**
 * The kinds of events of the governance stream, and what their bodies say. Moments are UTC milliseconds since 1970;
 * principals and people are pseudonyms. Who did it is `by` of the event.
 *
 * | kind | data |
 * |---|---|
 * | ContractProposed, ContractActivated | the contract's canonical text |
 * | ContractConfirmed | the reason in words, where one was given |
 * | RoleGranted, RoleRevoked, DelegationGranted, DelegationRevoked, Erased | the same |
 * | IdentityLinked | – |
 */
export interface GovernanceBodies {
  /** Somebody wants this contract in force, and it takes more people than them. */
  readonly ContractProposed: ContractNamed
  /** Somebody who may wants this contract in force. Whoever proposes confirms as well. */
  readonly ContractConfirmed: {
    readonly digest: string
    readonly confirmer: string
    /** By which of their roles, read when it was written. */
    readonly roles: readonly string[]
  }
  /** From here on this contract is in force. Whatever else was proposed is closed. */
  readonly ContractActivated: ContractNamed & {
    /** The principals whose confirmations it took. */
    readonly approvedBy: readonly string[]
  }
  /** A source says anew what it grants; what it said before of this role is replaced. */
  readonly RoleGranted: {
    readonly principal: string
    readonly role: string
    /** The moment from which the role is not held any more; null for none. */
    readonly untilMs: number | null
    readonly source: string
  }
  /** A source grants this no more; null: whoever granted it, and no directory that is imported gives it back. */
  readonly RoleRevoked: { readonly principal: string; readonly role: string; readonly source: string | null }
  /** What `from` may decide, `to` may decide in their place. One a pair: it replaces what was delegated before. */
  readonly DelegationGranted: {
    readonly from: string
    readonly to: string
    readonly roles: readonly string[]
    readonly untilMs: number
  }
  readonly DelegationRevoked: { readonly from: string; readonly to: string }
  /** A principal is an identity of this person: nobody approves what they asked for under another name. */
  readonly IdentityLinked: { readonly principal: string; readonly person: string }
  /** What these events carried is gone, with its salts: deleted together with the recording of this. */
  readonly Erased: {
    readonly texts: readonly ErasedRange[]
    /** The principal whose data it was; null where whole runs were named. */
    readonly principal: string | null
  }
}

/** What the events of a stream carried, from one position to another; those that carried nothing are of no concern. */
export interface ErasedRange {
  /** `run/<id>`, `refusals` or `governance`. */
  readonly stream: string
  readonly from: number
  readonly to: number
}

/** Which contract it is about. */
export interface ContractNamed {
  readonly name: string
  readonly version: string
  readonly digest: string
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

/** The role whose holders change who holds what. It is granted, never delegated. */
export const administrator = 'administrator'
