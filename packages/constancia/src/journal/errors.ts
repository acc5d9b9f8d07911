/** What can go wrong in the journal's own terms. */
export type JournalErrorCode =
  | 'not_serializable'
  | 'value_too_large'
  | 'value_unreadable'
  | 'invalid_id'
  | 'journal_damaged'
  | 'history_too_long'

/** What else an error carries. */
export interface ErrorOptions {
  readonly cause?: unknown
  /** Facts for programs: the path of a value, a limit and what was found. */
  readonly details?: Readonly<Record<string, string | number>>
}

/**
 * Every error that Constancia makes. `code` is stable and the same in the journal, on the command line and over HTTP;
 * `message` says what happened, what it means for the run and what to do.
 */
export class ConstanciaError extends Error {
  override readonly name = 'ConstanciaError'
  readonly code: string
  readonly details: Readonly<Record<string, string | number>>

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }
}

/** A bug in Constancia itself: something that cannot be was seen. Only the edge of a process catches it, and stops. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws {@link InvariantError} with the message unless the condition holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** A fault in the journal's own terms: its code is one of {@link JournalErrorCode}. */
export function journalError(code: JournalErrorCode, message: string, options?: ErrorOptions): ConstanciaError {
  return new ConstanciaError(code, message, options)
}
