import { createHash } from 'node:crypto'
import {
  canonicalText,
  type DeclaredContract,
  type DeclaredFlow,
  type DeclaredTemplate,
  type Json,
} from '@constancia/verify/governance'
import { type Addon, type AnyFlow, type Governing, type Guard, type GuardedRun, noAddon } from '../engine/index.js'
import { assert, type Limits } from '../journal/index.js'
import type { Clock, Store } from '../store/index.js'
import { bearingOf } from './bearing.js'
import type { AnyAction } from './contract/action.js'
import type { Contract } from './contract/contract.js'
import { governanceError } from './errors.js'
import { isGoverned } from './governed-flow.js'
import type { LawBook } from './law-book.js'
import { resumptionGuard } from './resumption.js'
import { requireDatabase } from './transacting.js'

/** What governs the runs of one runtime. */
export interface GovernmentInput {
  readonly book: LawBook
  /** The contract of the code at hand: its actions are what executes. What they may do, the contracts in the store say. */
  readonly contract: Contract
  readonly limits: Limits
  readonly clock: Clock
}

/** Decides for the engine, by the law of the store, what runs may do. */
export class Government implements Governing {
  readonly basis: LawBook
  readonly contract: Contract
  readonly limits: Limits
  readonly clock: Clock
  readonly guard: Guard
  readonly #addon: Addon
  #store: Store | undefined

  constructor({ book, contract, limits, clock }: GovernmentInput) {
    this.basis = book
    this.contract = contract
    this.limits = limits
    this.clock = clock
    this.guard = resumptionGuard(this)
    this.#addon = { bearing: bearingOf, guard: this.guard }
  }

  attach(store: Store): void {
    requireDatabase(this.contract, store)
    this.basis.readFrom(store)
    this.#store = store
  }

  /** The store that it decides for. */
  get store(): Store {
    assert(this.#store !== undefined, 'a government is told its store')
    return this.#store
  }

  /** The code of an action; undefined where the contract at hand has none of that name. */
  action(name: string): AnyAction | undefined {
    return this.contract.actions.get(name)
  }

  addonOf(flow: AnyFlow): Addon {
    return isGoverned(flow) ? this.#addon : noAddon
  }

  async bind(flow: AnyFlow, actor: string | null): Promise<string | null> {
    if (!isGoverned(flow)) return null
    await this.basis.catchUp()
    const { inForce } = this.basis
    const name = `${flow.name}@${flow.version}`
    if (inForce === undefined) throw notInForce(name, 'no contract was put in force yet', this.contract)
    if (declaredFlow(inForce.declared, flow) === undefined) {
      throw notInForce(
        name,
        `contract ${inForce.declared.name} ${inForce.declared.version} does not speak of it`,
        this.contract,
      )
    }
    if (actor !== null) return inForce.digest
    throw governanceError(
      'actor_missing',
      `Flow ${name} is governed: a run of it acts as somebody, whose roles decide what it may do. Nothing was started; name the actor.`,
    )
  }

  /** The contracts that a run has to satisfy: the one that it is bound to, and the one in force now. */
  contractsOf({ contract }: GuardedRun): readonly DeclaredContract[] {
    const { law } = this.basis
    const bound = contract === null ? undefined : law.contract(contract)
    return [...new Set([law.inForce, bound])].flatMap((one) => (one === undefined ? [] : [one.declared]))
  }

  /** A template of the contract that a run is bound to. */
  template({ contract }: GuardedRun, name: string): DeclaredTemplate | undefined {
    const bound = contract === null ? undefined : this.basis.law.contract(contract)
    return bound?.declared.templates.find((template) => template.name === name)
  }
}

/** What a contract says of a flow; undefined if nothing. */
export function declaredFlow(
  { flows }: DeclaredContract,
  flow: { readonly name: string; readonly version: number },
): DeclaredFlow | undefined {
  return flows.find(({ name, version }) => name === flow.name && version === flow.version)
}

/** The digest of the schema that a contract has for the input of an action; null where it has no such action. */
export function schemaDigestOf(contract: DeclaredContract | undefined, action: string): string | null {
  const declared = contract?.actions.find(({ name }) => name === action)
  return declared === undefined
    ? null
    : createHash('sha256')
        .update(canonicalText(declared.input as Json))
        .digest('hex')
}

function notInForce(flow: string, why: string, { declared, digest }: Contract): Error {
  return governanceError(
    'contract_not_in_force',
    `Flow ${flow} cannot be started: ${why}. Nothing was started; activate contract ${declared.name} ${declared.version} (${digest.slice(0, 12)}) first.`,
  )
}
