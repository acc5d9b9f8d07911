import type { Law } from '@constancia/verify/governance'
import { newRunId } from '../engine/index.js'
import type { Limits } from '../journal/index.js'
import type { Clock, Store } from '../store/index.js'
import { type ActivationOutcome, type ActivationRequest, activate } from './activation/activate.js'
import { type ContractChange, readContracts } from './activation/history.js'
import { type Statement, type StatementParts, type StatementTaken, state } from './approvals/statement.js'
import { type VoteParts, type VoteRequest, type VoteTaken, vote } from './approvals/vote.js'
import { type VoteWithdrawn, type Withdrawal, withdraw } from './approvals/withdraw.js'
import type { ChangeParts } from './changes.js'
import { amendmentCheck, outputCheck } from './checks.js'
import type { Contract } from './contract/contract.js'
import { Directory } from './directory/directory.js'
import type { Erasure, ErasurePreview, ErasureRequest, ErasureSubject } from './erasing/erase.js'
import { Keys } from './keys.js'
import type { LawBook } from './law-book.js'
import { type Proceeded, proceed, type Return } from './proceed.js'

/** What governance stands on. */
export interface GovernanceParts extends ChangeParts, VoteParts, StatementParts {}

/** What governance is made of where a store was opened. */
export interface GovernanceInput {
  readonly store: Store
  readonly book: LawBook
  /** Its actions check what people give for them; undefined where no contract is at hand. */
  readonly contract: Contract | undefined
  readonly clock: Clock
  readonly limits: Limits
  readonly randomBytes: (count: number) => Uint8Array
}

/** Governs a store. */
export function governanceOn({ contract, randomBytes, ...parts }: GovernanceInput): Governance {
  const newId = (): string => newRunId(parts.clock.now(), randomBytes)
  return new Governance({ ...parts, newId, checkAmended: amendmentCheck(contract), checkOutput: outputCheck(contract) })
}

/**
 * Who may, and what people decide. What is written is decided by what the governance stream says at that moment, and whoever may
 * not is refused and recorded.
 */
export class Governance {
  /** The roles of principals. */
  readonly directory: Directory
  /** The keys of the log. */
  readonly keys: Keys
  readonly #parts: GovernanceParts

  constructor(parts: GovernanceParts) {
    this.#parts = parts
    this.directory = new Directory(parts)
    this.keys = new Keys(parts)
  }

  /** The law as it is now. It goes on with what this process reads. Rejects with faults of the store. */
  async law(): Promise<Law> {
    await this.#parts.book.catchUp()
    return this.#parts.book.law
  }

  /** Puts a contract in force, or adds one's voice where it takes several people. See `activate`. */
  activate(activation: ActivationRequest): Promise<ActivationOutcome> {
    return activate(this.#parts, activation)
  }

  /** How contracts came into force, the oldest first. */
  contracts(): Promise<readonly ContractChange[]> {
    return readContracts(this.#parts.store)
  }

  /** Answers an approval. See `vote`. */
  vote(request: VoteRequest): Promise<VoteTaken> {
    return vote(this.#parts, request)
  }

  /** Takes a vote back that has decided nothing yet. See `withdraw`. */
  withdraw(request: Withdrawal): Promise<VoteWithdrawn> {
    return withdraw(this.#parts, request)
  }

  /** Lets a run go on that waits for the next message of its user. See `proceed`. */
  proceed(request: Return): Promise<Proceeded> {
    return proceed(this.#parts, request)
  }

  /** What an erasure would take now, and what it would leave. See `previewErasure`. */
  async previewErasure(of: ErasureSubject): Promise<ErasurePreview> {
    return (await import('./erasing/erase.js')).previewErasure(this.#parts, of)
  }

  /** Erases the personal data of runs or of a principal, for good. See `erase`. */
  async erase(request: ErasureRequest): Promise<Erasure> {
    return (await import('./erasing/erase.js')).erase(this.#parts, request)
  }

  /** Says what came of an effect whose outcome nobody knew. See `state`. */
  state(request: Statement): Promise<StatementTaken> {
    return state(this.#parts, request)
  }
}
