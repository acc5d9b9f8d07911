import { resolve } from 'node:path'
import { assert } from '../../journal/index.js'
import { moveStateError, storeError } from '../index.js'
import { busyBlockMs, type Database, type Driver, isFixedVersion, loadDriver } from './driver.js'
import { failedError } from './faults.js'
import { applicationId, migrate } from './migrate.js'
import { moveStateOf } from './move-state.js'
import { type Patience, patiently } from './patience.js'
import { checkPlace } from './place.js'

/** Where the database is and how it is used. */
export interface SqliteOptions {
  /**
   * Path of the file; it is created where there is none, its folder is not. Two more files lie beside it (`-wal`, `-shm`), and an
   * empty one for each process that works on it (`-worker-…`).
   */
  readonly file: string
  /** How long, in milliseconds, a lock held by another process is waited for before `store_locked`; 30,000 unless set. */
  readonly busyMsMax?: number
  /** Size of the write-ahead file from which it is cut back, and a warning given if a reader prevents that; 64 MiB unless set. */
  readonly walBytesMax?: number
  /**
   * How often, in milliseconds, a watcher looks for changes of other processes that do not tell of them; 25 unless set. While
   * they do, only every tenth look is taken. 0 for never, and then nobody is listened to either.
   */
  readonly watchPollMs?: number
  /** Opens in spite of an SQLite with a known fault, or on a network file system. Acknowledged events may be lost. */
  readonly allowUnsafe?: boolean
}

/** A connection that was checked, and what is said about it. */
export interface Opened {
  readonly database: Database
  readonly file: string
  readonly description: string
}

/**
 * Opens the file, checks it and brings its schema up to date; safe while other processes do the same. Rejects with
 * `store_unsafe`, `store_damaged`, `store_too_new`, `store_failed`, `store_locked`, `store_moved` or `store_unfinished`, and then
 * has changed nothing.
 */
export function open(options: SqliteOptions, patience: Patience): Promise<Opened> {
  return openFile(options, patience, (database) => refuseMarked(database, patience.file))
}

/** The same for a move: also where {@link open} rejects with `store_moved` or `store_unfinished`. */
export function openToMove(options: SqliteOptions, patience: Patience): Promise<Opened> {
  return openFile(options, patience, () => undefined)
}

function refuseMarked(database: Database, file: string): void {
  const state = moveStateOf(database)
  if (state !== undefined) throw moveStateError(file, state)
}

async function openFile(
  options: SqliteOptions,
  patience: Patience,
  admit: (database: Database) => void,
): Promise<Opened> {
  const { file } = patience
  checkPlace(file, options.allowUnsafe === true)
  const driver = loadDriver()
  const database = connect(driver, file)
  try {
    const version = await patiently(patience, () => checkVersion(database, options))
    await patiently(patience, () => checkOwner(database, file))
    await patiently(patience, () => configure(database, file))
    await patiently(patience, () => admit(database))
    await patiently(patience, () => migrate(database, file))
    await patiently(patience, () => probe(database))
    return { database, file, description: `SQLite ${version} (${driver.name}), WAL, synchronous=FULL, ${file}` }
  } catch (error) {
    database.close()
    throw error
  }
}

/** The path that everything says and uses, whatever the working directory becomes. */
export function absolutePath(file: string): string {
  return resolve(file)
}

/** A second connection to a file that {@link open} has checked; for another thread. Throws faults of SQLite as they are. */
export function openAgain(file: string): Database {
  const database = connect(loadDriver(), file)
  configure(database, file)
  return database
}

function connect(driver: Driver, file: string): Database {
  try {
    return driver.open(file)
  } catch (cause) {
    throw failedError(file, cause)
  }
}

function checkVersion(database: Database, options: SqliteOptions): string {
  const version = String(firstOf(database, 'SELECT sqlite_version()'))
  if (isFixedVersion(version) || options.allowUnsafe === true) return version
  throw storeError(
    'store_unsafe',
    `SQLite ${version} can damage a database when its write-ahead file is reset. No run was touched. ` +
      'Use a Node.js or a driver with SQLite 3.51.3 or later (or 3.50.7, 3.44.6); allowUnsafe: true opens it all the same.',
  )
}

// Before the first write: a file of somebody else must stay as it is. All of it is read from one snapshot: between two,
// another process may have made the file ours.
function checkOwner(database: Database, file: string): void {
  const { owner, isNew } = inOneSnapshot(database, () => {
    const isEmpty = firstOf(database, 'SELECT count(*) FROM sqlite_schema') === 0
    const isUnversioned = firstOf(database, 'PRAGMA user_version') === 0
    return { owner: firstOf(database, 'PRAGMA application_id'), isNew: isEmpty && isUnversioned }
  })
  if (owner === applicationId || (owner === 0 && isNew)) return
  throw storeError(
    'store_damaged',
    `${file} is a database of another program (application id ${String(owner)}). It was left as it is, and no run was touched. ` +
      'Choose another file.',
  )
}

function inOneSnapshot<T>(database: Database, read: () => T): T {
  database.exec('BEGIN')
  try {
    return read()
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

// Set, then read back: a setting that does not hold is worth nothing.
function configure(database: Database, file: string): void {
  for (const [name, value, effect] of settings) {
    database.exec(`PRAGMA ${name}=${value}`)
    const found = String(firstOf(database, `PRAGMA ${name}`))
    if (found === effect) continue
    throw storeError(
      'store_unsafe',
      `${file} does not accept ${name}=${value}; it is ${found}. Acknowledged events could be lost, so no run was touched. ` +
        'The file must lie on a local disk that supports shared memory.',
    )
  }
}

const settings: readonly (readonly [name: string, value: string, effect: string])[] = [
  ['busy_timeout', String(busyBlockMs), String(busyBlockMs)],
  ['journal_mode', 'WAL', 'wal'],
  ['synchronous', 'FULL', '2'],
  // macOS alone needs it; elsewhere it means nothing.
  ['fullfsync', 'ON', '1'],
  ['checkpoint_fullfsync', 'ON', '1'],
  // A mapped page would let a stray pointer write into the database, and hides I/O errors.
  ['mmap_size', '0', '0'],
  ['cache_size', '-32768', '-32768'],
  ['temp_store', 'MEMORY', '2'],
  ['wal_autocheckpoint', '1000', '1000'],
]

// Finds what a header does not show: pages cut off, a table that is missing.
function probe(database: Database): void {
  for (const table of ['streams', 'events', 'event_data', 'runs', 'outbox', 'purged']) {
    database.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).all()
  }
}

/** The first column of the first row of a query that has one. */
export function firstOf(database: Database, sql: string): unknown {
  const row = database.prepare(sql).get() as Record<string, unknown> | undefined
  assert(row !== undefined, `"${sql}" must have a row`)
  return Object.values(row)[0]
}
