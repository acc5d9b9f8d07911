import { createRequire } from 'node:module'
import { open, type StoredEvent } from 'constancia'
import { sqlite } from 'constancia/sqlite'

/** What of a driver this needs; `node:sqlite` and `@photostructure/sqlite` both have it. */
interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface Statement {
  get(): unknown
  run(...values: readonly (null | number | string | Uint8Array)[]): { readonly lastInsertRowid: number | bigint }
}

const load = createRequire(import.meta.url)

// The store's settings and statements, as they are there; but for the store's own trick of many rows in a statement.
const settings = [
  'synchronous=FULL',
  'mmap_size=0',
  'cache_size=-32768',
  'temp_store=MEMORY',
  'wal_autocheckpoint=1000',
]
const insertEvent =
  'INSERT OR FAIL INTO events (stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash) VALUES (?, ?, ?, ?, ?, unhex(?), ?, ?, ?, unhex(?))'
const insertData = 'INSERT OR FAIL INTO event_data (event, salt, text) VALUES (?, ?, ?)'

// Opened by the store first, which makes the schema and knows its driver on this Node.js.
async function openBare(file: string): Promise<Database> {
  const runtime = await open({ store: sqlite({ file }), flows: [], worker: false })
  const driver = / \(([^)]+)\)/.exec(runtime.describe())?.[1] ?? '@photostructure/sqlite'
  await runtime.close()
  const { DatabaseSync } = load(driver) as { readonly DatabaseSync: new (file: string) => Database }
  return new DatabaseSync(file)
}

/** Commits of one small row, one after the other: the least that anything costs which is to be on the disk. */
export class BareCommits {
  readonly #database: Database
  readonly #begin: Statement
  readonly #insert: Statement
  readonly #commit: Statement

  private constructor(database: Database) {
    database.exec('CREATE TABLE bare (text TEXT)')
    this.#database = database
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#insert = database.prepare('INSERT INTO bare VALUES (?)')
    this.#commit = database.prepare('COMMIT')
  }

  /** Makes a new file, and opens it with the driver and the settings that the store uses. */
  static async create(file: string): Promise<BareCommits> {
    const database = await openBare(file)
    for (const setting of settings) database.exec(`PRAGMA ${setting}`)
    return new BareCommits(database)
  }

  /** Commits a row; returns how many milliseconds it took. */
  commit(): number {
    const startMs = performance.now()
    this.#begin.run()
    this.#insert.run('x'.repeat(600))
    this.#commit.run()
    return performance.now() - startMs
  }

  close(): void {
    this.#database.close()
  }
}

/** Bytes of the texts of all events in a file. */
export async function textBytes(file: string): Promise<number> {
  const database = await openBare(file)
  const texts =
    'SELECT (SELECT sum(length(CAST(body AS BLOB))) FROM events) + (SELECT sum(length(CAST(text AS BLOB))) FROM event_data) AS bytes'
  const { bytes } = database.prepare(texts).get() as { readonly bytes: number }
  database.close()
  return bytes
}

/**
 * The least that any program has to do which keeps these events: the store's own tables with their triggers and indexes,
 * its driver, its settings and its statements, and nothing around them. The events are complete: what makes their hashes
 * and salts is not part of it.
 */
export class BareDriver {
  readonly #database: Database
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #insertEvent: Statement
  readonly #insertData: Statement
  #streams: ReadonlyMap<string, number> = new Map()

  private constructor(database: Database) {
    this.#database = database
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#insertEvent = database.prepare(insertEvent)
    this.#insertData = database.prepare(insertData)
  }

  /** Makes a new file with the store's schema, and opens it with the driver that the store uses on this Node.js. */
  static async create(file: string): Promise<BareDriver> {
    const database = await openBare(file)
    for (const setting of settings) database.exec(`PRAGMA ${setting}`)
    return new BareDriver(database)
  }

  /** Commits the first events of streams. */
  begin(first: readonly StoredEvent[]): void {
    this.#streams = new Map(first.map(({ stream }, index) => [stream as string, index + 1]))
    this.#transact(first)
  }

  /** Commits groups of events, one transaction each; returns how many milliseconds it took. */
  write(groups: readonly (readonly StoredEvent[])[]): number {
    const startMs = performance.now()
    for (const group of groups) this.#transact(group)
    return performance.now() - startMs
  }

  close(): void {
    this.#database.close()
  }

  #transact(events: readonly StoredEvent[]): void {
    this.#begin.run()
    for (const event of events) this.#insert(this.#streams.get(event.stream) ?? 0, event)
    this.#commit.run()
  }

  #insert(streamNo: number, event: StoredEvent): void {
    const { seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, data, dataSalt } = event
    const row = this.#insertEvent.run(streamNo, seq, kind, body, bodySalt, dataCommit ?? null, at, by, seen, hash)
    if (data !== undefined && dataSalt !== undefined) this.#insertData.run(Number(row.lastInsertRowid), dataSalt, data)
  }
}
