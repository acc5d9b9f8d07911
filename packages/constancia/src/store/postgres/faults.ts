import { type ConstanciaError, InvariantError } from '../../journal/index.js'
import { type StoreErrorCode, storeError } from '../index.js'
import { sqlStateOf, UnconfirmedError } from './driver.js'
import { sealedState } from './move-state.js'

/** What an error means for what was asked. */
export type Fault =
  /** The database chose this transaction to give way, or somebody held a lock: nothing happened, try again. */
  | { readonly kind: 'passing' }
  /** The server cannot be reached or does not write just now. What was under way is there, or it is not. */
  | { readonly kind: 'away' }
  /** This transaction failed and left nothing behind. */
  | { readonly kind: 'refused'; readonly error: ConstanciaError }
  /** Not of the database, or refused by a rule of the schema: whoever caused it gets it. */
  | { readonly kind: 'foreign'; readonly error: unknown }

// Serialization failure, deadlock, lock not available; a prepared statement that is not there, or is: the next try prepares none.
const passing = new Set(['40001', '40P01', '55P03', '26000', '42P05'])
// Shut down, crashed, starting up, too many connections, read-only (a server that was demoted), a transaction that idled.
const away = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006', '25P03', '57014'])
const broken = ['XX001', 'XX002']

/** Tells faults apart by what the server called them; what it did not name is a broken line. */
export function faultOf(error: unknown, place: string): Fault {
  const state = sqlStateOf(error)
  if (error instanceof UnconfirmedError) return { kind: 'away' }
  if (state === undefined) return isOfTheLine(error) ? { kind: 'away' } : { kind: 'foreign', error }
  if (passing.has(state)) return { kind: 'passing' }
  if (away.has(state) || state.startsWith('08')) return { kind: 'away' }
  if (state === '53100') return { kind: 'refused', error: fullError(place, error) }
  if (state === sealedState) return { kind: 'refused', error: sealedError(place, error) }
  if (state === '42501') return { kind: 'refused', error: forbiddenError(place, error) }
  if (broken.includes(state)) return { kind: 'refused', error: damagedError(place, error) }
  if (state.startsWith('28') || state === '3D000') return { kind: 'refused', error: refusedLoginError(place, error) }
  if (state === 'P0001' || state.startsWith('23')) return { kind: 'foreign', error: refusedByRule(error) }
  return { kind: 'refused', error: failedError(place, error) }
}

const ofTheLine =
  /timeout|terminated|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOST|ENETUNREACH|ENOENT|socket|not queryable|was closed/i

function isOfTheLine(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'ConstanciaError' || error instanceof InvariantError) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof syscall === 'string') return true
  if (error instanceof AggregateError) return error.errors.some(isOfTheLine)
  return ofTheLine.test(typeof code === 'string' ? `${code} ${error.message}` : error.message)
}

/** The server could not be reached for so long that nobody waits any longer. */
export function unavailableError(place: string, waitedMs: number, cause: unknown): ConstanciaError {
  return fault(
    'store_unavailable',
    `${place} could not be reached, or did not write, for ${waitedMs} ms (${messageOf(cause)}). Whether what was under way is stored is ` +
      'unknown; no run fails for it, and workers go on by themselves once the database is back. See that it runs and accepts connections.',
    cause,
  )
}

/** Somebody else held locks for too long. */
export function lockedError(place: string, waitedMs: number, cause: unknown): ConstanciaError {
  return fault(
    'store_locked',
    `Rows of ${place} were locked by another session for ${waitedMs} ms. Nothing was written; the run is as it was and can be tried again. ` +
      'Find the transaction that was left open (pg_stat_activity, pg_blocking_pids) and end it.',
    cause,
  )
}

/** The schema was moved away while this process had it open. */
function sealedError(place: string, cause: unknown): ConstanciaError {
  return fault(
    'store_moved',
    `${place} was moved to another place while it was open here. Nothing more is executed or written; what was stored before is there. ` +
      'Start again with a configuration that names the new place; opening the database tells which it is.',
    cause,
  )
}

function fullError(place: string, cause: unknown): ConstanciaError {
  return fault(
    'store_full',
    `There is no room on the disk of ${place}. Nothing of this write was stored; runs stay as they are and go on once there is room. ` +
      'Free some space there.',
    cause,
  )
}

function forbiddenError(place: string, cause: unknown): ConstanciaError {
  return fault(
    'store_forbidden',
    `The role that is used for ${place} lacks a right (${messageOf(cause)}). Nothing was done. Grant it what docs/postgresql.md lists, ` +
      'or use another role.',
    cause,
  )
}

function refusedLoginError(place: string, cause: unknown): ConstanciaError {
  return fault(
    'store_forbidden',
    `${place} did not let us in (${messageOf(cause)}). Nothing was done. Correct the name, the password or the database in the connection.`,
    cause,
  )
}

function damagedError(place: string, cause: unknown): ConstanciaError {
  return fault(
    'store_damaged',
    `${place} reports damaged data (${messageOf(cause)}). The run stays as it is. Stop the workers, keep a copy for examination, ` +
      'and restore the last backup.',
    cause,
  )
}

function failedError(place: string, cause: unknown): ConstanciaError {
  return fault(
    'store_failed',
    `${place} answered with an error that it should not (${messageOf(cause)}, ${sqlStateOf(cause)}). Nothing of this transaction was ` +
      'stored, and the run can be tried again. Look into the log of the server.',
    cause,
  )
}

// A trigger or a unique index refused what checks before it should have refused.
function refusedByRule(cause: unknown): InvariantError {
  const error = new InvariantError(`The database refused a write that was checked before: ${messageOf(cause)}.`)
  error.cause = cause
  return error
}

function fault(code: StoreErrorCode, message: string, cause: unknown): ConstanciaError {
  return storeError(code, message, { cause })
}

/** What an error says. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
