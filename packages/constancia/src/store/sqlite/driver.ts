import { createRequire } from 'node:module'

/**
 * The one file that knows a driver. From version 24 on Node.js brings SQLite without calling it experimental on standard
 * error; where that SQLite is a fixed one it is used, everywhere else the package `@photostructure/sqlite`, which has the
 * same interface.
 */
export interface Driver {
  /** As people know it: `@photostructure/sqlite`. */
  readonly name: string
  open(file: string): Database
}

/**
 * One connection. Everything is synchronous. `@photostructure/sqlite` closes the file itself only once the statements
 * of a closed connection were collected as garbage; locks of transactions are not concerned.
 */
export interface Database {
  /** False once a transaction was rolled back, also where SQLite did so by itself. */
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

/** A prepared statement; rows are objects with the columns' names, or arrays of the columns' values once that is set. */
export interface Statement {
  setReturnArrays(areArrays: boolean): void
  run(...values: readonly Value[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  get(...values: readonly Value[]): unknown
  all(...values: readonly Value[]): unknown[]
}

/** What can be bound to a statement. */
export type Value = null | number | bigint | string | Uint8Array

interface DriverModule {
  readonly DatabaseSync: new (file: string, options: { timeout: number }) => Database
}

/**
 * How long SQLite itself may wait for a lock, in milliseconds: the longest that a lock of somebody else blocks the event
 * loop. Longer waits are ours and do not block.
 */
export const busyBlockMs = 10

const load = createRequire(import.meta.url)

/** Loads the driver that fits this Node.js. */
export function loadDriver(): Driver {
  const bundled = process.versions.sqlite
  const isSettled = Number.parseInt(process.versions.node, 10) >= 24
  if (isSettled && bundled !== undefined && isFixedVersion(bundled)) {
    const module = load('node:sqlite') as DriverModule
    if (tellsTransactions(module)) return driverOf('node:sqlite', module)
  }
  return driverOf('@photostructure/sqlite', load('@photostructure/sqlite') as DriverModule)
}

// Versions of it that cannot tell whether a transaction is open are of no use here.
function tellsTransactions(module: DriverModule): boolean {
  const probe = new module.DatabaseSync(':memory:', { timeout: 0 })
  const tells = typeof probe.isTransaction === 'boolean'
  probe.close()
  return tells
}

function driverOf(name: string, module: DriverModule): Driver {
  return { name, open: (file) => new module.DatabaseSync(file, { timeout: busyBlockMs }) }
}

/**
 * Whether this version of SQLite lacks the fault that can damage a database when the write-ahead file is reset: 3.51.3
 * or later, or one of the fixed 3.50.7 and 3.44.6.
 */
export function isFixedVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major !== 3) return major > 3
  if (minor === 44) return patch >= 6
  if (minor === 50) return patch >= 7
  return minor > 51 || (minor === 51 && patch >= 3)
}

/** SQLite's primary result code of an error, or undefined if it is none of SQLite's. */
export function resultCodeOf(error: unknown): number | undefined {
  const { code, errcode, message } = (error ?? {}) as { code?: unknown; errcode?: unknown; message?: unknown }
  if (typeof errcode === 'number') return errcode & 0xff
  if (code !== 'ERR_SQLITE_ERROR') return undefined
  // `all` of @photostructure/sqlite leaves the number out; SQLite's texts are as fixed as its numbers.
  const known = resultTexts.find(([, text]) => String(message).includes(text))
  return known?.[0] ?? 1
}

const resultTexts: readonly (readonly [code: number, text: string])[] = [
  [5, 'database is locked'],
  [6, 'database table is locked'],
  [8, 'attempt to write a readonly database'],
  [10, 'disk I/O error'],
  [11, 'database disk image is malformed'],
  [13, 'database or disk is full'],
  [14, 'unable to open database file'],
  [19, 'constraint failed'],
  [26, 'file is not a database'],
]
