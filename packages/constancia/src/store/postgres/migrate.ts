import { storeError } from '../index.js'
import type { Connections, Lent } from './driver.js'
import { sqlStateOf } from './driver.js'
import { migrations } from './migrations/index.js'
import { schemaFiller } from './schema.js'

/** What migrating needs. */
export interface MigrateParts {
  readonly connections: Connections
  readonly schema: string
  readonly place: string
}

// Two that make the same thing at once: one is told so, and looks again.
const sameTime = new Set(['23505', '42P06', '42P07', '42710'])

/**
 * Brings the schema up to date, in one transaction under the lock of a table, which is safe behind a pooler; several processes
 * may do it at once. A role that may not create anything is enough where nothing is to be done. Throws `store_too_new` for a
 * schema of a later version and `store_damaged` for one of another program, faults of the driver as they are; nothing is
 * changed then.
 */
export async function migrate(parts: MigrateParts): Promise<void> {
  if ((await schemaOf(parts, parts.connections)) === migrations.length) return
  for (let tries = 0; ; tries++) {
    try {
      return await migrateNow(parts)
    } catch (error) {
      if (tries === 10 || !sameTime.has(sqlStateOf(error) ?? '')) throw error
    }
  }
}

async function migrateNow(parts: MigrateParts): Promise<void> {
  const { connections, schema } = parts
  const sql = schemaFiller(schema)
  const lent = await connections.lend()
  try {
    await lent.query('BEGIN')
    await lent.query(sql('CREATE SCHEMA IF NOT EXISTS {schema}'))
    await lent.query(sql('CREATE TABLE IF NOT EXISTS {schema}.migrations (no integer PRIMARY KEY, at bigint NOT NULL)'))
    await lent.query(sql('LOCK TABLE {schema}.migrations IN ACCESS EXCLUSIVE MODE'))
    // Read again under the lock: another process may have been faster.
    const done = await schemaOf(parts, lent)
    for (const [index, migration] of migrations.entries())
      if (index >= done) await apply(lent, sql, { index, migration })
    await lent.query('COMMIT')
    lent.giveBack(false)
  } catch (error) {
    await lent.query('ROLLBACK').then(
      () => lent.giveBack(false),
      () => lent.giveBack(true),
    )
    throw error
  }
}

async function apply(
  lent: Lent,
  sql: (text: string) => string,
  { index, migration }: { readonly index: number; readonly migration: string },
): Promise<void> {
  await lent.query(sql(migration))
  const note =
    'INSERT INTO {schema}.migrations (no, at) VALUES ($1, floor(extract(epoch FROM clock_timestamp()) * 1000))'
  await lent.query(sql(note), [index + 1])
}

const look = `
  SELECT to_regclass($1) IS NOT NULL AS has_migrations, (
    SELECT count(*) FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $2) AS count`

async function schemaOf({ schema, place }: MigrateParts, on: Pick<Lent, 'query'>): Promise<number> {
  const sql = schemaFiller(schema)
  const [found] = await on.query(look, [sql('{schema}.migrations'), schema])
  if (found?.['has_migrations'] !== true) {
    if (Number(found?.['count']) === 0) return 0
    throw storeError(
      'store_damaged',
      `${place} has tables of another program in the schema ${schema}. It was left as it is, and no run was touched. Choose another schema.`,
    )
  }
  const [row] = await on.query(sql('SELECT coalesce(max(no), 0) AS no FROM {schema}.migrations'))
  const done = Number(row?.['no'])
  if (done <= migrations.length) return done
  throw storeError(
    'store_too_new',
    `${place} was written by a newer version of Constancia (schema ${done}; this version knows ${migrations.length}). ` +
      'It was left as it is, and no run was touched. Install that version or a later one.',
  )
}
