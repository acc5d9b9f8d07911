import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from 'constancia/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inspectLog } from '../../dist/evidence/log/index.js'
import type { Database } from '../../dist/store/sqlite/driver.js'
import { rawConnection } from '../store/raw.js'
import { makeFolder } from '../store/stores.js'
import { origin, Rig } from './rig.js'

let rig: Rig
let folder: string
let raw: Database

beforeEach(async () => {
  folder = makeFolder()
  rig = new Rig(sqlite({ file: join(folder, 'runs.db') }))
  await rig.open()
  const sealer = await rig.sealer()
  for (const run of ['r1', 'r2', 'r3']) {
    await rig.run(run)
    await sealer.sealNow()
  }
  await rig.run('open', 2, false)
  await sealer.sealNow()
  await rig.signal('open', 'd1')
  await sealer.stop()
  raw = rawConnection(join(folder, 'runs.db'))
  const triggers = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all() as { name: string }[]
  for (const { name } of triggers) raw.exec(`DROP TRIGGER ${name}`)
})

afterEach(async () => {
  raw.close()
  await rig.store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function found(): Promise<string[]> {
  return [...new Set((await inspectLog(rig.store, origin)).findings.map(({ kind }) => kind))].sort()
}

test('a store that nobody edited has nothing to find', async () => {
  const { findings, leafCount, checkpointCount, streamCount, eventCount, unsealedCount } = await inspectLog(
    rig.store,
    origin,
  )
  expect(findings).toEqual([])
  expect([leafCount, checkpointCount, streamCount, eventCount, unsealedCount]).toEqual([10, 5, 5, 20, 0])
})

// Threat 27: an insider with all rights on the database, who takes the triggers away first.
describe('R-G5 T16 of rows that an insider edits something is left that does not fit:', () => {
  const edits: Readonly<Record<string, readonly [sql: string, finding: string]>> = {
    'the body of an event': [`UPDATE events SET body = '{}' WHERE seq = 2`, 'journal'],
    'the data of an event': [`UPDATE event_data SET text = '"other"' WHERE event = 3`, 'journal'],
    'the time of an event': ['UPDATE events SET at = at + 1 WHERE seq = 1', 'journal'],
    'who wrote an event': [`UPDATE events SET by = 'principal:bob' WHERE seq = 1 AND stream > 1`, 'journal'],
    'what an event has seen': [`UPDATE events SET seen = '-/-' WHERE seen <> '-/-'`, 'journal'],
    'the hash of an event': ['UPDATE events SET hash = zeroblob(32) WHERE id = 6', 'journal'],
    'an event that is taken out': [
      `DELETE FROM events WHERE seq = 2 AND stream = (SELECT no FROM streams WHERE name = 'run/r2')`,
      'journal',
    ],
    'the end of a journal that is cut off': [
      `DELETE FROM events WHERE seq >= 3 AND stream = (SELECT no FROM streams WHERE name = 'run/open')`,
      'gone',
    ],
    'a journal that is taken out': [
      `DELETE FROM events WHERE stream = (SELECT no FROM streams WHERE name = 'run/r2')`,
      'gone',
    ],
    'two journals that change places': [
      `UPDATE streams SET name = CASE name WHEN 'run/r1' THEN 'x' ELSE name END; UPDATE streams SET name = 'run/r1' WHERE name = 'run/r2'; UPDATE streams SET name = 'run/r2' WHERE name = 'x'`,
      'journal',
    ],
    'a leaf': ['UPDATE log_leaves SET seq = seq - 1 WHERE no = 3', 'root'],
    'the hash in a leaf': ['UPDATE log_leaves SET hash = zeroblob(32) WHERE no = 3', 'root'],
    'the last leaves that are taken out': ['DELETE FROM log_leaves WHERE no >= 8', 'root'],
    'the last sealing that is taken out': [
      'DELETE FROM log_leaves WHERE no >= 8; DELETE FROM log_checkpoints WHERE size > 8; UPDATE log SET size = 8',
      'tile',
    ],
    'a checkpoint': [`UPDATE log_checkpoints SET root = zeroblob(32) WHERE size = 4`, 'root'],
    'the note of a checkpoint': [
      `UPDATE log_checkpoints SET note = replace(note, '— ', '— x') WHERE size = 4`,
      'checkpoint',
    ],
    'a tile': ['UPDATE log_tiles SET hashes = zeroblob(320)', 'tile'],
    'what is left of a journal that was purged': [
      `INSERT INTO purged SELECT stream, 1, zeroblob(32), 'completed', 1, 1, 'x' FROM log_leaves WHERE no = 0; DELETE FROM events WHERE stream = (SELECT stream FROM log_leaves WHERE no = 0)`,
      'leaf',
    ],
  }
  for (const [name, [sql, finding]] of Object.entries(edits)) {
    test(name, async () => {
      raw.exec(sql)
      expect(await found()).toContain(finding)
    })
  }

  test('a journal that is made anew with right hashes is another one than was sealed', async () => {
    const other = new Rig(sqlite({ file: join(folder, 'other.db') }), rig.mine)
    await other.open()
    await other.run('r2', 3)
    const forged = rawConnection(join(folder, 'other.db'))
    const rows = forged.prepare('SELECT seq, hash, body_salt, data_commit FROM events ORDER BY seq').all() as Row[]
    const data = forged.prepare('SELECT event, salt FROM event_data ORDER BY event').all() as { salt: Uint8Array }[]
    expect(rows.length).toBe(5)
    const no = (raw.prepare("SELECT no FROM streams WHERE name = 'run/r2'").get() as { no: number }).no
    raw.exec(`UPDATE events SET at = ${other.clock.now()}, seen = '-/-' WHERE stream = ${no}`)
    for (const [index, row] of rows.entries()) {
      raw
        .prepare('UPDATE events SET hash = ?, body_salt = ?, data_commit = ? WHERE stream = ? AND seq = ?')
        .run(row.hash, row.body_salt, row.data_commit, no, row.seq)
      raw
        .prepare('UPDATE event_data SET salt = ? WHERE event = (SELECT id FROM events WHERE stream = ? AND seq = ?)')
        .run(data[index]?.salt ?? new Uint8Array(), no, row.seq)
    }
    forged.close()
    await other.store.close()
    expect(await found()).toEqual(['leaf'])
  })

  interface Row {
    readonly seq: number
    readonly hash: Uint8Array
    readonly body_salt: Uint8Array
    readonly data_commit: Uint8Array | null
  }
})
