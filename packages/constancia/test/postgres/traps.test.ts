import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Store, systemClock } from '../../dist/store/index.js'
import { append, claim, create, idOf } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

/** The traps of PostgreSQL that are not about lines and servers. */
let url: string
let raw: pg.Client
let schema: string
let store: Store

beforeAll(async () => {
  url = await databaseUrl()
  raw = await rawConnection(url)
})

afterAll(() => raw.end())

beforeEach(async () => {
  schema = newSchema()
  store = await another()
  return async () => {
    await store.close()
    await dropSchema(schema)
  }
})

function another(): Promise<Store> {
  return postgres({ url, schema, listen: false })(partsOf(systemClock))
}

test('B3 a run that is worked on holds no transaction open, no lock and no snapshot: its claim is a row', async () => {
  await create(store, 'r1')
  const [taken] = await claim(store)
  const held = await raw.query(`
    SELECT a.pid FROM pg_stat_activity AS a LEFT JOIN pg_locks AS l ON l.pid = a.pid AND l.granted AND l.locktype <> 'virtualxid'
    WHERE a.query LIKE '%${schema}%' AND a.pid <> pg_backend_pid()
      AND (a.state LIKE 'idle in transaction%' OR a.backend_xmin IS NOT NULL OR l.pid IS NOT NULL)`)
  expect(held.rows).toEqual([])
  expect((await append(store, taken as never)).kind).toBe('appended')
})

test('B3 no lock belongs to a session; those known by a number are of streams that belong to no run, and end with their transaction', async () => {
  const { rows } = await raw.query<{ proname: string; prosrc: string }>(
    `SELECT proname, prosrc FROM pg_proc WHERE pronamespace = $1::regnamespace AND prosrc ~* 'advisory' ORDER BY proname`,
    [`"${schema}"`],
  )
  expect(rows.map(({ proname }) => proname)).toEqual(['lock_stream', 'stream_heads'])
  const locks = rows.flatMap(({ prosrc }) => prosrc.match(/pg_\w*advisory\w*/g) ?? [])
  expect([...new Set(locks)].sort()).toEqual(['pg_advisory_xact_lock', 'pg_advisory_xact_lock_shared'])
  await create(store, 'r1')
  await claim(store)
  expect((await raw.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)).rows).toEqual([])
})

test('B3 many claims at once take each run once, and none takes more than it asked for', async () => {
  const runCount = 60
  await Promise.all(Array.from({ length: runCount }, (_, no) => create(store, `r${no}`)))
  const stores = await Promise.all(Array.from({ length: 4 }, another))
  const taken: string[] = []
  const takeAll = async (one: Store, limit: number): Promise<void> => {
    while (taken.length < runCount) {
      const claims = await claim(one, limit)
      expect(claims.length).toBeLessThanOrEqual(limit)
      taken.push(...claims.map(({ run }) => run))
    }
  }
  await Promise.all(stores.flatMap((one) => [takeAll(one, 1), takeAll(one, 3)]))
  expect(new Set(taken).size).toBe(runCount)
  expect(taken).toHaveLength(runCount)
  await Promise.all(stores.map((one) => one.close()))
})

test('B3 what is asked of one run waits for its row, and is not passed over', async () => {
  await create(store, 'r1')
  const [taken] = await claim(store)
  await raw.query(`BEGIN; SELECT 1 FROM "${schema}".runs FOR UPDATE`)
  const appending = append(store, taken as never)
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`
  const looks = await rawConnection(url)
  while ((await looks.query(waiting)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await Promise.all([looks.end(), raw.query('COMMIT')])
  expect((await appending).kind).toBe('appended')
})

test('B3 runs that have ended cost a claim nothing: it finds due runs in an index of due runs, and the table is vacuumed soon', async () => {
  const index = await raw.query(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename = 'runs' AND indexdef LIKE '%due_at%'`,
    [schema],
  )
  expect(index.rows.length).toBeGreaterThan(0)
  for (const { indexdef } of index.rows) expect(indexdef).toContain('WHERE (due_at IS NOT NULL)')
  const table = await raw.query('SELECT reloptions FROM pg_class WHERE oid = $1::regclass', [`"${schema}".runs`])
  expect(table.rows[0].reloptions).toContain('autovacuum_vacuum_scale_factor=0.02')
})

test('B3 what is committed late under a low number is found in the outbox all the same', async () => {
  await create(store, 'r1')
  const entry = (seq: number) =>
    `INSERT INTO "${schema}".outbox (stream, seq, kind, target) SELECT no, ${seq}, 'end', 'x' FROM "${schema}".streams WHERE name = 'run/r1'`
  // Its number is taken first, and its commit comes last.
  await raw.query(`BEGIN; ${entry(1)}`)
  const fast = await rawConnection(url)
  await fast.query(entry(2))
  const first = await store.outbox({ limit: 10 })
  await raw.query('COMMIT')
  const second = await store.outbox({ limit: 10 })
  expect([first, second].map(({ items }) => items.map(({ seq }) => seq))).toEqual([[2], [1, 2]])
  await fast.end()
})

test('B3 the numbers of a journal come from the journal, and have no gap after a write that was rolled back', async () => {
  await create(store, 'r1')
  const [taken] = await claim(store)
  await raw.query(`
    CREATE FUNCTION "${schema}".refuse_once() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN RAISE EXCEPTION 'no'; END $body$;
    CREATE TRIGGER refuse AFTER INSERT ON "${schema}".events FOR EACH ROW EXECUTE FUNCTION "${schema}".refuse_once()`)
  await expect(append(store, taken as never)).rejects.toThrow()
  await raw.query(`DROP TRIGGER refuse ON "${schema}".events`)
  expect((await append(store, taken as never)).kind).toBe('appended')
  expect((await store.read(`run/${idOf('r1')}` as never)).map(({ seq }) => seq)).toEqual([0, 1])
})
