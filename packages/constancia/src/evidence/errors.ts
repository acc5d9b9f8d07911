import { ConstanciaError, type ErrorOptions } from '../journal/index.js'

/** What can be wrong with evidence. */
export type EvidenceErrorCode =
  /** A key cannot be read, is of low order, or has another name than the log. */
  | 'key_invalid'
  /** The key at hand may not sign for this log: it was never added, or was retired or compromised. */
  | 'key_not_active'
  /** What is to be proven is not sealed yet. */
  | 'not_sealed'
  /** There is no such run; it was purged; it has no such event; or several events are meant, and one has to be. */
  | 'unknown_run'
  | 'run_purged'
  | 'unknown_event'
  | 'ambiguous_event'
  /** Runs that may have begun in the interval were purged: nobody can claim that these are all. */
  | 'interval_purged'
  /** An option makes no sense. */
  | 'invalid_evidence'

/** A fault of evidence: what happened, what it means, what to do. */
export function evidenceError(code: EvidenceErrorCode, message: string, options?: ErrorOptions): ConstanciaError {
  return new ConstanciaError(code, message, options)
}
