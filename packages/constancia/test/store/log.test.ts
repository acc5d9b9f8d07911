import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nothingSeen, parseRunId, type StreamId } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import type { Database } from '../../dist/store/sqlite/driver.js'
import { sealAll } from '../../dist/testing/store-conformance/logs.js'
import { completed, started } from '../../dist/testing/store-conformance/world.js'
import { rawConnection } from './raw.js'
import { makeFolder, openSqlite } from './stores.js'

let folder: string
let store: Store
let raw: Database

beforeEach(async () => {
  folder = makeFolder()
  store = await openSqlite({ file: join(folder, 'runs.db') })
  const draft = { kind: 'RoleGranted', body: '{}', data: undefined }
  const stream = 'governance' as StreamId
  await store.record({ stream, head: undefined, drafts: [draft], by: 'principal:ann', seen: nothingSeen })
  for (const run of ['r1', 'r2'])
    await store.create({ run: parseRunId(run), drafts: [started(), completed], by: 'system:test', seen: nothingSeen })
  await sealAll(store)
  await store.log.attest({ size: 3, kind: 'token', by: 'tsa', text: 'AA==' })
  raw = rawConnection(join(folder, 'runs.db'))
})

afterEach(async () => {
  raw.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('R-G2 the log is append-only, for any connection:', () => {
  const attacks: Readonly<Record<string, string>> = {
    'UPDATE of a leaf': 'UPDATE log_leaves SET seq = 0 WHERE no = 1',
    'DELETE of a leaf': 'DELETE FROM log_leaves WHERE no = 2',
    'INSERT OR REPLACE of a leaf':
      'INSERT OR REPLACE INTO log_leaves SELECT no, stream, 0, hash FROM log_leaves WHERE no = 1',
    'INSERT of a leaf that leaves a gap':
      'INSERT INTO log_leaves SELECT 7, stream, seq, hash FROM log_leaves WHERE no = 1',
    'UPDATE of a checkpoint': `UPDATE log_checkpoints SET note = 'forged'`,
    'DELETE of a checkpoint': 'DELETE FROM log_checkpoints',
    'INSERT OR REPLACE of a checkpoint': `INSERT OR REPLACE INTO log_checkpoints SELECT size, root, 'forged', at FROM log_checkpoints`,
    'INSERT of a checkpoint before the last': `INSERT INTO log_checkpoints SELECT size - 1, root, 'forged', at FROM log_checkpoints`,
    'UPDATE of a tile': `UPDATE log_tiles SET hashes = zeroblob(32)`,
    'INSERT OR REPLACE of a tile': `INSERT OR REPLACE INTO log_tiles SELECT level, no, zeroblob(64) FROM log_tiles`,
    'DELETE of a tile': 'DELETE FROM log_tiles',
    'UPDATE of an attestation': `UPDATE log_attestations SET text = 'forged'`,
    'DELETE of an attestation': 'DELETE FROM log_attestations',
    'INSERT OR REPLACE of an attestation': `INSERT OR REPLACE INTO log_attestations SELECT size, kind, said_by, 'forged' FROM log_attestations`,
  }
  for (const [name, sql] of Object.entries(attacks)) {
    test(`${name} is refused`, async () => {
      const before = [await store.log.leaves({ from: 0, limit: 9 }), await store.log.state()]
      expect(() => raw.exec(sql)).toThrow(/append-only/)
      expect([await store.log.leaves({ from: 0, limit: 9 }), await store.log.state()]).toEqual(before)
    })
  }
})

test('R-G2 looking for what has grown reads only what came since the last sealing, by the ids of events', () => {
  const plan = raw
    .prepare('EXPLAIN QUERY PLAN SELECT DISTINCT stream FROM events NOT INDEXED WHERE id > 5 AND id <= 9')
    .all() as { detail: string }[]
  expect(plan[0]?.detail).toMatch(/SEARCH events USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/)
})
