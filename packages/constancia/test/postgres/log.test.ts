import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nothingSeen, parseRunId, type StreamId } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { sealAll, sealingOf } from '../../dist/testing/store-conformance/logs.js'
import { completed, started } from '../../dist/testing/store-conformance/world.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

let schema: string
let store: Store
let raw: pg.Client

beforeEach(async () => {
  schema = newSchema()
  const url = await databaseUrl()
  store = await postgres({ url, schema })(partsOf(systemClock))
  raw = await rawConnection(url)
  await raw.query(`SET search_path = "${schema}"`)
  const draft = { kind: 'RoleGranted', body: '{}', data: undefined }
  const stream = 'governance' as StreamId
  await store.record({ stream, head: undefined, drafts: [draft], by: 'principal:ann', seen: nothingSeen })
  await create('r1')
  await create('r2')
  await sealAll(store)
  await store.log.attest({ size: 3, kind: 'token', by: 'tsa', text: 'AA==' })
})

afterEach(async () => {
  await raw.end()
  await store.close()
  await dropSchema(schema)
})

function create(run: string): Promise<unknown> {
  return store.create({ run: parseRunId(run), drafts: [started(), completed], by: 'system:test', seen: nothingSeen })
}

async function grownNames(limit = 1_000): Promise<string[]> {
  return (await store.log.grown(limit)).heads.map(({ stream, seq }) => `${stream} ${seq}`).sort()
}

describe('R-G2 the log is append-only, for its owner as well:', () => {
  const attacks: Readonly<Record<string, string>> = {
    'UPDATE of a leaf': 'UPDATE log_leaves SET seq = 0 WHERE no = 1',
    'DELETE of a leaf': 'DELETE FROM log_leaves WHERE no = 2',
    'TRUNCATE of leaves': 'TRUNCATE log_leaves',
    'an upsert over a leaf':
      'INSERT INTO log_leaves SELECT no, stream, 0, hash FROM log_leaves WHERE no = 1 ON CONFLICT (no) DO UPDATE SET seq = 0',
    'INSERT of a leaf that leaves a gap':
      'INSERT INTO log_leaves SELECT 7, stream, seq, hash FROM log_leaves WHERE no = 1',
    'UPDATE of a checkpoint': `UPDATE log_checkpoints SET note = 'forged'`,
    'DELETE of a checkpoint': 'DELETE FROM log_checkpoints',
    'TRUNCATE of checkpoints': 'TRUNCATE log_checkpoints',
    'UPDATE of a tile': `UPDATE log_tiles SET hashes = decode(repeat('00', 32), 'hex')`,
    'DELETE of a tile': 'DELETE FROM log_tiles',
    'UPDATE of an attestation': `UPDATE log_attestations SET text = 'forged'`,
    'TRUNCATE of attestations': 'TRUNCATE log_attestations',
  }
  test(`${Object.keys(attacks).join(', ')} are refused, also by a session that claims to be a replica`, async () => {
    const before = [await store.log.leaves({ from: 0, limit: 9 }), await store.log.state()]
    for (const role of ['origin', 'replica']) {
      await raw.query(`SET session_replication_role = ${role}`)
      for (const sql of Object.values(attacks)) await expect(raw.query(sql), sql).rejects.toThrow(/append-only/)
    }
    expect([await store.log.leaves({ from: 0, limit: 9 }), await store.log.state()]).toEqual(before)
  })
})

// Adds the next event of a run as a version that knows of no log would: it names the columns that it knows.
function append(on: pg.Client, run: string): Promise<unknown> {
  return on.query(`
    INSERT INTO events (stream, seq, kind, body, body_salt, at, by, seen, hash)
    SELECT e.stream, e.seq + 1, 'Note', '{}', e.body_salt, e.at, e.by, e.seen, e.hash FROM events AS e
    WHERE e.stream = (SELECT no FROM streams WHERE name = 'run/${run}') ORDER BY e.seq DESC LIMIT 1`)
}

test('R-G2 what a transaction commits that was open while others were sealed is found, whenever it began', async () => {
  await create('r3')
  await raw.query('BEGIN')
  await append(raw, 'r1')
  expect(await grownNames()).toEqual(['run/r3 1'])
  await sealAll(store)
  await create('r4')
  await sealAll(store)
  expect(await grownNames()).toEqual([])
  const late = await rawConnection(await databaseUrl())
  try {
    await late.query(`SET search_path = "${schema}"`)
    await late.query('BEGIN')
    await append(late, 'r2')
    await sealAll(store)
    await raw.query('COMMIT')
    expect(await grownNames()).toEqual(['run/r1 2'])
    await late.query('COMMIT')
    expect(await grownNames()).toEqual(['run/r1 2', 'run/r2 2'])
    await sealAll(store)
    expect(await grownNames()).toEqual([])
  } finally {
    await late.end()
  }
})

test('R-G2 where more grew than is sealed at once, streams are gone through in their order, and what was open meanwhile is found', async () => {
  for (const run of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await create(run)
  await raw.query('BEGIN')
  await append(raw, 'r1')
  const found: string[] = []
  for (let round = 0; round < 12; round += 1) {
    const grown = await store.log.grown(3)
    found.push(...grown.heads.map(({ stream }) => stream))
    expect(await store.log.seal(sealingOf(grown))).toEqual({ kind: 'sealed' })
    // Its stream is behind by now.
    if (round === 3) await raw.query('COMMIT')
  }
  expect(found.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'r1'].map((run) => `run/${run}`))
})

test('R-G2 in a server that has not come so far, where the schema was put by a dump, nothing new is missed', async () => {
  await raw.query(`UPDATE log SET cursor = '{"snapshot":"90000000000:90000000000:","stream":0}'`)
  await create('r3')
  expect(await grownNames()).toEqual(['run/r3 1'])
  await sealAll(store)
  await create('r4')
  expect(await grownNames()).toEqual(['run/r4 1'])
})

test('R-G2 what has grown is found by the ranges of transactions, without reading all events', async () => {
  await raw.query('SET enable_seqscan = off; SET enable_indexscan = off')
  const { rows } = await raw.query(`
    EXPLAIN SELECT DISTINCT e.stream FROM events AS e
    WHERE (e.xid >= 100 AND e.xid < pg_snapshot_xmax(pg_current_snapshot())::text::bigint) OR e.xid = ANY ('{7,8}'::bigint[])`)
  const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(/Bitmap Index Scan on events_xid/)
  expect(plan).not.toMatch(/Seq Scan/)
})
