/**
 * The memory of a witness: a file of SQLite of its own.
 *
 * - `logs` has one row for each log, the last checkpoint that was cosigned. It only grows, whoever writes it.
 * - `contradictions` has what logs signed and does not go on from there.
 *
 * Whoever works on it holds a lock beside it, `<file>-lock`, which the system gives back whenever the process ends. What is acknowledged was synced.
 */
import { existsSync } from 'node:fs'
import { type Contradiction, storeError, type WitnessedHead, type WitnessState } from '../index.js'
import { type Database, loadDriver, resultCodeOf } from './driver.js'

const applicationId = 0x434e5754
const contradictionsMax = 100
const busyCode = 5

const schema = `
CREATE TABLE logs (
  origin TEXT PRIMARY KEY,
  size INTEGER NOT NULL CHECK (size > 0),
  root TEXT NOT NULL,
  note TEXT NOT NULL,
  seconds INTEGER NOT NULL
) STRICT;

CREATE TABLE contradictions (
  no INTEGER PRIMARY KEY,
  origin TEXT NOT NULL,
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,
  root TEXT NOT NULL,
  note TEXT NOT NULL,
  seconds INTEGER NOT NULL,
  UNIQUE (origin, kind, size, root)
) STRICT;

CREATE TRIGGER logs_only_grow BEFORE UPDATE ON logs WHEN NEW.origin IS NOT OLD.origin OR NEW.size <= OLD.size
BEGIN SELECT RAISE(FAIL, 'a witness never goes back'); END;

CREATE TRIGGER logs_stay BEFORE DELETE ON logs
BEGIN SELECT RAISE(FAIL, 'a witness never forgets'); END;
`

/** Makes the memory of a new witness. Throws `store_unsafe` where there is something already: it is not to forget. */
export function makeWitnessFile(file: string): void {
  if (existsSync(file))
    throw storeError('store_unsafe', `${file} is there already, and a witness must not forget. Nothing was done.`)
  const database = loadDriver().open(file)
  try {
    database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
    database.exec(`BEGIN IMMEDIATE; ${schema} PRAGMA application_id=${applicationId}; COMMIT`)
  } finally {
    database.close()
  }
}

/** Opens the memory of a witness, to work on it or to look only; `over` may stand between it and its connection. Throws `store_damaged` where it is missing or something else, and `store_locked` where another process works on it. */
export function openWitnessFile(
  file: string,
  { isLookOnly = false, over = (database: Database): Database => database } = {},
): WitnessState {
  if (!existsSync(file)) {
    const told =
      'A witness that forgot what it has cosigned must not cosign again under its key: put the file back, or make a new witness with a new key.'
    throw storeError('store_damaged', `There is no ${file}. ${told}`)
  }
  const driver = loadDriver()
  const lock = isLookOnly ? undefined : locked(driver.open(`${file}-lock`), file)
  const database = driver.open(file)
  try {
    const row = database.prepare('PRAGMA application_id').get() as { readonly application_id: number }
    if (row.application_id !== applicationId) throw new Error('it has another mark')
    database.exec(isLookOnly ? 'PRAGMA query_only=ON' : 'PRAGMA synchronous=FULL')
  } catch (cause) {
    database.close()
    lock?.close()
    throw storeError('store_damaged', `${file} is not the memory of a witness. Nothing was done.`, { cause })
  }
  return new WitnessFile(over(database), lock)
}

// Held by the connection, in a transaction that never ends: whatever ends the process gives it back.
function locked(lock: Database, file: string): Database {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    if (resultCodeOf(cause) !== busyCode) throw cause
    throw storeError(
      'store_locked',
      `Another process is the witness of ${file}. This one did nothing; end the other one first.`,
      { cause },
    )
  }
}

class WitnessFile implements WitnessState {
  readonly #database: Database
  readonly #lock: Database | undefined
  readonly #statements: ReturnType<typeof statementsOf>

  constructor(database: Database, lock: Database | undefined) {
    this.#database = database
    this.#lock = lock
    this.#statements = statementsOf(database)
  }

  last(origin: string): WitnessedHead | undefined {
    const row = this.#statements.last.get(origin) as WitnessedHead | undefined
    return row && { ...row }
  }

  all(): WitnessedHead[] {
    return (this.#statements.all.all() as WitnessedHead[]).map((row) => ({ ...row }))
  }

  advance({ origin, size, root, note, seconds }: WitnessedHead, oldSize: number): boolean {
    return this.#write(() => {
      if ((this.last(origin)?.size ?? 0) !== oldSize) return false
      this.#statements.put.run(origin, size, root, note, seconds)
      return true
    })
  }

  contradict({ origin, kind, size, root, note, seconds }: Contradiction): void {
    this.#write(() => this.#statements.contradict.run(origin, kind, size, root, note, seconds))
  }

  contradictions(): Contradiction[] {
    return (this.#statements.contradictions.all() as Contradiction[]).map((row) => ({ ...row }))
  }

  close(): void {
    this.#database.close()
    this.#lock?.close()
  }

  #write<T>(change: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const made = change()
      this.#database.exec('COMMIT')
      return made
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }
}

function statementsOf(database: Database) {
  return {
    last: database.prepare('SELECT origin, size, root, note, seconds FROM logs WHERE origin = ?'),
    all: database.prepare('SELECT origin, size, root, note, seconds FROM logs ORDER BY origin'),
    put: database.prepare(`
      INSERT INTO logs (origin, size, root, note, seconds) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (origin) DO UPDATE SET size = excluded.size, root = excluded.root, note = excluded.note, seconds = excluded.seconds`),
    contradict: database.prepare(`
      INSERT OR IGNORE INTO contradictions (origin, kind, size, root, note, seconds) SELECT ?1, ?2, ?3, ?4, ?5, ?6
      WHERE (SELECT count(*) FROM contradictions WHERE origin = ?1) < ${contradictionsMax}`),
    contradictions: database.prepare('SELECT origin, kind, size, root, note, seconds FROM contradictions ORDER BY no'),
  }
}
