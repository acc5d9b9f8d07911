import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { draftOf, nothingSeen, parseRunId, runStream, type StoredEvent } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { dropRole, grantsOf, makeRole } from './rights.js'

const run = parseRunId('r1')
const schema = newSchema()
const role = `${schema}_worker`
let store: Store
let owner: pg.Client
let worker: pg.Client
let workerUrl: string
let before: StoredEvent[]

beforeAll(async () => {
  const url = await databaseUrl()
  store = await postgres({ url, schema })(partsOf(systemClock))
  const started = draftOf('FlowStarted', { flow: 'f', version: 1, actor: null, contract: null, patches: [] }, '1')
  const drafts = [started, { kind: 'Note', body: '{}', data: '2' }]
  await store.create({ run, drafts, by: 'system:test', seen: nothingSeen })
  owner = await rawConnection(url)
  workerUrl = await makeRole(owner, url, role)
  await owner.query(grantsOf(schema, role))
  // The harder half: a role that has every right on the tables, but does not own them.
  await owner.query(`GRANT ALL ON ALL TABLES IN SCHEMA "${schema}" TO ${role}`)
  worker = await rawConnection(workerUrl)
  for (const client of [owner, worker]) await client.query(`SET search_path = "${schema}"`)
  before = await store.read(runStream(run))
})

afterAll(async () => {
  await Promise.all([store.close(), worker.end()])
  await dropRole(owner, role)
  await owner.end()
  await dropSchema(schema)
})

const columns = 'stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash'
const forged = `SELECT stream, seq, kind, 'forged', body_salt, data_commit, at, by, seen, hash FROM events WHERE seq = 1`

const attacks: Readonly<Record<string, string>> = {
  'UPDATE of an event': `UPDATE events SET body = '{"forged":1}' WHERE seq = 1`,
  'UPDATE of an event that changes nothing': 'UPDATE events SET seq = seq',
  'DELETE of an event': 'DELETE FROM events WHERE seq = 1',
  'DELETE of all events': 'DELETE FROM events',
  'TRUNCATE of events': 'TRUNCATE events',
  'TRUNCATE of everything': 'TRUNCATE runs, events, event_data, inbox, outbox CASCADE',
  'UPDATE of data': `UPDATE event_data SET text = '"forged"'`,
  'DELETE of data': 'DELETE FROM event_data',
  'TRUNCATE of data': 'TRUNCATE event_data',
  'INSERT over an event': `INSERT INTO events (${columns}) ${forged}`,
  'INSERT with an upsert over an event': `
    INSERT INTO events (${columns}) ${forged} ON CONFLICT (stream, seq) DO UPDATE SET body = 'forged'`,
  'MERGE into events': `
    MERGE INTO events AS e USING runs AS r ON e.stream = r.stream AND e.seq = 1 WHEN MATCHED THEN UPDATE SET body = 'forged'`,
  'INSERT that leaves a gap': `
    INSERT INTO events (${columns}) SELECT stream, 7, kind, body, body_salt, data_commit, at, by, seen, hash FROM events WHERE seq = 1`,
  'INSERT of an open journal into what was purged': `
    INSERT INTO purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by)
    SELECT stream, seq, hash, 'completed', at, at, 'x' FROM events WHERE seq = 1`,
  'INSERT into what was purged, of a journal whose row was made to say that it has ended': `
    BEGIN; UPDATE runs SET outcome = 'completed', status = 'completed', ended_at = 1;
    INSERT INTO purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by)
    SELECT stream, seq, hash, 'completed', at, at, 'x' FROM events WHERE seq = 1; COMMIT`,
  'TRUNCATE of what was purged': 'TRUNCATE purged',
  'DELETE of what was purged': 'DELETE FROM purged',
}

describe.each(['owner', 'worker'] as const)('R-A1 the journal is append-only, for the %s of the tables:', (who) => {
  for (const [name, sql] of Object.entries(attacks)) {
    test(`${name} is refused`, async () => {
      const client = who === 'owner' ? owner : worker
      await expect(client.query(sql)).rejects.toThrow(/append-only|duplicate key/)
      await client.query('ROLLBACK')
      expect(await store.read(runStream(run))).toEqual(before)
    })
  }

  test('INSERT that does nothing where there is an event changes nothing', async () => {
    const client = who === 'owner' ? owner : worker
    await client.query(`INSERT INTO events (${columns}) ${forged} ON CONFLICT DO NOTHING`)
    expect(await store.read(runStream(run))).toEqual(before)
  })
})

test('R-A1 a session that claims to be a replica fires the triggers all the same', async () => {
  await owner.query('SET session_replication_role = replica')
  await expect(owner.query(attacks['UPDATE of an event'] ?? '')).rejects.toThrow(/append-only/)
  await expect(owner.query(attacks['TRUNCATE of events'] ?? '')).rejects.toThrow(/append-only/)
  await owner.query('SET session_replication_role = DEFAULT')
})

test('R-A1 a role that does not own the tables cannot switch the triggers off', async () => {
  await expect(worker.query('ALTER TABLE events DISABLE TRIGGER ALL')).rejects.toThrow(/must be owner/)
  await expect(worker.query('SET session_replication_role = replica')).rejects.toThrow(/permission denied/)
  await expect(worker.query('DROP TABLE events')).rejects.toThrow(/must be owner/)
})
