import { PermanentError } from '../journal/index.js'
import { storeError } from './errors.js'
import type { DatabaseKind } from './transaction.js'

// Without one in another: there databases differ in where it ends.
const comment = String.raw`--[^\n]*(?:\n|$)|/\*(?:(?!/\*|\*/)[\s\S])*\*/`
const blank = new RegExp(String.raw`(?:\s|${comment})*`, 'y')
const word = /[A-Za-z]+/y
// Texts in quotes of any kind, comments, and anything else but the end of a statement.
const statement = new RegExp(String.raw`(?:'[^']*'|"[^"]*"|${'`[^`]*`'}|\[[^\]]*\]|${comment}|[^;])*`, 'y')

// What begins or ends transactions, or what outlives them on a connection that others use next.
const refused: Readonly<Record<DatabaseKind, ReadonlySet<string>>> = {
  sqlite: new Set('BEGIN COMMIT END ROLLBACK SAVEPOINT RELEASE ATTACH DETACH PRAGMA VACUUM'.split(' ')),
  postgres: new Set(
    'BEGIN START COMMIT END ROLLBACK ABORT SAVEPOINT RELEASE PREPARE EXECUTE DEALLOCATE SET RESET DISCARD LISTEN UNLISTEN LOAD COPY'.split(
      ' ',
    ),
  ),
}

/**
 * Throws `transaction_misused` for a text that is not one statement which may stand within a transaction of ours. Of several statements
 * only SQLite is not told by its own database.
 */
export function requireStatement(sql: string, database: DatabaseKind): void {
  const first = firstWord(sql)
  if (first === undefined) throw misused(`It does not begin with a word of SQL: ${brief(sql)}.`)
  if (refused[database].has(first)) {
    throw misused(`${first} is not for it: this transaction begins and ends with the record of the effect.`)
  }
  if (database === 'sqlite' && hasMore(sql)) throw misused(`It is more than one statement: ${brief(sql)}.`)
}

/** A transaction of ours was used for what it is not for. No further attempt can help. */
export function misused(what: string): Error {
  return storeError(
    'transaction_misused',
    `A statement was refused within the transaction of an effect. ${what} What the effect wrote is undone unless it catches this; change its code.`,
    { cause: new PermanentError('No further attempt can help.') },
  )
}

function firstWord(sql: string): string | undefined {
  const found = match(word, sql, after(blank, sql, 0))
  // A statement in brackets only reads.
  return found === '' ? (sql.startsWith('(', after(blank, sql, 0)) ? '(' : undefined) : found.toUpperCase()
}

function hasMore(sql: string): boolean {
  return after(blank, sql, after(statement, sql, 0) + 1) < sql.length
}

function after(pattern: RegExp, sql: string, place: number): number {
  return place + match(pattern, sql, place).length
}

function match(pattern: RegExp, sql: string, place: number): string {
  pattern.lastIndex = place
  return pattern.exec(sql)?.[0] ?? ''
}

function brief(sql: string): string {
  return JSON.stringify(sql.length <= 80 ? sql : `${sql.slice(0, 80)}…`)
}
