import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  draftOf,
  nothingSeen,
  parseRunId,
  runStream,
  type StoredEvent,
  type StreamId,
} from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import type { Database } from '../../dist/store/sqlite/driver.js'
import { rawConnection } from './raw.js'
import { makeFolder, openSqlite } from './stores.js'

const eraser = fileURLToPath(new URL('eraser.mjs', import.meta.url))
const law = 'governance' as StreamId
const secret = 'Ada Lovelace, born in 1815'
const started = draftOf(
  'FlowStarted',
  { flow: 'f', version: 1, actor: null, contract: null, patches: [] },
  `"${secret}"`,
)
// Longer than a page, so that it lies in pages of its own.
const long = { kind: 'Note', body: '{}', data: JSON.stringify(`${secret} `.repeat(1_000)) }
const end = draftOf('FlowCompleted', {}, `"of ${secret}"`)

let folder: string
let store: Store
let raw: Database
let warnings: string[]

beforeEach(async () => {
  folder = makeFolder()
  warnings = []
  store = await openSqlite({ file: join(folder, 'runs.db') }, warnings)
  for (const [id, drafts] of Object.entries({ r1: [started, long, end], r2: [started, end], open: [started] }))
    await store.create({ run: parseRunId(id), drafts, by: 'system:test', seen: nothingSeen })
  raw = rawConnection(join(folder, 'runs.db'))
})

afterEach(async () => {
  raw.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const texts = (run: string, to = 9) => [{ stream: `run/${run}`, from: 0, to }]

function erase(...named: readonly { stream: string; from: number; to: number }[][]) {
  const drafts = [{ kind: 'Erased', body: JSON.stringify({ texts: named.flat(), principal: null }), data: undefined }]
  return store.record({ stream: law, head: undefined, drafts, by: 'principal:ada', seen: nothingSeen })
}

const read = (run: string) => store.read(runStream(parseRunId(run)))
const dataOf = (events: readonly StoredEvent[]) => events.map(({ data }) => data)

/** In how many places the files of the database hold the secret. */
function traces(): number {
  const files = readdirSync(folder).filter((name) => name.startsWith('runs.db'))
  return files.reduce(
    (sum, name) => sum + readFileSync(join(folder, name)).toString('latin1').split(secret).length - 1,
    0,
  )
}

/** Kills a process that makes runs and erases them once it has said so of so many; how many it said. */
async function killedAfter(count: number, file: string): Promise<number> {
  const child = spawn(process.execPath, [eraser, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let told = 0
  for await (const _ of createInterface({ input: child.stdout })) {
    told += 1
    if (told >= count) child.kill('SIGKILL')
  }
  return told
}

describe('R-G7 what is erased from SQLite', () => {
  test('is in none of its files any more, also where it took pages of its own', async () => {
    expect(traces()).toBeGreaterThan(1_000)
    expect((await erase(texts('r1'), texts('r2'))).kind).toBe('recorded')
    // What is left is of the run that goes on.
    expect(traces()).toBe(1)
    expect(warnings).toEqual([])
    expect(dataOf(await read('r1'))).toEqual([undefined, undefined, undefined])
  })

  test('stays in the write-ahead file while somebody reads, which is told', async () => {
    raw.exec('BEGIN; SELECT * FROM events')
    raw.prepare('SELECT count(*) FROM event_data').get()
    await erase(texts('r1'), texts('r2'))
    expect(warnings).toEqual([expect.stringMatching(/runs\.db-wal still holds them.*closes it/)])
    raw.exec('COMMIT')
    // Whoever closes it clears it.
    await store.close()
    expect(traces()).toBe(1)
    store = await openSqlite({ file: join(folder, 'runs.db') })
  })

  test('goes whole or not at all: what stops it in the middle leaves every text, and no event', async () => {
    const before = [await read('r1'), await read('r2')]
    raw.exec(`CREATE TRIGGER stop BEFORE DELETE ON event_data
      WHEN OLD.event = (SELECT max(id) FROM events WHERE kind = 'FlowCompleted') BEGIN SELECT RAISE(FAIL, 'stopped'); END`)
    await expect(erase(texts('r1'), texts('r2'))).rejects.toThrow(/stopped/)
    expect([await read('r1'), await read('r2')]).toEqual(before)
    expect(await store.read(law)).toEqual([])
    raw.exec('DROP TRIGGER stop')
    expect((await erase(texts('r1'), texts('r2'))).kind).toBe('recorded')
  })

  test('T6 goes whole or not at all where the process that erases is killed', { timeout: 120_000 }, async () => {
    let erasedCount = 0
    for (let round = 0; round < 3; round += 1) {
      const file = join(folder, `killed-${round}.db`)
      const told = await killedAfter(5 + round, file)
      const left = await openSqlite({ file })
      const named = new Set(
        (await left.read(law)).flatMap(({ body }) =>
          (JSON.parse(body) as { texts: { stream: string }[] }).texts.map(({ stream }) => stream),
        ),
      )
      expect(named.size).toBeGreaterThanOrEqual(told)
      const { items } = await left.runs({ limit: 1_000 })
      for (const { id } of items) {
        const there = dataOf(await left.read(runStream(id))).filter((data) => data !== undefined).length
        expect([id, there]).toEqual([id, named.has(`run/${id}`) ? 0 : 52])
      }
      erasedCount += named.size
      await left.close()
    }
    expect(erasedCount).toBeGreaterThanOrEqual(18)
  })

  test('stays away when the store is opened again', async () => {
    await erase(texts('r1'))
    const events = await read('r1')
    await store.close()
    store = await openSqlite({ file: join(folder, 'runs.db') })
    expect(await read('r1')).toEqual(events)
  })
})

describe('R-A1 R-G7 nothing else is deleted than what the last event of governance names:', () => {
  const rowsOf = (table: string): unknown[] => raw.prepare(`SELECT * FROM ${table}`).all()
  const of = (run: string) =>
    `event IN (SELECT e.id FROM events AS e JOIN streams AS s ON s.no = e.stream WHERE s.name = 'run/${run}')`

  beforeEach(async () => {
    await erase(texts('r1', 1))
  })

  const recordedBy = (kind: string, stream: string): string => `
    INSERT INTO events (stream, seq, kind, body, body_salt, at, by, seen, hash)
    SELECT stream, seq + 1, '${kind}', '{"texts":[{"stream":"${stream}","from":0,"to":9}]}', body_salt, at, by, seen, hash
    FROM events WHERE stream = (SELECT no FROM streams WHERE name = 'governance') ORDER BY seq DESC LIMIT 1;`

  const attacks: Readonly<Record<string, string>> = {
    'the rest of the run': `DELETE FROM event_data WHERE ${of('r1')}`,
    'another run': `DELETE FROM event_data WHERE ${of('r2')}`,
    everything: 'DELETE FROM event_data',
    'a run that goes on, though it is named': `${recordedBy('Erased', 'run/open')} DELETE FROM event_data WHERE ${of('open')}`,
    'a run that an event of another kind names': `${recordedBy('Wiped', 'run/r2')} DELETE FROM event_data WHERE ${of('r2')}`,
    'what is named, with its events': `${recordedBy('Erased', 'run/r2')} DELETE FROM events WHERE id IN (SELECT id FROM events WHERE kind = 'FlowCompleted')`,
    'what is named, but changed instead': `${recordedBy('Erased', 'run/r2')} UPDATE event_data SET text = '"x"'`,
  }
  for (const [name, sql] of Object.entries(attacks)) {
    test(`${name} is refused`, () => {
      const before = rowsOf('event_data')
      expect(before).toHaveLength(4)
      expect(() => raw.exec(sql)).toThrow(/append-only/)
      expect(rowsOf('event_data')).toEqual(before)
    })
  }

  test('what a later event of governance follows is not named any more', async () => {
    raw.exec(recordedBy('Erased', 'run/r2'))
    raw.exec(recordedBy('RoleGranted', 'x'))
    expect(() => raw.exec(`DELETE FROM event_data WHERE ${of('r2')}`)).toThrow(/append-only/)
  })
})
