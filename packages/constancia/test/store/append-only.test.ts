import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { draftOf, nothingSeen, parseRunId, runStream, type StoredEvent } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import type { Database } from '../../dist/store/sqlite/driver.js'
import { rawConnection } from './raw.js'
import { makeFolder, openSqlite } from './stores.js'

const run = parseRunId('r1')
let folder: string
let store: Store
let raw: Database
let before: StoredEvent[]

beforeEach(async () => {
  folder = makeFolder()
  store = await openSqlite({ file: join(folder, 'runs.db') })
  const started = draftOf('FlowStarted', { flow: 'f', version: 1, actor: null, contract: null, patches: [] }, '1')
  await store.create({
    run,
    drafts: [started, { kind: 'Note', body: '{}', data: '2' }],
    by: 'system:test',
    seen: nothingSeen,
  })
  raw = rawConnection(join(folder, 'runs.db'))
  before = await store.read(runStream(run))
})

afterEach(async () => {
  raw.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const columns = 'id, stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash'

describe('R-A1 the journal is append-only, for any connection:', () => {
  const attacks: Readonly<Record<string, string>> = {
    'UPDATE of an event': `UPDATE events SET body = '{"forged":1}' WHERE seq = 1`,
    'UPDATE of an event that changes nothing': 'UPDATE events SET seq = seq',
    'UPDATE OR REPLACE of an event': 'UPDATE OR REPLACE events SET seq = 0 WHERE seq = 1',
    'DELETE of an event': 'DELETE FROM events WHERE seq = 1',
    'DELETE of all events': 'DELETE FROM events',
    'UPDATE of data': `UPDATE event_data SET text = '"forged"'`,
    'DELETE of data': 'DELETE FROM event_data',
    'INSERT OR REPLACE of an event by its id': `
      INSERT OR REPLACE INTO events (${columns}) SELECT id, stream, 2, kind, 'forged', body_salt, data_commit, at, by, seen, hash FROM events WHERE seq = 1`,
    'INSERT OR REPLACE of an event by stream and seq': `
      INSERT OR REPLACE INTO events (${columns}) SELECT 99, stream, seq, kind, 'forged', body_salt, data_commit, at, by, seen, hash FROM events WHERE seq = 1`,
    'REPLACE of an event': `
      REPLACE INTO events (stream, seq, kind, body, body_salt, at, by, seen, hash) SELECT stream, seq, kind, 'forged', body_salt, at, by, seen, hash FROM events WHERE seq = 0`,
    'INSERT with an upsert over an event': `
      INSERT INTO events (${columns}) SELECT id, stream, seq, kind, 'forged', body_salt, data_commit, at, by, seen, hash FROM events WHERE seq = 1
      ON CONFLICT DO UPDATE SET body = 'forged'`,
    'INSERT OR REPLACE of data': `INSERT OR REPLACE INTO event_data (event, salt, text) SELECT event, salt, '"forged"' FROM event_data LIMIT 1`,
    'INSERT of an open journal into what was purged': `
      INSERT INTO purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by) SELECT stream, seq, hash, 'completed', at, at, 'x' FROM events WHERE seq = 1`,
    'INSERT into what was purged, of a journal whose row was made to say that it has ended': `
      UPDATE runs SET outcome = 'completed', status = 'completed', ended_at = 1;
      INSERT INTO purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by) SELECT stream, seq, hash, 'completed', at, at, 'x' FROM events WHERE seq = 1`,
    'INSERT that leaves a gap': `
      INSERT INTO events (stream, seq, kind, body, body_salt, at, by, seen, hash) SELECT stream, 7, kind, body, body_salt, at, by, seen, hash FROM events WHERE seq = 1`,
  }
  for (const [name, sql] of Object.entries(attacks)) {
    test(`${name} is refused`, async () => {
      expect(() => raw.exec(sql)).toThrow(/append-only/)
      expect(await store.read(runStream(run))).toEqual(before)
    })
  }

  test('INSERT OR REPLACE is refused with recursive triggers on and off', () => {
    for (const setting of ['ON', 'OFF']) {
      raw.exec(`PRAGMA recursive_triggers=${setting}`)
      expect(() => raw.exec(attacks['INSERT OR REPLACE of an event by its id'] ?? '')).toThrow(/append-only/)
    }
  })

  test('an id below 1, under which a row could be replaced unseen, is refused', () => {
    const sql = `INSERT INTO events (${columns}) SELECT -1, stream, 2, kind, body, body_salt, data_commit, at, by, seen, hash FROM events WHERE seq = 1`
    expect(() => raw.exec(sql)).toThrow(/constraint/i)
  })
})

describe('R-A1 what was purged stays purged, and nothing else goes with it:', () => {
  const ended = parseRunId('r2')
  const end = draftOf('FlowCompleted', {}, '3')

  beforeEach(async () => {
    const started = draftOf('FlowStarted', { flow: 'f', version: 1, actor: null, contract: null, patches: [] }, '1')
    await store.create({ run: ended, drafts: [started, end], by: 'system:test', seen: nothingSeen })
    expect(await store.purge({ runs: [run, ended], by: 'principal:bob' })).toEqual({ purged: [ended] })
  })

  const rowsOf = (table: string): unknown[] => raw.prepare(`SELECT * FROM ${table}`).all()

  test('the events and data of that journal are gone, and only those', async () => {
    expect(await store.read(runStream(ended))).toEqual([])
    expect(rowsOf('events')).toHaveLength(2)
    expect(rowsOf('event_data')).toHaveLength(2)
    expect(await store.read(runStream(run))).toEqual(before)
    expect(rowsOf('purged')).toEqual([
      expect.objectContaining({ head_seq: 1, outcome: 'completed', by: 'principal:bob' }),
    ])
  })

  const attacks: Readonly<Record<string, string>> = {
    'UPDATE of what was purged': `UPDATE purged SET by = 'somebody'`,
    'DELETE of what was purged': 'DELETE FROM purged',
    'REPLACE of what was purged': `REPLACE INTO purged SELECT stream, head_seq, head_hash, 'failed', ended_at, 1, by FROM purged`,
    'DELETE of an event of another journal': 'DELETE FROM events WHERE seq = 1',
    'DELETE of data of another journal': 'DELETE FROM event_data',
    'INSERT of a first event where a journal was purged': `
      INSERT INTO events (stream, seq, kind, body, body_salt, at, by, seen, hash)
      SELECT p.stream, 0, kind, body, body_salt, at, e.by, seen, hash FROM events AS e, purged AS p WHERE seq = 0`,
  }
  for (const [name, sql] of Object.entries(attacks)) {
    test(`${name} is refused`, () => {
      const journals = [rowsOf('events'), rowsOf('event_data'), rowsOf('purged')]
      expect(() => raw.exec(sql)).toThrow(/append-only/)
      expect([rowsOf('events'), rowsOf('event_data'), rowsOf('purged')]).toEqual(journals)
    })
  }
})
