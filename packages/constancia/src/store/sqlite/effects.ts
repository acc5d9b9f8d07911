import { InvariantError, PermanentError } from '../../journal/index.js'
import {
  isPromise,
  misused,
  requireStatement,
  type SqliteStatement,
  type SqliteTransaction,
  storeError,
  type Within,
  type WithinResult,
} from '../index.js'
import { type Database, resultCodeOf } from './driver.js'
import type { EventWriter } from './event-writer.js'

/**
 * An effect ended the transaction that it was in, as `INSERT OR ROLLBACK` does, and everybody's changes with it. Those are made again;
 * of the effect nothing is there.
 */
export class EffectUndone extends Error {
  constructor(cause: unknown) {
    super('An effect rolled back the transaction that was to record it.', { cause })
  }
}

const savepoint = 'constancia_effect'

/** Has effects within the transaction under way, each in a savepoint of its own: one that fails undoes its own writes only. */
export class Effects {
  readonly #database: Database
  readonly #writer: EventWriter

  constructor(database: Database, writer: EventWriter) {
    this.#database = database
    this.#writer = writer
  }

  /**
   * Has one. What it wrote is there where it returned, and is not where it threw. Throws faults of the disk as they are, and
   * {@link EffectUndone}; then the transaction is of no more use.
   */
  run(within: Within): WithinResult {
    // What others write in this transaction stays outside of the savepoint.
    this.#writer.flush()
    this.#database.exec(`SAVEPOINT ${savepoint}`)
    const own = new OwnTransaction(this.#database)
    const result = call(within, own.face)
    own.close()
    if (own.fault !== undefined) throw own.fault
    if (!this.#database.isTransaction) throw new EffectUndone('error' in result ? result.error : notThere())
    if ('error' in result) this.#database.exec(`ROLLBACK TO ${savepoint}`)
    this.#database.exec(`RELEASE ${savepoint}`)
    return result
  }
}

function call(within: Within, tx: SqliteTransaction): WithinResult {
  try {
    const value = within.run(tx)
    if (!isPromise(value)) return { value }
    value.then(undefined, () => undefined)
    return { error: notSynchronous() }
  } catch (error) {
    return { error }
  }
}

/** What of an effect failed only at the commit, or rolled everything back; undefined where that was not the effect's doing. */
export function failureOf(error: unknown): { readonly error: unknown } | undefined {
  if (error instanceof EffectUndone) return { error: error.cause }
  // Rules that are deferred, such as foreign keys, are looked at by COMMIT.
  const isRefused = error instanceof InvariantError && resultCodeOf(error.cause) === constraint
  return isRefused ? { error: error.cause } : undefined
}

const constraint = 19

// Whatever else a statement throws is the affair of whoever wrote the statement.
const ofTheDisk: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26])

/** The connection as an effect sees it. */
class OwnTransaction {
  readonly face: SqliteTransaction
  /** The first error that is none of the effect's. */
  fault: unknown
  readonly #database: Database
  #isOpen = true

  constructor(database: Database) {
    this.#database = database
    this.face = {
      prepare: (sql) => this.#prepare(sql),
      exec: (sql) => void this.#prepare(sql).run(),
    }
  }

  close(): void {
    this.#isOpen = false
  }

  #prepare(sql: string): SqliteStatement {
    const statement = this.#use(() => {
      requireStatement(sql, 'sqlite')
      return this.#database.prepare(sql)
    })
    return {
      run: (...values) => this.#use(() => statement.run(...values)),
      get: (...values) => this.#use(() => statement.get(...values)),
      all: (...values) => this.#use(() => statement.all(...values)),
    }
  }

  #use<T>(call: () => T): T {
    if (!this.#isOpen) throw misused('The transaction is over.')
    // Outside of it every statement would commit by itself.
    if (!this.#database.isTransaction) throw misused('A statement before it has rolled the transaction back.')
    try {
      return call()
    } catch (error) {
      if (ofTheDisk.has(resultCodeOf(error) ?? -1)) this.fault ??= error
      throw error
    }
  }
}

function notSynchronous(): Error {
  return storeError(
    'transaction_not_synchronous',
    'An effect returned a promise, and a transaction of SQLite waits for none: everything else would have to wait for it. What it wrote ' +
      'is undone. Let its function be synchronous, and do what takes time in a step before it.',
    { cause: new PermanentError('No further attempt can help.') },
  )
}

function notThere(): Error {
  return misused('One that it went on after has rolled the transaction back.')
}
