import { type ConstanciaError, InvariantError } from '../../journal/index.js'
import { type StoreErrorCode, storeError } from '../index.js'
import { resultCodeOf } from './driver.js'
import { sealedText } from './move-state.js'

/** What an error of a statement means for the handle. */
export type Fault =
  /** Somebody else has the lock: try again later. */
  | { readonly kind: 'busy' }
  /** This transaction failed and left nothing behind; the handle is fine. */
  | { readonly kind: 'refused'; readonly error: ConstanciaError }
  /** Nothing that comes after can be trusted. */
  | { readonly kind: 'final'; readonly error: ConstanciaError }
  /** Not of the database: whoever caused it gets it. */
  | { readonly kind: 'foreign'; readonly error: unknown }

const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  notDatabase: 26,
}

/** Tells passing faults from final ones, by SQLite's result code. */
export function faultOf(error: unknown, file: string): Fault {
  const code = resultCodeOf(error)
  switch (code) {
    case undefined:
      return { kind: 'foreign', error }
    case codes.busy:
    case codes.locked:
      return { kind: 'busy' }
    case codes.full:
      return { kind: 'refused', error: fullError(file, error) }
    case codes.constraint:
      if (messageOf(error).includes(sealedText)) return { kind: 'final', error: sealedError(file, error) }
      return { kind: 'foreign', error: refusedByDatabase(error) }
    case codes.tooBig:
      return { kind: 'foreign', error: refusedByDatabase(error) }
    case codes.corrupt:
    case codes.notDatabase:
      return { kind: 'final', error: damagedError(file, error) }
    default:
      return { kind: 'final', error: failedError(file, error) }
  }
}

/** The file is not a database of SQLite, or SQLite found a broken page in it. */
export function damagedError(file: string, cause: unknown): ConstanciaError {
  return fault(
    'store_damaged',
    `${file} cannot be read as a database (${messageOf(cause)}). No run advances, and nothing more is written to it. ` +
      'Stop every process that uses it, keep a copy for examination, and restore the last backup.',
    cause,
  )
}

/** The file was moved away while this handle had it open. */
function sealedError(file: string, cause: unknown): ConstanciaError {
  return fault(
    'store_moved',
    `${file} was moved to another place while it was open here. Nothing more is executed or written; what was stored before is there. ` +
      'Start again with a configuration that names the new place; opening the file tells which it is.',
    cause,
  )
}

/** Somebody else held the database for too long. */
export function lockedError(file: string, waitedMs: number): ConstanciaError {
  return fault(
    'store_locked',
    `${file} was locked by another connection for more than ${waitedMs} ms. Nothing was written; the run is as it was and ` +
      'can be tried again. Find the process that holds a transaction open (fuser, lsof), or raise busyMsMax.',
    undefined,
  )
}

function fullError(file: string, cause: unknown): ConstanciaError {
  return fault(
    'store_full',
    `There is no room on the disk for ${file}. Nothing of this write was stored; runs stay as they are and go on once ` +
      'there is room. Free some space, or raise max_page_count if one is set.',
    cause,
  )
}

/** The disk, or what stands for it, failed: what was written last may or may not be there. */
export function failedError(file: string, cause: unknown): ConstanciaError {
  return fault(
    'store_failed',
    `The disk failed under ${file} (${messageOf(cause)}). Whether the last write is there is unknown until the file is ` +
      'opened anew, so this handle does nothing more; runs go on elsewhere or after a restart. Look at the disk, then restart.',
    cause,
  )
}

// A trigger or a unique index refused what checks before it should have refused.
function refusedByDatabase(cause: unknown): InvariantError {
  const error = new InvariantError(`The database refused a write that was checked before: ${messageOf(cause)}.`)
  error.cause = cause
  return error
}

function fault(code: StoreErrorCode, message: string, cause: unknown): ConstanciaError {
  return storeError(code, message, cause === undefined ? {} : { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
