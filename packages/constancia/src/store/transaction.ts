import type { Draft } from '../journal/index.js'

/** Databases into whose transactions an append can take something else. */
export type DatabaseKind = 'sqlite' | 'postgres'

/** What such a database hands to whatever is done within its transaction. */
export interface Transactions {
  readonly sqlite: SqliteTransaction
  readonly postgres: PostgresTransaction
}

/**
 * Something that is done within the transaction that stores an append: it is there together with the events, or neither is. It is
 * begun only where claim, head and basis of the append were found to hold, and lasts only where they hold at its commit.
 */
export interface Within {
  /** The database that it is written for; a store of another kind refuses it. */
  readonly database: DatabaseKind
  /**
   * Does it. Whatever it wrote before it throws, or rejects, is undone. In SQLite it is synchronous. It may be called more than once,
   * and is committed once at most.
   */
  readonly run: (tx: Transactions[DatabaseKind]) => unknown
  /** The events that say what came of it; they follow the drafts of the append. Pure: it may be called more than once. */
  readonly outcome: (result: WithinResult) => readonly Draft[]
}

/** Whether a function that was to be synchronous has returned something that is not over. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** What came of something that was done within a transaction. */
export type WithinResult = { readonly value: unknown } | { readonly error: unknown }

/** What can be bound to a statement of SQLite. */
export type SqliteValue = null | number | bigint | string | Uint8Array

/**
 * The transaction of SQLite in which an effect and the record of it are written. Everything is synchronous. It is over when the
 * function that got it returns; used later, or to begin or end a transaction, it throws `transaction_misused`.
 */
export interface SqliteTransaction {
  /** Prepares one statement, with a `?` for each value. */
  prepare(sql: string): SqliteStatement
  /** Executes one statement that has no values and returns nothing. */
  exec(sql: string): void
}

/** One statement; its rows are objects with the columns' names. Each call throws the error of SQLite. */
export interface SqliteStatement {
  run(...values: readonly SqliteValue[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  /** The first row, undefined where there is none. */
  get(...values: readonly SqliteValue[]): unknown
  all(...values: readonly SqliteValue[]): unknown[]
}

/**
 * The transaction of PostgreSQL in which an effect and the record of it are written, read committed. It is over when what the
 * function that got it returns has settled; used later, or to begin or end a transaction, it rejects with `transaction_misused`.
 */
export interface PostgresTransaction {
  /**
   * Executes one statement, with `$1` and so on for its values. Rejects with the driver's error; whatever else is written then is undone as
   * well, also where the error is caught.
   */
  query<Row = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: Row[]; readonly rowCount: number }>
}
