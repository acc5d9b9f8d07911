import type { Grant } from '@constancia/verify/governance'
import { checkId } from '../../journal/index.js'
import { type ChangeParts, changeLaw, encodeReason, principalId } from '../changes.js'
import { bootstrap, delegate, grant, link, revoke, undelegate } from './decisions.js'
import { type DirectoryChange, readHistory } from './history.js'
import { type ImportDifference, importDifference, importRoles, type RoleImport, roleImport } from './import.js'

/** What became of a change of the directory. */
export interface DirectoryChanged {
  /** False where it held already: nothing was added. */
  readonly changed: boolean
  /** Position of the last event of the governance stream that it took; undefined where it took none. */
  readonly seq: number | undefined
}

/** Somebody who changes roles, and why. */
export interface ChangeBy {
  /** The principal who does it. */
  readonly by: string
  /** In words, for whoever reads the history. */
  readonly reason?: string
}

/** What a principal may, and by what. Moments are UTC milliseconds since 1970. */
export interface RolesOf {
  readonly granted: readonly HeldRole[]
  /** Roles of others that they may decide by in their place. */
  readonly delegated: readonly { readonly role: string; readonly from: string; readonly untilMs: number }[]
  /** The person behind it: itself unless it was linked. */
  readonly person: string
}

/** A role that somebody holds now. */
export type HeldRole = Omit<Grant, 'principal'>

/**
 * The roles of principals. Every change is one event of the governance stream (an import is one a difference), decided by what
 * that stream says at that moment, and durable on return. Whoever may not is refused with `not_permitted`, and the attempt is
 * an event of the refusals stream. What holds already adds nothing. What makes no sense is refused with `invalid_change` or
 * `invalid_id`.
 */
export class Directory {
  readonly #parts: ChangeParts

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /**
   * Grants `administrator` to the first principal that has it, without an end: once only, while nobody was ever granted it.
   * Later: `not_permitted`.
   */
  async bootstrap({ principal, by }: { readonly principal: string; readonly by: string }): Promise<DirectoryChanged> {
    const wanted = { principal: principalId(principal), by: principalId(by) }
    return changedBy(await changeLaw(this.#parts, by, (now) => bootstrap(wanted, now)))
  }

  /** Grants a role, up to a moment where one is given; it replaces an end that was set before. For administrators. */
  async grant(request: ChangeBy & { principal: string; role: string; untilMs?: number }): Promise<DirectoryChanged> {
    const { role, untilMs = null } = request
    const wanted = { ...this.#checked(request), principal: principalId(request.principal), role: String(role), untilMs }
    return changedBy(await changeLaw(this.#parts, wanted.by, (now) => grant(wanted, now)))
  }

  /**
   * Takes a role away, whoever granted it; an imported directory does not give it back, only {@link Directory.grant} does. For
   * administrators. `last_administrator` where nobody would be left who may change roles.
   */
  async revoke(request: ChangeBy & { principal: string; role: string }): Promise<DirectoryChanged> {
    const wanted = { ...this.#checked(request), principal: principalId(request.principal), role: String(request.role) }
    return changedBy(await changeLaw(this.#parts, wanted.by, (now) => revoke(wanted, now)))
  }

  /**
   * Lets somebody decide in somebody's place by these roles, up to a moment; it replaces what was delegated between the two
   * before. For administrators, and for whoever delegates. They hold each of the roles, and `administrator` is none of them.
   */
  async delegate(
    request: ChangeBy & { from: string; to: string; roles: readonly string[]; untilMs: number },
  ): Promise<DirectoryChanged> {
    const roles = [...new Set(request.roles.map(String))].sort()
    const pair = { from: principalId(request.from), to: principalId(request.to) }
    const wanted = { ...this.#checked(request), ...pair, roles, untilMs: request.untilMs }
    return changedBy(await changeLaw(this.#parts, wanted.by, (now) => delegate(wanted, now)))
  }

  /** Ends a delegation. For administrators, and for whoever delegated. */
  async undelegate(request: ChangeBy & { from: string; to: string }): Promise<DirectoryChanged> {
    const wanted = { ...this.#checked(request), from: principalId(request.from), to: principalId(request.to) }
    return changedBy(await changeLaw(this.#parts, wanted.by, (now) => undelegate(wanted, now)))
  }

  /**
   * Says that a principal is an identity of a person, so that they never count as two; of itself alone, where both are the
   * same. For administrators.
   */
  async link(request: { principal: string; person: string; by: string }): Promise<DirectoryChanged> {
    const person = checkId(request.person, 'person id')
    const wanted = { principal: principalId(request.principal), person, by: principalId(request.by) }
    return changedBy(await changeLaw(this.#parts, wanted.by, (now) => link(wanted, now)))
  }

  /**
   * Takes over what a company's own directory says: each difference to what this source granted before is one event, and all of
   * them are recorded at once. What was revoked here by hand is held back. For administrators.
   */
  async importRoles(
    request: RoleImport & ChangeBy,
  ): Promise<DirectoryChanged & { readonly difference: ImportDifference }> {
    const wanted = { ...this.#checked(request), ...roleImport(request) }
    const changed = await changeLaw(this.#parts, wanted.by, (now) => importRoles(wanted, now))
    return { ...changedBy(changed), difference: changed.result }
  }

  /** What {@link Directory.importRoles} would change now. Nothing is written. */
  async previewImport(request: RoleImport): Promise<ImportDifference> {
    const wanted = roleImport(request)
    const { law, nowMs } = await this.#now()
    return importDifference(wanted, { law, nowMs })
  }

  /** What a principal may now. */
  async rolesOf(principal: string): Promise<RolesOf> {
    const id = principalId(principal)
    const { law, nowMs } = await this.#now()
    const granted = law.grants(nowMs, id).map(({ role, untilMs, source }) => ({ role, untilMs, source }))
    const toThem = law.delegations(nowMs).filter(({ to }) => to === id)
    const delegated = law.delegatedTo(id, nowMs).map(({ role, from }) => {
      const { untilMs } = toThem.find((delegation) => delegation.from === from) ?? { untilMs: nowMs }
      return { role, from, untilMs }
    })
    return { granted, delegated, person: law.personOf(id) }
  }

  /** Who holds a role now, by a grant; whoever two sources grant it to is told twice. */
  async holdersOf(role: string): Promise<readonly Grant[]> {
    const { law, nowMs } = await this.#now()
    return law.grants(nowMs).filter((grant) => grant.role === role)
  }

  /** Every change there ever was, the oldest first: of all, or of those that are about one principal. */
  async history(principal?: string): Promise<readonly DirectoryChange[]> {
    return readHistory(this.#parts.store, principal === undefined ? undefined : principalId(principal))
  }

  async #now(): Promise<{ readonly law: ChangeParts['book']['law']; readonly nowMs: number }> {
    const { book } = this.#parts
    await book.catchUp()
    return { law: book.law, nowMs: Math.max(book.nowMs, book.head.at) }
  }

  #checked({ by, reason }: ChangeBy): { readonly by: string; readonly data: string | undefined } {
    return { by: principalId(by), data: encodeReason(reason, this.#parts.limits) }
  }
}

function changedBy({ events }: { readonly events: readonly { readonly seq: number }[] }): DirectoryChanged {
  return { changed: events.length > 0, seq: events.at(-1)?.seq }
}
