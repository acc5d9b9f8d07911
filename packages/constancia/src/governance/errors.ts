import { ConstanciaError, type ErrorOptions } from '../journal/index.js'

/** What can be wrong with what governs. */
export type GovernanceErrorCode =
  /** A contract says something that makes no sense; the message lists all of it. */
  | 'invalid_contract'
  /** A flow that is governed in a runtime that has no contract, or a contract that does not speak of it. */
  | 'ungoverned_flow'
  /** The contract at hand was not put in force. */
  | 'contract_not_in_force'
  /** A message whose template the contract does not have, or not with these values. */
  | 'invalid_message'
  /** A governed run without a principal as whom it acts. */
  | 'actor_missing'
  /** The gate, or the people who were asked, did not let an action happen. The flow may catch it. */
  | 'action_denied'
  /** An action did not succeed, and is not tried again. The flow may catch it. */
  | 'action_failed'
  /** Nobody knows what came of an effect; a person has to say it. */
  | 'outcome_unknown'
  /** The actor of the run may not go on with it any more. */
  | 'resume_denied'
  /** One more action would be more than the contract lets a run use. The flow may clean up; every further action is denied as well. */
  | 'limit_exceeded'
  /** An action has its effect in a database that is not the one of the store. */
  | 'effect_unsupported'
  /** There is no such run. */
  | 'unknown_run'
  /** A run that is not over: it goes on, or has something to tell another. */
  | 'run_open'
  /** Whoever wants to change roles, or the contract, may not. Recorded. */
  | 'not_permitted'
  /** A role, an end, an id or a list of roles that makes no sense; the message says all of it. Nothing was changed. */
  | 'invalid_change'
  /** It would leave nobody who may change roles. Nothing was changed. Recorded. */
  | 'last_administrator'
  /** A vote, a withdrawal or a statement that does not count; the message says why and what stands. Recorded. */
  | 'vote_refused'

/** A fault of governance: what happened, what it means, what to do. */
export function governanceError(code: GovernanceErrorCode, message: string, options?: ErrorOptions): ConstanciaError {
  return new ConstanciaError(code, message, options)
}
