import { type PostgresOptions, postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../dist/store/index.js'
import { checkServer, type ServerState } from '../../dist/store/postgres/checks.js'
import { workers } from '../../dist/store/postgres/migrations/0004-workers.js'
import { migrations } from '../../dist/store/postgres/migrations/index.js'
import { schemaFiller } from '../../dist/store/postgres/schema.js'
import { append, claim, create } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { dropRole, grantsOf, makeRole } from './rights.js'

let url: string
let raw: pg.Client
const schemas: string[] = []
const roles: string[] = []

beforeAll(async () => {
  url = await databaseUrl()
  raw = await rawConnection(url)
})

afterAll(async () => {
  for (const role of roles) await dropRole(raw, role)
  await raw.end()
  for (const schema of schemas) await dropSchema(schema)
})

function fresh(): string {
  const schema = newSchema()
  schemas.push(schema)
  return schema
}

function opened(options: PostgresOptions, warnings: string[] = []): ReturnType<ReturnType<typeof postgres>> {
  return postgres({ waitMsMax: 2_000, ...options })(partsOf(systemClock, warnings))
}

async function role(settings = ''): Promise<{ readonly name: string; readonly url: string }> {
  const name = `${newSchema()}_role`
  const address = await makeRole(raw, url, name)
  roles.push(name)
  if (settings !== '') await raw.query(`ALTER ROLE ${name} SET ${settings}`)
  return { name, url: address }
}

test('several processes that open a database for the first time at once all find it made', async () => {
  const schema = fresh()
  const stores = await Promise.all(Array.from({ length: 8 }, () => opened({ url, schema })))
  await create(stores[0] as never, 'r1')
  for (const store of stores) expect((await store.runs({})).items).toHaveLength(1)
  await Promise.all(stores.map((store) => store.close()))
})

test('a store says in one line what it runs with, and never a password', async () => {
  const given = await role()
  const schema = fresh()
  await raw.query(`GRANT CREATE ON DATABASE postgres TO ${given.name}`)
  const store = await opened({ url: given.url, schema })
  expect(store.describe()).toMatch(/^PostgreSQL \d+.*, synchronous_commit=on, 127\.0\.0\.1:\d+\/\w+ \(test_/)
  expect(store.describe()).not.toContain('secret')
  await store.close()
})

test('a role with the fewest rights is enough for everything that workers do, and purging says which right it lacks', async () => {
  const schema = fresh()
  await (await opened({ url, schema })).close()
  const given = await role()
  await raw.query(grantsOf(schema, given.name))
  const store = await opened({ url: given.url, schema })
  await create(store, 'r1')
  const [taken] = await claim(store)
  expect((await append(store, taken as never)).kind).toBe('appended')
  const end = [{ kind: 'FlowCompleted', body: '{}', data: '1' }]
  await store.decide({
    run: 'r1' as never,
    delivery: undefined,
    by: 'x',
    seen: '-/-',
    decide: () => ({ drafts: end, result: 0 }),
  })
  expect((await store.runs({ status: 'completed' })).items).toHaveLength(1)
  await store.pulse()
  await store.hold('nothing')
  expect(await store.missing([{ run: 'r1' as never, seq: 2, hash: undefined }])).toEqual([])
  expect(await store.quarantine({ code: 'rolled_back', message: 'nothing' })).toEqual({ parkedCount: 0 })
  const purge = store.purge({ runs: ['r1' as never], by: 'x' })
  await expect(purge).rejects.toMatchObject({
    code: 'store_forbidden',
    message: expect.stringContaining('docs/postgresql.md'),
  })
  await store.close()
})

test('whoever had rights on the runs has them on the list of workers after an update', async () => {
  const schema = fresh()
  const sql = schemaFiller(schema)
  const before = migrations.slice(0, migrations.indexOf(workers))
  await raw.query(
    sql('CREATE SCHEMA {schema}; CREATE TABLE {schema}.migrations (no integer PRIMARY KEY, at bigint NOT NULL)'),
  )
  for (const [index, migration] of before.entries())
    await raw.query(`${sql(migration)}; INSERT INTO "${schema}".migrations VALUES (${index + 1}, 0)`)
  const [worker, reader] = [await role(), await role()]
  await raw.query(sql(`GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.runs TO ${worker.name}`))
  await raw.query(sql(`GRANT SELECT ON {schema}.runs TO ${reader.name}`))
  await (await opened({ url, schema })).close()
  const may = async (name: string, right: string) => {
    const asked = [name, `"${schema}".workers`, right]
    return (await raw.query('SELECT has_table_privilege($1, $2, $3) AS may', asked)).rows[0]?.may
  }
  for (const right of ['SELECT', 'INSERT', 'UPDATE', 'DELETE']) {
    expect(await may(worker.name, right)).toBe(true)
    expect(await may(reader.name, right)).toBe(right === 'SELECT')
  }
})

describe('refused at start, with the remedy:', () => {
  async function expectRefusal(options: PostgresOptions, code: string, words: RegExp): Promise<void> {
    const started = performance.now()
    await expect(opened(options)).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
    expect(performance.now() - started).toBeLessThan(15_000)
  }

  test('synchronous_commit=off, unless it is allowed', async () => {
    const given = await role('synchronous_commit = off')
    await expectRefusal({ url: given.url }, 'store_unsafe', /synchronous_commit=off.*ALTER ROLE.*allowUnsafe/)
    const schema = fresh()
    await raw.query(`GRANT CREATE ON DATABASE postgres TO ${given.name}`)
    await (await opened({ url: given.url, schema, allowUnsafe: true })).close()
  })

  test('a connection that may only read', async () => {
    const given = await role('default_transaction_read_only = on')
    await expectRefusal({ url: given.url, allowUnsafe: true }, 'store_unsafe', /read only.*primary/)
  })

  test('a role that may not make the schema', async () => {
    const given = await role()
    await expectRefusal(
      { url: given.url, schema: fresh() },
      'store_forbidden',
      /permission denied.*docs\/postgresql\.md/,
    )
  })

  test('a role that lacks rights on tables that are there', async () => {
    const schema = fresh()
    await (await opened({ url, schema })).close()
    const given = await role()
    await expectRefusal({ url: given.url, schema }, 'store_forbidden', /permission denied/)
  })

  test('a database that is not there', async () => {
    const address = new URL(url)
    address.pathname = '/nowhere'
    await expectRefusal({ url: address.href }, 'store_forbidden', /does not exist.*Correct/)
  })

  test('a server that is not there, after it was waited for', async () => {
    const warnings: string[] = []
    const options = { url: 'postgres://postgres@127.0.0.1:1/x', waitMsMax: 300 }
    await expect(opened(options, warnings)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(warnings).toHaveLength(1)
  })

  test('a schema of a later version, which is left alone', async () => {
    const schema = fresh()
    await (await opened({ url, schema })).close()
    await raw.query(`INSERT INTO "${schema}".migrations VALUES (999, 0)`)
    await expectRefusal({ url, schema }, 'store_too_new', /newer version.*schema 999/)
  })

  test('a schema with tables of another program, which is left alone', async () => {
    const schema = fresh()
    await raw.query(`CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".theirs (a integer)`)
    await expectRefusal({ url, schema }, 'store_damaged', /another program/)
  })

  test('servers that are too old, standbys, other encodings, and settings that lose events', () => {
    const sound: ServerState = {
      version: '18.0',
      versionNo: 180_000,
      synchronousCommit: 'on',
      fsync: 'on',
      fullPageWrites: 'on',
      encoding: 'UTF8',
      isRecovering: false,
      isReadOnly: false,
    }
    const check = (change: Partial<ServerState>, allowUnsafe = false) => {
      return () => checkServer({ ...sound, ...change }, 'db', allowUnsafe)
    }
    expect(check({})).not.toThrow()
    for (const mode of ['local', 'remote_write', 'remote_apply'])
      expect(check({ synchronousCommit: mode })).not.toThrow()
    for (const change of [{ versionNo: 130_009 }, { isRecovering: true }, { encoding: 'SQL_ASCII' }]) {
      for (const allowUnsafe of [false, true]) expect(check(change, allowUnsafe)).toThrow(/db .*No run was touched/)
    }
    for (const change of [{ fsync: 'off' }, { fullPageWrites: 'off' }, { synchronousCommit: 'off' }]) {
      expect(check(change)).toThrow(/lost when the server crashes/)
      expect(check(change, true)).not.toThrow()
    }
  })
})
