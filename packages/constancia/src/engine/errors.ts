import { ConstanciaError, type ErrorOptions } from '../journal/index.js'

/** What can go wrong while a run advances, and what a caller can ask for in vain. */
export type EngineErrorCode =
  /** The code asked for something else than the journal has. */
  | 'nondeterminism'
  /** The flow awaited something that is not in the journal. */
  | 'foreign_await'
  /** An attempt took longer than its limit. */
  | 'step_timeout'
  /** A duration, a policy, a name or another argument makes no sense. */
  | 'invalid_option'
  /** An input or a signal does not fit its schema. */
  | 'invalid_value'
  | 'unknown_flow'
  | 'unknown_run'
  /** The id belongs to a run of another flow, or with another input. */
  | 'run_exists'
  | 'run_ended'
  | 'run_failed'
  /** The run was cancelled; also what its open ops are rejected with. */
  | 'run_cancelled'
  /** A child was cancelled, so its parent gets no result. */
  | 'child_cancelled'
  /** There was such a run; its journal was deleted. */
  | 'run_purged'
  /** What is asked for was erased. */
  | 'data_erased'
  | 'too_many_signals'
  /** Another worker owns the run now. */
  | 'claim_lost'
  | 'runtime_closed'

/** A fault of the engine: what happened, what it means for the run, what to do. */
export function engineError(code: EngineErrorCode, message: string, options?: ErrorOptions): ConstanciaError {
  return new ConstanciaError(code, message, options)
}

/** Whether the database has lost events. Whoever noticed has said so: it is not to be said of each thing that is refused. */
export function isLoss(error: unknown): boolean {
  return error instanceof ConstanciaError && error.code === 'store_rolled_back'
}
