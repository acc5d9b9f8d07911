import { type PostgresOptions, postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll } from 'vitest'
import type { MovableStoreFactory } from '../../dist/store/index.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

/**
 * Schemas that the tests of one file use one after the other. To make one, with its tables, takes as long as dozens of
 * transactions; to empty one takes as long as one.
 */
const free = new Map<UsedSchema['time'], UsedSchema[]>()
const made = new Set<UsedSchema>()

afterAll(async () => {
  free.clear()
  await Promise.all([...made].map((schema) => schema.drop()))
})

/** Where scripted time begins. */
export const startMs = Date.UTC(2026, 0, 1)
// What says how far the tables are is no content.
const kept = ['migrations']

/** Takes an empty schema, whose clock is the server's, or stands still until it is told otherwise. */
export async function takeSchema(time: UsedSchema['time']): Promise<UsedSchema> {
  const used = free.get(time)?.pop()
  if (used !== undefined) return used
  const schema = await UsedSchema.make(time)
  made.add(schema)
  return schema
}

/** A schema of which somebody has the use until it is given back. */
export class UsedSchema {
  readonly time: 'scripted' | 'real'
  readonly name: string
  readonly #url: string
  readonly #raw: pg.Client
  #contents: string[] = []
  #isPrepared = false

  private constructor(time: 'scripted' | 'real', url: string, raw: pg.Client) {
    this.time = time
    this.name = newSchema()
    this.#url = url
    this.#raw = raw
  }

  static async make(time: 'scripted' | 'real'): Promise<UsedSchema> {
    const url = await databaseUrl()
    return new UsedSchema(time, url, await rawConnection(url))
  }

  /** Opens a store over it; the first one makes its tables. */
  factory(options: PostgresOptions = {}): MovableStoreFactory {
    const factory = postgres({ url: this.#url, schema: this.name, ...options })
    const open: typeof factory = Object.assign(
      async (parts: Parameters<typeof factory>[0]) => {
        const store = await factory(parts)
        if (!this.#isPrepared) await this.#prepare()
        return store
      },
      { openToMove: factory.openToMove },
    )
    return open
  }

  /** Sets its clock. */
  async show(ms: number): Promise<void> {
    await this.#raw.query(`UPDATE ${this.#quoted}.scripted SET ms = $1`, [ms])
  }

  /** Empties it for the next test. Every store over it is closed by then. */
  async giveBack(): Promise<void> {
    if (this.#isPrepared) await this.#empty()
    free.set(this.time, [...(free.get(this.time) ?? []), this])
  }

  /** Deletes it, with all that is in it. */
  async drop(): Promise<void> {
    made.delete(this)
    await this.#raw.end()
    await dropSchema(this.name, this.#url)
  }

  // Also finds what the tables hold from the beginning, to put it back.
  async #prepare(): Promise<void> {
    this.#isPrepared = true
    const selectTables = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> ALL ($2)'
    const tables = await this.#names(selectTables, [this.name, kept])
    const selectSequences = 'SELECT sequencename AS name FROM pg_sequences WHERE schemaname = $1'
    const sequences = await this.#names(selectSequences, [this.name])
    await this.#raw.query(emptying.replaceAll('{schema}', this.#quoted))
    if (this.time === 'scripted') await scriptClock(this.#raw, this.name)
    this.#contents = tables.map((table) => `DELETE FROM ${table}`)
    this.#contents.push(...sequences.map((sequence) => `PERFORM setval('${sequence}', 1, false)`))
    for (const table of tables) await this.#keepFirst(table)
  }

  async #keepFirst(table: string): Promise<void> {
    const { rows } = await this.#raw.query(`SELECT 1 FROM ${table} LIMIT 1`)
    if (rows.length === 0) return
    const copy = table.replace(/"$/, '_at_first"')
    await this.#raw.query(`CREATE TABLE ${copy} AS TABLE ${table}`)
    this.#contents.push(`INSERT INTO ${table} SELECT * FROM ${copy}`)
  }

  async #names(sql: string, values: unknown[]): Promise<string[]> {
    const { rows } = await this.#raw.query<{ name: string }>(sql, values)
    return rows.map(({ name }) => `${this.#quoted}."${name}"`)
  }

  async #empty(): Promise<void> {
    await this.#raw.query(`
      BEGIN; SET LOCAL constancia_test.emptying = 'on'; SET LOCAL lock_timeout = '30s';
      DO $body$ BEGIN ${this.#contents.join('; ')}; END $body$; COMMIT`)
    if (this.time === 'scripted') await this.show(startMs)
  }

  get #quoted(): string {
    return `"${this.name}"`
  }
}

// The triggers against deletes are those of the schema, but for whoever empties it between two tests.
const emptying = ['events', 'event_data', 'purged']
  .map((table) => {
    const trigger = table === 'event_data' ? 'data_no_delete' : `${table}_no_delete`
    const what = table === 'purged' ? ['STATEMENT', 'refuse'] : ['ROW', 'refuse_unless_purged']
    return `
      CREATE OR REPLACE TRIGGER ${trigger} BEFORE DELETE ON {schema}.${table} FOR EACH ${what[0]}
        WHEN (current_setting('constancia_test.emptying', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION {schema}.${what[1]}();
      ALTER TABLE {schema}.${table} ENABLE ALWAYS TRIGGER ${trigger};`
  })
  .join('')
  .concat(`
    CREATE OR REPLACE FUNCTION {schema}.refuse_in_log() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF TG_OP = 'DELETE' AND current_setting('constancia_test.emptying', true) = 'on' THEN RETURN NULL; END IF;
      RAISE EXCEPTION 'the log is append-only: % of % refused', TG_OP, TG_TABLE_NAME;
    END $body$;`)

/** From now on the clock of a schema stands still, at the beginning of 2026, but for what is added to `scripted.ms`. */
export async function scriptClock(raw: pg.Client, schema: string): Promise<void> {
  await raw.query(`
    CREATE TABLE "${schema}".scripted (ms bigint NOT NULL);
    INSERT INTO "${schema}".scripted VALUES (${startMs});
    CREATE OR REPLACE FUNCTION "${schema}".now_ms() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $body$
    BEGIN RETURN (SELECT s.ms FROM "${schema}".scripted AS s); END $body$`)
}
