import { ConstanciaError, type ErrorOptions } from '../journal/index.js'
import type { MoveState } from './moving.js'

/** What can go wrong between us and a database. */
export type StoreErrorCode =
  /** The handle was closed, or its process lost it. */
  | 'store_closed'
  /** Somebody else held the database for longer than we were told to wait. */
  | 'store_locked'
  /** No room on the disk. */
  | 'store_full'
  /** The file is not a database of ours, or is damaged. */
  | 'store_damaged'
  /** Written by a newer version of Constancia. */
  | 'store_too_new'
  /** A right is missing, or the login was refused. */
  | 'store_forbidden'
  /** The database cannot be reached, or does not write just now; what was under way may or may not be stored. */
  | 'store_unavailable'
  /** Settings, a version or a file system that would lose acknowledged events. */
  | 'store_unsafe'
  /** Events that were acknowledged are not there any more: a restore, or a failover that lost its tail. */
  | 'store_rolled_back'
  /** The file that is kept outside the database cannot be read or written. */
  | 'store_mark_failed'
  /** The disk or the connection failed in another way; the handle is finished. */
  | 'store_failed'
  /** Everything was moved into another store: work goes on there. */
  | 'store_moved'
  /** A move into this store was begun and is not finished. */
  | 'store_unfinished'
  /** An effect did with the transaction of its record what it must not do. What it wrote is undone. */
  | 'transaction_misused'
  /** An effect returned a promise within a transaction that cannot wait for one. What it wrote is undone. */
  | 'transaction_not_synchronous'

/** A fault of the database: what happened, what it means for the run, what to do. */
export function storeError(code: StoreErrorCode, message: string, options?: ErrorOptions): ConstanciaError {
  return new ConstanciaError(code, message, options)
}

/** What everybody is told who opens a store to work, or writes to it, although what is noted of a move says no. */
export function moveStateError(here: string, { kind, place, atMs }: MoveState): ConstanciaError {
  if (kind === 'moved') {
    return storeError(
      'store_moved',
      `${here} was moved to ${place} (${momentOf(atMs)}). Nothing is executed or written here any more; its journals can still be read from ` +
        'a copy. Let the configuration name the new place; where the move was a mistake: constancia migrate-store --undo',
    )
  }
  return storeError(
    'store_unfinished',
    `${here} is empty and waits for what is to be moved from ${place} (begun ${momentOf(atMs)}, not finished). No run was touched. ` +
      'Give the command constancia migrate-store again, or call it off here with constancia migrate-store --undo',
  )
}

function momentOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
