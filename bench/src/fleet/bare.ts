import { open, type StoredEvent } from 'constancia'
import { postgres } from 'constancia/postgres'
import pg from 'pg'

/** Where a schema is. */
export interface Schema {
  readonly url: string
  readonly schema: string
}

/** Connects without anything around it. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** Deletes schemas and all that is in them. */
export async function dropSchemas(url: string, schemas: readonly string[]): Promise<void> {
  const client = await connect(url)
  await client.query('SET client_min_messages = warning')
  for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  await client.end()
}

/** What a server calls itself. */
export async function versionOf(url: string): Promise<string> {
  const client = await connect(url)
  const { rows } = await client.query<{ readonly version: string; readonly commit: string }>(
    "SELECT current_setting('server_version') AS version, current_setting('synchronous_commit') AS commit",
  )
  await client.end()
  return `PostgreSQL ${rows[0]?.version ?? '?'}, synchronous_commit=${rows[0]?.commit ?? '?'}`
}

const eventColumns = 'stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash'

/**
 * The least that any program has to do which keeps these events in PostgreSQL: the store's own tables with their triggers and
 * indexes, and its driver, one statement and so one round trip for each commit. The events are complete: what makes their
 * hashes and salts is not part of it. Nobody looks whether they fit, no row says where a run ends.
 */
export class BarePostgres {
  readonly #client: pg.Client
  readonly #one: string
  readonly #many: string
  readonly #begin: string
  #streams: ReadonlyMap<string, number> = new Map()

  private constructor(client: pg.Client, schema: string) {
    const [events, data, streams] = ['events', 'event_data', 'streams'].map((table) => `"${schema}".${table}`)
    this.#client = client
    this.#begin = `INSERT INTO ${streams} (name) SELECT unnest($1::text[]) RETURNING name, no::integer AS no`
    this.#one = `
      WITH d AS (INSERT INTO ${data} (stream, seq, salt, text)
        SELECT $1, $2, $11::bytea, $12::text WHERE $12 IS NOT NULL)
      INSERT INTO ${events} (${eventColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
    this.#many = `
      WITH i AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bytea[], $6::bytea[],
          $7::bigint[], $8::text[], $9::text[], $10::bytea[], $11::bytea[], $12::text[]) AS i (${eventColumns}, salt, text)),
        d AS (INSERT INTO ${data} (stream, seq, salt, text) SELECT stream, seq, salt, text FROM i WHERE text IS NOT NULL)
      INSERT INTO ${events} (${eventColumns}) SELECT ${eventColumns} FROM i`
  }

  /** Makes a new schema by the store itself, and connects to it. */
  static async create({ url, schema }: Schema): Promise<BarePostgres> {
    const runtime = await open({ store: postgres({ url, schema }), flows: [], worker: false })
    await runtime.close()
    return new BarePostgres(await connect(url), schema)
  }

  /** Commits the first events of streams. */
  async begin(first: readonly StoredEvent[]): Promise<void> {
    const { rows } = await this.#client.query<{ readonly name: string; readonly no: number }>(this.#begin, [
      first.map(({ stream }) => stream),
    ])
    this.#streams = new Map(rows.map(({ name, no }) => [name, no]))
    await this.#commit(first)
  }

  /** Commits groups of events, one round trip and one transaction each; returns how many milliseconds it took. */
  async write(groups: readonly (readonly StoredEvent[])[]): Promise<number> {
    const startMs = performance.now()
    for (const group of groups) await this.#commit(group)
    return performance.now() - startMs
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  async #commit(events: readonly StoredEvent[]): Promise<void> {
    const rows = events.map((event) => this.#rowOf(event))
    const [only] = rows
    // Parsed by the server once, as the store's own statements are.
    if (rows.length === 1) await this.#client.query({ name: 'one', text: this.#one, values: only ?? [] })
    else
      await this.#client.query({
        name: 'many',
        text: this.#many,
        values: only?.map((_, column) => rows.map((row) => row[column])) ?? [],
      })
  }

  #rowOf(event: StoredEvent): (null | number | string | Buffer)[] {
    const { stream, seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, data, dataSalt } = event
    const streamNo = this.#streams.get(stream) ?? 0
    const commit = dataCommit === undefined ? null : Buffer.from(dataCommit, 'hex')
    const salt = dataSalt === undefined ? null : Buffer.from(dataSalt)
    const facts = [kind, body, Buffer.from(bodySalt), commit, at, by, seen, Buffer.from(hash, 'hex')]
    return [streamNo, seq, ...facts, salt, data ?? null]
  }
}
