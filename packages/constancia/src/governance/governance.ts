import type { Law } from '@constancia/verify'
import { type ActivationOutcome, type ActivationRequest, activate } from './activation/activate.js'
import { type ContractChange, readContracts } from './activation/history.js'
import { type Statement, type StatementParts, type StatementTaken, state } from './approvals/statement.js'
import { type VoteParts, type VoteRequest, type VoteTaken, vote } from './approvals/vote.js'
import { type VoteWithdrawn, type Withdrawal, withdraw } from './approvals/withdraw.js'
import type { ChangeParts } from './changes.js'
import { Directory } from './directory/directory.js'
import { type Proceeded, proceed, type Return } from './proceed.js'

/** What governance stands on. */
export interface GovernanceParts extends ChangeParts, VoteParts, StatementParts {}

/**
 * Who may, and what people decide. What is written is decided by what the governance stream says at that moment, and whoever may
 * not is refused and recorded.
 */
export class Governance {
  /** The roles of principals. */
  readonly directory: Directory
  readonly #parts: GovernanceParts

  constructor(parts: GovernanceParts) {
    this.#parts = parts
    this.directory = new Directory(parts)
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

  /** Says what came of an effect whose outcome nobody knew. See `state`. */
  state(request: Statement): Promise<StatementTaken> {
    return state(this.#parts, request)
  }
}
