import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SqliteTransaction } from 'constancia/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyHead, isPermanent, runStream, verifyChain } from '../../dist/journal/index.js'
import type { Appended, Claim, Store, WithinResult } from '../../dist/store/index.js'
import type { Database } from '../../dist/store/sqlite/driver.js'
import { append, claim, create, idOf, meddledStore, stepped } from './storage.js'
import { makeFolder } from './stores.js'

let folder: string
let store: Store
let database: Database

beforeEach(async () => {
  folder = makeFolder()
  const opened = await meddledStore({ file: join(folder, 'runs.db') }, (real) => real)
  store = opened.store
  database = opened.database
  database.exec('CREATE TABLE notes (text TEXT NOT NULL UNIQUE)')
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function owned(...runs: readonly string[]): Promise<readonly Claim[]> {
  for (const run of runs) await create(store, run)
  return claim(store, runs.length)
}

/** What became of an append, and what its effect came to each time it was called. */
interface Came {
  readonly answer: Appended
  readonly results: readonly WithinResult[]
}

async function effect(of: Claim | undefined, run: (tx: SqliteTransaction) => unknown): Promise<Came> {
  if (of === undefined) throw new Error('a run was to be due')
  const results: WithinResult[] = []
  const answer = await store.append({
    claim: of,
    head: of.head,
    drafts: [stepped()],
    seen: '-/-',
    readSignalCount: 0,
    within: {
      database: 'sqlite',
      run: (tx) => run(tx as SqliteTransaction),
      outcome: (result) => {
        results.push(result)
        return [{ kind: 'error' in result ? 'StepFailed' : 'TimerFired', body: '{"op":"1"}', data: undefined }]
      },
    },
  })
  return { answer, results }
}

const note = (text: string) => (tx: SqliteTransaction) => tx.prepare('INSERT INTO notes VALUES (?)').run(text)

function notes(): unknown[] {
  return (database.prepare('SELECT text FROM notes ORDER BY text').all() as { text: string }[]).map(({ text }) => text)
}

async function kinds(run: string): Promise<string[]> {
  const stream = runStream(idOf(run))
  const events = await store.read(stream)
  verifyChain(stream, emptyHead(stream), events)
  return events.map(({ kind }) => kind)
}

const failed = ['FlowStarted', 'StepCompleted', 'StepFailed']
const done = ['FlowStarted', 'StepCompleted', 'TimerFired']

describe('an effect in SQLite', () => {
  test('R-B6 that returns a promise is undone, and writes nothing once it goes on', async () => {
    const [one] = await owned('r1')
    let goesOn = (): void => undefined
    const waited = new Promise<void>((resolve) => {
      goesOn = resolve
    })
    let later: unknown
    const { results } = await effect(one, async (tx) => {
      note('before')(tx)
      await waited
      try {
        note('after')(tx)
      } catch (error) {
        later = error
      }
    })
    const [{ error }] = results as [{ error: unknown }]
    expect(error).toMatchObject({ code: 'transaction_not_synchronous' })
    expect(isPermanent(error)).toBe(true)
    goesOn()
    await new Promise(setImmediate)
    expect(later).toMatchObject({ code: 'transaction_misused' })
    expect(await kinds('r1')).toEqual(failed)
    expect(notes()).toEqual([])
  })

  test('R-B6 that rolls everything back is undone, and the appends of others beside it are stored once', async () => {
    const [one, two, three] = await owned('r1', 'r2', 'r3')
    database.exec("INSERT INTO notes VALUES ('there')")
    const insert = "INSERT OR ROLLBACK INTO notes VALUES ('there')"
    const answers = await Promise.all([
      effect(one, note('one')),
      effect(two, (tx) => {
        note('two')(tx)
        tx.exec(insert)
      }),
      append(store, three as Claim),
    ])
    expect(answers[1].results.at(-1)).toMatchObject({ error: { message: expect.stringContaining('UNIQUE') } })
    expect(await Promise.all(['r1', 'r2', 'r3'].map(kinds))).toEqual([done, failed, ['FlowStarted', 'StepCompleted']])
    expect(notes()).toEqual(['one', 'there'])
  })

  test('R-B6 that goes on although it has rolled everything back writes nothing outside of the transaction', async () => {
    const [one] = await owned('r1')
    database.exec("INSERT INTO notes VALUES ('there')")
    const ignoring = (call: () => unknown): void => {
      try {
        call()
      } catch {}
    }
    const { answer } = await effect(one, (tx) => {
      const other = tx.prepare("INSERT INTO notes VALUES ('other')")
      ignoring(() => tx.exec("INSERT OR ROLLBACK INTO notes VALUES ('there')"))
      ignoring(() => other.run())
      ignoring(() => note('new')(tx))
    })
    expect(answer.kind).toBe('appended')
    expect(await kinds('r1')).toEqual(failed)
    expect(notes()).toEqual(['there'])
  })

  test('R-B6 that breaks a rule which is looked at by the commit has failed, and nobody else', async () => {
    const [one, two] = await owned('r1', 'r2')
    database.exec('PRAGMA foreign_keys = ON')
    database.exec('CREATE TABLE parents (id INTEGER PRIMARY KEY)')
    database.exec('CREATE TABLE kids (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)')
    const [came] = await Promise.all([
      effect(one, (tx) => tx.exec('INSERT INTO kids VALUES (7)')),
      append(store, two as Claim),
    ])
    expect(came.results.at(-1)).toMatchObject({ error: { message: expect.stringContaining('FOREIGN KEY') } })
    expect([await kinds('r1'), await kinds('r2')]).toEqual([failed, ['FlowStarted', 'StepCompleted']])
    expect(database.prepare('SELECT count(*) AS count FROM kids').get()).toEqual({ count: 0 })
  })

  test('R-B6 goes on after a statement that it let fail, with what it wrote before', async () => {
    const [one] = await owned('r1')
    await effect(one, (tx) => {
      note('a')(tx)
      expect(() => note('a')(tx)).toThrow('UNIQUE')
      note('b')(tx)
    })
    expect(await kinds('r1')).toEqual(done)
    expect(notes()).toEqual(['a', 'b'])
  })

  test('finds no room: nothing of it is stored, no event either, and it is had once there is room', async () => {
    const [one] = await owned('r1')
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    database.exec(`PRAGMA max_page_count=${pages + 10}`)
    const run = note('x'.repeat(1_000_000))
    const swallowed = (tx: SqliteTransaction): void => {
      try {
        run(tx)
      } catch {}
    }
    await expect(effect(one, run)).rejects.toMatchObject({ code: 'store_full' })
    await expect(effect(one, swallowed)).rejects.toMatchObject({ code: 'store_full' })
    expect(await kinds('r1')).toEqual(['FlowStarted'])
    database.exec('PRAGMA max_page_count=1000000')
    await effect(one, run)
    expect(await kinds('r1')).toEqual(done)
    expect(notes()).toHaveLength(1)
  })

  test('may have quotes and comments in its statements, and one statement in each', async () => {
    const [one] = await owned('r1')
    const texts = [`INSERT INTO notes VALUES ('a;b') -- ; c\n;`, `/* ; */ INSERT INTO "notes" VALUES (';')`]
    const { answer } = await effect(one, (tx) => {
      for (const text of texts) tx.exec(text)
      for (const text of ['PRAGMA synchronous=OFF', "ATTACH ':memory:' AS a", 'SELECT 1; SELECT 2', '/* x'])
        expect(() => tx.exec(text)).toThrow(expect.objectContaining({ code: 'transaction_misused' }))
      expect(tx.prepare('SELECT text FROM notes WHERE text = ?').get(';')).toEqual({ text: ';' })
    })
    expect(answer.kind).toBe('appended')
    expect(await kinds('r1')).toEqual(done)
    expect(notes()).toEqual([';', 'a;b'])
  })
})
