import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainDrafts, type Draft, draftOf, emptyHead, runStream, type StoredEvent } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import type { Database } from '../../dist/store/sqlite/driver.js'
import { applicationId } from '../../dist/store/sqlite/migrate.js'
import { migrations } from '../../dist/store/sqlite/migrations/index.js'
import { answerOf, start } from './processes.js'
import { rawConnection } from './raw.js'
import { append, claim, idOf, started, stepped } from './storage.js'
import { makeFolder, openSqlite } from './stores.js'

let folder: string
let file: string
let journals: Map<string, StoredEvent[]>

beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'runs.db')
  journals = fileOfSchema1()
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const heldId = 'aa'.repeat(16)
const leaseUntilMs = Date.now() + 3_600_000
const signal = draftOf('SignalReceived', { name: 's', delivery: 'd1' }, '1')

// As the version before wrote it: runs in flight of every kind.
const runs: Readonly<Record<string, { readonly drafts: readonly Draft[]; readonly set: string }>> = {
  ready: { drafts: [started], set: `status = 'ready', due_at = 1` },
  held: {
    drafts: [started, stepped()],
    set: `status = 'running', claim_id = '${heldId}', worker = 'old', epoch = 3, due_at = ${leaseUntilMs}`,
  },
  lost: { drafts: [started], set: `status = 'running', claim_id = '${'bb'.repeat(16)}', worker = 'old', due_at = 1` },
  parked: {
    drafts: [started, stepped()],
    set: `status = 'waiting', waiting_for = '[{"kind":"signal","op":"1","name":"s"}]'`,
  },
  signalled: { drafts: [started, signal], set: `status = 'waiting', signal_count = 1` },
  stuck: { drafts: [started], set: `status = 'stuck', stuck_code = 'nondeterminism', stuck_message = 'm'` },
  ended: {
    drafts: [started, draftOf('FlowCompleted', {}, '1')],
    set: `status = 'completed', outcome = 'completed', ended_at = 7`,
  },
}

function fileOfSchema1(): Map<string, StoredEvent[]> {
  const raw = rawConnection(file)
  raw.exec(`PRAGMA journal_mode=WAL; BEGIN; ${migrations[0]}`)
  raw.exec(`PRAGMA application_id=${applicationId}; PRAGMA user_version=1`)
  const written = new Map<string, StoredEvent[]>()
  for (const [index, [id, { drafts, set }]] of Object.entries(runs).entries()) {
    const stream = runStream(idOf(id))
    const provenance = { stream, nowMs: 5, by: 'system:test', seen: '-/-', salt: () => new Uint8Array(16).fill(index) }
    const events = chainDrafts(emptyHead(stream), drafts, provenance)
    writeJournal(raw, index + 1, events)
    raw.exec(`
      INSERT INTO runs (stream, id, flow, version, outcome, status, signal_count, read_signal_count, epoch, started_at)
        VALUES (${index + 1}, '${id}', 'f', 1, 'open', 'ready', 0, 0, 0, 5);
      UPDATE runs SET ${set} WHERE stream = ${index + 1}`)
    written.set(id, events)
  }
  raw.exec(`INSERT INTO inbox (stream, delivery) SELECT stream, 'd1' FROM runs WHERE id = 'signalled'; COMMIT`)
  raw.close()
  return written
}

function writeJournal(raw: Database, streamNo: number, events: readonly StoredEvent[]): void {
  raw.prepare('INSERT INTO streams (no, name) VALUES (?, ?)').run(streamNo, events[0]!.stream)
  const insert = raw.prepare(`
    INSERT INTO events (stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash)
      VALUES (?, ?, ?, ?, ?, unhex(?), ?, ?, ?, unhex(?))`)
  const insertData = raw.prepare('INSERT INTO event_data (event, salt, text) VALUES (?, ?, ?)')
  for (const { seq, kind, body, bodySalt, data, dataSalt, dataCommit, at, by, seen, hash } of events) {
    const values = [streamNo, seq, kind, body, bodySalt, dataCommit ?? null, at, by, seen, hash]
    const { lastInsertRowid } = insert.run(...values)
    if (data !== undefined && dataSalt !== undefined) insertData.run(Number(lastInsertRowid), dataSalt, data)
  }
}

function schemaNow(): number {
  const raw = rawConnection(file)
  const { user_version: schema } = raw.prepare('PRAGMA user_version').get() as { user_version: number }
  raw.close()
  return schema
}

async function expectIntact(store: Store): Promise<void> {
  for (const [id, events] of journals) expect(await store.read(runStream(idOf(id)))).toEqual(events)
}

describe('C37 a file of schema 1, with runs in flight,', () => {
  test('is brought to the present schema when it is opened, and every journal and row is as it was', async () => {
    expect(schemaNow()).toBe(1)
    const store = await openSqlite({ file })
    expect(schemaNow()).toBe(migrations.length)
    await expectIntact(store)
    const statusOf = async (id: string) => (await store.run(idOf(id)))?.status
    const statuses = await Promise.all(Object.keys(runs).map(statusOf))
    expect(statuses).toEqual(['ready', 'running', 'running', 'waiting', 'waiting', 'stuck', 'completed'])
    expect(await store.run(idOf('parked'))).toMatchObject({
      root: 'parked',
      key: undefined,
      parent: undefined,
      latest: undefined,
      continuedAs: undefined,
      isCancelRequested: false,
      lostLeaseCount: 0,
      waitingFor: [{ kind: 'signal', op: '1', name: 's' }],
    })
    expect(await store.outbox({})).toEqual({ items: [], next: undefined })
    await store.close()
  })

  test('goes on: owners keep their claims, what is due is taken, and deliveries count once', async () => {
    const store = await openSqlite({ file })
    const { head, epoch } = (await store.run(idOf('held')))!
    const stream = runStream(idOf('held'))
    const owner = {
      run: idOf('held'),
      id: heldId as never,
      epoch,
      stream,
      flow: 'f',
      version: 1,
      head,
      lostLeaseCount: 0,
    }
    expect((await append(store, owner)).kind).toBe('appended')
    expect((await claim(store, 10)).map(({ run }) => run).sort()).toEqual(['lost', 'ready'])
    expect((await store.run(idOf('lost')))?.lostLeaseCount).toBe(1)
    const delivered = await store.decide({
      run: idOf('signalled'),
      delivery: 'd1',
      by: 'principal:bob',
      seen: '-/-',
      decide: (facts) => ({ drafts: [], result: facts.delivered }),
    })
    expect(delivered).toBe(true)
    expect(await store.purge({ runs: [idOf('ended'), idOf('ready')], by: 'principal:bob' })).toEqual({
      purged: ['ended'],
    })
    await store.close()
  })

  test('computes the same from its journals as it did before', async () => {
    const store = await openSqlite({ file })
    const before = await store.run(idOf('ended'))
    expect(await store.rebuild()).toEqual({ runCount: 7, eventCount: 11 })
    expect({ ...(await store.run(idOf('ended'))), endedAtMs: 7 }).toEqual(before)
    await store.close()
  })

  test('may be opened by several processes at once', async () => {
    const openers = ['a', 'b', 'c', 'd', 'e'].map((name) => answerOf(start('contender.mjs', ['open', file, '0', name])))
    expect(await Promise.all(openers)).toEqual(openers.map(() => ({ opened: true })))
    expect(schemaNow()).toBe(migrations.length)
    const store = await openSqlite({ file })
    await expectIntact(store)
    expect((await store.runs({})).items).toHaveLength(7 + openers.length)
    await store.close()
  })

  for (const [place, schema] of [
    ['begun', 1],
    ['migrated', 1],
    ['versioned', 1],
    ['committed', migrations.length],
  ] as const) {
    test(`is old or new, and whole, where the migrating process is killed once it has ${place}`, async () => {
      const child = start('dying-migrator.mjs', [file, place])
      const [, signalName] = await once(child, 'close')
      expect(signalName).toBe('SIGKILL')
      expect(schemaNow()).toBe(schema)
      const store = await openSqlite({ file })
      await expectIntact(store)
      expect((await claim(store, 10)).map(({ run }) => run).sort()).toEqual(['lost', 'ready'])
      await store.close()
    })
  }
})
