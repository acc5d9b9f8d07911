import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainDrafts, draftOf, emptyHead, nothingSeen, parseRunId, runStream } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { migrations } from '../../dist/store/postgres/migrations/index.js'
import { schemaFiller } from '../../dist/store/postgres/schema.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

let schema: string
let sql: (text: string) => string
let old: pg.Client
let store: Store | undefined

beforeEach(async () => {
  schema = newSchema()
  sql = schemaFiller(schema)
  old = await rawConnection()
  await old.query(
    sql('CREATE SCHEMA {schema}; CREATE TABLE {schema}.migrations (no integer PRIMARY KEY, at bigint NOT NULL)'),
  )
  for (const [index, migration] of migrations.slice(0, 2).entries())
    await old.query(sql(`${migration}; INSERT INTO {schema}.migrations VALUES (${index + 1}, 0)`))
})

afterEach(async () => {
  await store?.close()
  store = undefined
  await old.end()
  await dropSchema(schema)
})

const body = { flow: 'f', version: 1, actor: null, contract: null, patches: [] }
const hex = (bytes: string | Uint8Array): string =>
  `{"\\\\x${typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('hex')}"}`

/** Starts a run as the version of schema 2 did: with the function that it knows. */
async function startAsBefore(id: string): Promise<void> {
  const stream = runStream(parseRunId(id))
  const given = {
    stream,
    nowMs: Date.now(),
    by: 'system:test',
    seen: nothingSeen,
    salt: () => new Uint8Array(16).fill(7),
  }
  const [event] = chainDrafts(emptyHead(stream), [draftOf('FlowStarted', body)], given)
  const { hash, at, bodySalt, kind } = event!
  const none = (count: number): string[] => new Array<string>(count).fill('{}')
  const [empty, zero] = ['{NULL}', '{0}']
  const run = [`{${id}}`, '{f}', '{1}', ...new Array<string>(6).fill(empty), '{f}', '{open}', zero, zero, hex(hash)]
  const told = [`{${at}}`, '{system:test}', `{${nothingSeen}}`, hex(hash), empty, empty]
  const text = `{"${event!.body.replace(/["\\]/g, '\\$&')}"}`
  const events = ['{1}', zero, `{${kind}}`, text, hex(bodySalt), empty, ...told]
  const values = [...none(20), ...run, `{${at}}`, `{${at}}`, empty, ...events, ...none(11), 'channel', null]
  const places = values.map((_, index) => `$${index + 1}`)
  const { rows } = await old.query(sql(`SELECT * FROM {schema}.write(${places.join(', ')})`), values)
  expect(rows).toEqual([])
}

/** What a claim of that version looks for. */
async function dueAsBefore(): Promise<string[]> {
  const { rows } = await old.query<{ id: string }>(
    sql(`
      WITH picked AS MATERIALIZED (
        SELECT r.* FROM {schema}.runs AS r
        WHERE r.flow = 'f' AND r.version = 1 AND r.due_at <= {schema}.now_ms() AND r.stream <> ALL ('{}'::bigint[])
          AND (r.key IS NULL OR r.key <> ALL ('{}'::text[]))
        ORDER BY r.due_at, r.stream LIMIT 10
        FOR NO KEY UPDATE SKIP LOCKED)
      SELECT r.id FROM picked AS r ORDER BY r.due_at, r.stream`),
  )
  return rows.map(({ id }) => id)
}

test('C37 a schema without priorities is brought up to date with runs in it, and workers of the version before go on beside it', async () => {
  await startAsBefore('before')
  store = await postgres({ url: await databaseUrl(), schema })(partsOf(systemClock))
  const row = async (id: string) => store!.run(parseRunId(id))
  expect(await row('before')).toMatchObject({ priority: 0, status: 'ready', flow: 'f', head: { seq: 0 } })
  const drafts = [draftOf('FlowStarted', { ...body, priority: 5 })]
  await store.create({ run: parseRunId('urgent'), drafts, by: 'system:test', seen: nothingSeen })
  await startAsBefore('beside')
  expect(await row('beside')).toMatchObject({ priority: 0, status: 'ready', head: { seq: 0 } })
  // One that knows of no priorities takes what is due by time alone.
  expect(await dueAsBefore()).toEqual(['before', 'urgent', 'beside'])
  const flows = [{ flow: 'f', version: 1 }]
  const { claims } = await store.claim({ worker: 'w', flows, limit: 10, leaseMs: 60_000, lostLeaseCountMax: 5 })
  expect(claims.map(({ run }) => run)).toEqual(['urgent', 'before', 'beside'])
})
