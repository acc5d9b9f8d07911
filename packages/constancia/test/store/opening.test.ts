import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { draftOf, nothingSeen, parseRunId, runStream } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import { type Database, isFixedVersion, loadDriver } from '../../dist/store/sqlite/driver.js'
import { migrate } from '../../dist/store/sqlite/migrate.js'
import { openAgain } from '../../dist/store/sqlite/open.js'
import { isNetworkFileSystem } from '../../dist/store/sqlite/place.js'
import { rawConnection } from './raw.js'
import { makeFolder, openSqlite } from './stores.js'

const run = parseRunId('r1')
const started = draftOf('FlowStarted', { flow: 'f', version: 1, actor: null, contract: null, patches: [] }, '1')
let folder: string
let file: string

beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'runs.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function filled(events = 1): Promise<void> {
  const store = await openSqlite({ file })
  const notes = Array.from({ length: events }, () => ({ kind: 'Note', body: '{}', data: `"${'x'.repeat(500)}"` }))
  await store.create({ run, drafts: [started, ...notes], by: 'system:test', seen: nothingSeen })
  await store.close()
}

// Nothing of what is refused may have been written to.
async function expectRefusal(code: string, message: RegExp): Promise<void> {
  const before = existsSync(file) ? readFileSync(file) : undefined
  await expect(openSqlite({ file })).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  if (before !== undefined) expect(readFileSync(file).equals(before)).toBe(true)
}

describe('the SQLite store opens', () => {
  test('a new file, and says what it runs with', async () => {
    const store = await openSqlite({ file })
    expect(store.describe()).toMatch(/^SQLite 3\.\d+\.\d+ \(.+\), WAL, synchronous=FULL, \/.*runs\.db$/)
    await store.close()
  })

  test('a file that it made before, also one that was left without closing', async () => {
    const abandoned = await openSqlite({ file })
    await abandoned.create({ run, drafts: [started], by: 'system:test', seen: nothingSeen })
    const store = await openSqlite({ file })
    expect(await store.read(runStream(run))).toHaveLength(1)
    await store.close()
    await abandoned.close()
  })

  test('every connection with settings that were read back', () => {
    writeFileSync(file, '')
    const database = openAgain(file)
    const read = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0]
    expect(read('journal_mode')).toBe('wal')
    expect(read('synchronous')).toBe(2)
    expect(read('mmap_size')).toBe(0)
    expect(read('busy_timeout')).toBe(10)
    database.close()
  })
})

test('a migration that another process made just before is not made again', () => {
  const other = rawConnection(file)
  const database = rawConnection(file)
  const late: Database = {
    isTransaction: false,
    exec: (sql) => {
      if (sql === 'BEGIN IMMEDIATE') migrate(other, file)
      database.exec(sql)
    },
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
  }
  migrate(late, file)
  expect(database.prepare('PRAGMA user_version').get()).toEqual(other.prepare('PRAGMA user_version').get())
  other.close()
  database.close()
})

describe('the SQLite store refuses', () => {
  test('settings that do not hold: a database in memory has no write-ahead log', () => {
    expect(() => openAgain(':memory:')).toThrow(expect.objectContaining({ code: 'store_unsafe' }))
  })

  test('a schema of a later version, and leaves it alone', async () => {
    await filled()
    const raw = rawConnection(file)
    raw.exec('PRAGMA user_version=999')
    raw.close()
    await expectRefusal('store_too_new', /newer version.*schema 999/)
  })

  test('a database of another program, by its application id, and leaves it alone', async () => {
    const raw = rawConnection(file)
    raw.exec('PRAGMA application_id=42; CREATE TABLE theirs (a)')
    raw.close()
    await expectRefusal('store_damaged', /another program/)
  })

  test('a database with tables but without an application id, and leaves it alone', async () => {
    const raw = rawConnection(file)
    raw.exec('CREATE TABLE theirs (a)')
    raw.close()
    await expectRefusal('store_damaged', /another program/)
  })

  test('a file that is no database', async () => {
    writeFileSync(file, 'dear diary, '.repeat(1000))
    await expectRefusal('store_damaged', /cannot be read as a database/)
  })

  test('a file that is shorter than a header', async () => {
    writeFileSync(file, 'SQLite')
    await expectRefusal('store_damaged', /cannot be read as a database/)
  })

  test('a file whose end was cut off', async () => {
    await filled(200)
    truncateSync(file, 3 * 4096)
    await expectRefusal('store_damaged', /cannot be read as a database/)
  })

  test('a file with a page that was overwritten', async () => {
    await filled()
    const bytes = readFileSync(file)
    bytes.fill(0xee, 100, 4096)
    writeFileSync(file, bytes)
    await expectRefusal('store_damaged', /cannot be read as a database/)
  })

  test('a folder that does not exist', async () => {
    file = join(folder, 'missing', 'runs.db')
    await expectRefusal('store_failed', /does not exist.*Create the folder/)
  })

  test('a folder that cannot be written to', async () => {
    file = '/proc/self/runs.db'
    await expect(openSqlite({ file, allowUnsafe: true })).rejects.toMatchObject({ code: 'store_failed' })
  })

  test('a file that is a folder', async () => {
    mkdirSync(file)
    await expect(openSqlite({ file })).rejects.toMatchObject({ code: 'store_failed' })
  })

  test('versions of SQLite with the fault in resetting the write-ahead file', () => {
    for (const fixed of ['3.51.3', '3.51.4', '3.52.0', '3.50.7', '3.44.6', '4.0.0'])
      expect([fixed, isFixedVersion(fixed)]).toEqual([fixed, true])
    for (const faulty of ['3.51.2', '3.51.0', '3.50.6', '3.49.9', '3.45.0', '3.44.5', '3.43.9', '2.8.17']) {
      expect([faulty, isFixedVersion(faulty)]).toEqual([faulty, false])
    }
    const database = loadDriver().open(':memory:')
    const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string }
    expect(isFixedVersion(version)).toBe(true)
    database.close()
  })

  test('network file systems, by the type that the system gives', () => {
    // NFS, SMB, CIFS (also as the negative number that some systems give), SMB 2; ext4, tmpfs, overlay.
    for (const type of [0x6969, 0x517b, 0xff534d42, 0xff534d42 | 0, 0xfe534d42])
      expect(isNetworkFileSystem(type)).toBe(true)
    for (const type of [0xef53, 0x01021994, 0x794c7630]) expect(isNetworkFileSystem(type)).toBe(false)
  })
})

test('a copy of a file in use, with its write-ahead file, opens with every acknowledged event', async () => {
  const store = await openSqlite({ file })
  await store.create({ run, drafts: [started], by: 'system:test', seen: nothingSeen })
  const copy = join(folder, 'copy.db')
  // By another process: to open and close it here would drop the locks of this one.
  for (const end of ['', '-wal']) execFileSync('cp', [file + end, copy + end])
  const opened: Store = await openSqlite({ file: copy })
  expect(await opened.read(runStream(run))).toEqual(await store.read(runStream(run)))
  await Promise.all([opened.close(), store.close()])
})
