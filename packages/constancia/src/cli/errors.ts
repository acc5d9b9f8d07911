import { ConstanciaError, type ErrorOptions } from '../journal/index.js'

/** What can go wrong between a person and the command line. */
export type CliErrorCode =
  /** An option, an argument or an input makes no sense. */
  | 'usage'
  /** The beginning of an id fits several runs. */
  | 'ambiguous_id'
  /** Nobody said yes. */
  | 'unconfirmed'
  | 'config_missing'
  | 'config_invalid'
  /** There is no database where the configuration says. */
  | 'store_missing'
  | 'unknown_flow'
  /** No contract of this digest was ever in force, or none is. */
  | 'unknown_contract'
  /** No approval was asked for there, or none is open. */
  | 'unknown_approval'
  /** What a journal says is not what its digest says. */
  | 'journal_damaged'
  | 'run_ended'
  | 'run_open'
  | 'not_stuck'
  /** A run that somebody waits for cannot go on by itself. */
  | 'run_stuck'
  /** Workers hold runs, and what was asked for must not happen meanwhile. */
  | 'workers_up'
  /** The database has everything that is known of it. */
  | 'nothing_lost'
  /** A move goes only to where nothing is. */
  | 'store_not_empty'
  /** There is no move to take back. */
  | 'not_moved'
  | 'file_exists'
  /** A file cannot be read or written. */
  | 'file_failed'
  | 'interrupted'

/** A fault of the command line: what happened, what it means for the run, what to do. */
export function cliError(code: CliErrorCode, message: string, options?: ErrorOptions): ConstanciaError {
  return new ConstanciaError(code, message, options)
}

/** The code of an error of ours, also of one that another copy of the package made; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ConstanciaError') return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Whether a run that was listed is not there any more: it may have been purged since. */
export function isGone(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'unknown_run' || code === 'run_purged'
}

/** What an error says, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
