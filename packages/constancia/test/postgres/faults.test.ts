import { flow, open, seconds } from 'constancia'
import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  emptyHead,
  type Head,
  headOf,
  runStream,
  type StoredEvent,
  type StreamId,
  verifyChain,
} from '../../dist/journal/index.js'
import { type Claim, type Store, systemClock } from '../../dist/store/index.js'
import { append, claim, create, idOf, started, stepped } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { CuttingProxy, type Piece } from './cutting-proxy.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

let url: string
let raw: pg.Client
let proxy: CuttingProxy
let throughProxy: string
let schema: string

beforeAll(async () => {
  url = await databaseUrl()
  raw = await rawConnection(url)
  proxy = new CuttingProxy(Number(new URL(url).port))
  throughProxy = await proxy.open(url)
})

beforeEach(() => {
  schema = newSchema()
  proxy.fate = () => 'pass'
  proxy.cutCount = 0
  return () => dropSchema(schema)
})

afterAll(async () => {
  await Promise.all([proxy.close(), raw.end()])
})

function opened(warnings: string[] = [], waitMsMax = 20_000): Promise<Store> {
  return postgres({ url: throughProxy, schema, listen: false, waitMsMax })(partsOf(systemClock, warnings))
}

async function owned(store: Store, run: string): Promise<Claim> {
  await create(store, run)
  const [taken] = await claim(store)
  if (taken === undefined) throw new Error('a run was to be due')
  return taken
}

/** Cuts the connection once: at the first request that names this function or statement, or at the answer to it. */
function cutAt(word: string, place: 'request' | 'answer'): void {
  let isArmed = false
  let isDone = false
  proxy.fate = ({ from, bytes }: Piece) => {
    if (isDone) return 'pass'
    if (from === 'client' && bytes.includes(word)) {
      if (place === 'request') {
        isDone = true
        return { cutAfter: 0 }
      }
      isArmed = true
    } else if (isArmed && from === 'server') {
      isDone = true
      return { cutAfter: 0 }
    }
    return 'pass'
  }
}

async function journal(store: Store, run: string): Promise<string[]> {
  const events = await store.read(runStream(idOf(run)))
  verifyChain(runStream(idOf(run)), emptyHead(runStream(idOf(run))), events)
  return events.map(({ kind }) => kind)
}

describe.each(['request', 'answer'] as const)('C46 a connection that is lost at the %s of', (place) => {
  test('an append: it is stored once, and acknowledged', async () => {
    const store = await opened()
    const taken = await owned(store, 'r1')
    cutAt('.write_one(', place)
    const appended = await append(store, taken)
    expect([appended.kind, proxy.cutCount]).toEqual(['appended', 1])
    expect(await journal(store, 'r1')).toEqual(['FlowStarted', 'StepCompleted'])
    if (appended.kind === 'appended')
      expect(await store.read(runStream(idOf('r1')), { fromSeq: 1 })).toEqual(plain(appended.events))
    await store.close()
  })

  test.each(['.write_plain(', '.write('])(
    'what many runs write at once, in %s…): each of them is as it would have been, those that conflict too',
    async (word) => {
      const store = await opened()
      const claims: Claim[] = []
      for (let index = 0; index < 6; index += 1) claims.push(await owned(store, `r${index}`))
      const late = claims.splice(4, 2)
      const other = await opened() // What this one writes, the first does not know of.
      for (const one of late) await append(other, one)
      await other.close()
      cutAt(word, place)
      const answers = await Promise.all([...claims, ...late].map((one) => append(store, one)))
      expect(proxy.cutCount).toBe(1)
      expect(answers.map(({ kind }) => kind)).toEqual([
        ...claims.map(() => 'appended'),
        ...late.map(() => 'head_conflict'),
      ])
      for (let index = 0; index < 6; index += 1)
        expect(await journal(store, `r${index}`)).toEqual(['FlowStarted', 'StepCompleted'])
      await store.close()
    },
  )

  test('a batch: each of its runs is as it would have been, those that conflict too', async () => {
    const store = await opened()
    const claims: Claim[] = []
    for (let index = 0; index < 5; index += 1) claims.push(await owned(store, `r${index}`))
    const late = claims[4] as Claim
    await append(store, late)
    cutAt('.write(', place)
    const waiting = { kind: 'waiting', wakeAtMs: undefined, waitingFor: [] } as const
    const answers = await Promise.all([
      append(store, claims[0] as Claim),
      store.suspend({ claim: claims[1] as Claim, head: (claims[1] as Claim).head, rest: waiting, readSignalCount: 0 }),
      store.release(claims[2] as Claim),
      store.create({ run: idOf('new'), drafts: [started], by: 'system:test', seen: '-/-' }),
      append(store, late),
    ])
    expect(proxy.cutCount).toBe(1)
    expect([answers[0].kind, answers[1], answers[2], answers[3].kind]).toEqual(['appended', true, true, 'created'])
    expect(answers[4].kind).toBe('head_conflict')
    const statuses = await Promise.all(
      ['r0', 'r1', 'r2', 'new'].map(async (run) => (await store.run(idOf(run)))?.status),
    )
    expect(statuses).toEqual(['running', 'waiting', 'ready', 'ready'])
    expect(await journal(store, 'r4')).toEqual(['FlowStarted', 'StepCompleted'])
    await store.close()
  })

  test('a commit of a decision: its events are there once', async () => {
    const store = await opened()
    await create(store, 'r1')
    cutAt('COMMIT', place)
    const signal = { kind: 'SignalReceived', body: '{"name":"paid","delivery":"d1"}', data: '1' }
    const told = await store.decide({
      run: idOf('r1'),
      delivery: 'd1',
      by: 'principal:bob',
      seen: '-/-',
      decide: ({ delivered }) => ({ drafts: [signal], result: delivered }),
    })
    expect([told, proxy.cutCount]).toEqual([false, 1])
    expect(await journal(store, 'r1')).toEqual(['FlowStarted', 'SignalReceived'])
    await store.close()
  })

  test('the commit of a record: its events are there once, and acknowledged', async () => {
    const store = await opened()
    const stream = 'governance' as StreamId
    const granted = { kind: 'RoleGranted', body: '{}', data: '"why"' }
    const record = (head: Head | undefined) =>
      store.record({ stream, head, drafts: [granted, granted], by: 'principal:ann', seen: '-/-' })
    cutAt('COMMIT', place)
    const first = await record(undefined)
    expect([first.kind, proxy.cutCount]).toEqual(['recorded', 1])
    const events = first.kind === 'recorded' ? first.events : []
    cutAt('COMMIT', place)
    const second = await record(headOf(events[1] as StoredEvent))
    expect([second.kind, proxy.cutCount]).toEqual(['recorded', 2])
    const all = await store.read(stream)
    expect(all.map(({ hash }) => hash)).toEqual(
      [first, second].flatMap((one) => (one.kind === 'recorded' ? one.events.map(({ hash }) => hash) : [])),
    )
    expect(verifyChain(stream, emptyHead(stream), all).seq).toBe(3)
    await store.close()
  })

  test('an append under a basis: it is stored once, and acknowledged', async () => {
    const store = await opened()
    const direct = await postgres({ url, schema, listen: false })(partsOf(systemClock))
    const taken = await owned(store, 'r1')
    const stream = 'governance' as StreamId
    const basis = { stream, head: emptyHead(stream) }
    cutAt('.write_under(', place)
    const request = { claim: taken, head: taken.head, drafts: [stepped()], seen: '-/-', readSignalCount: 0, basis }
    const appended = await store.append(request)
    const drafts = [{ kind: 'RoleGranted', body: '{}', data: undefined }]
    await direct.record({ stream, head: undefined, drafts, by: 'principal:ann', seen: '-/-' })
    expect([appended.kind, proxy.cutCount]).toEqual(['appended', 1])
    expect(await journal(store, 'r1')).toEqual(['FlowStarted', 'StepCompleted'])
    await Promise.all([store.close(), direct.close()])
  })

  test('the commit of a claim: who got it knows it, and its lease was not lost', async () => {
    const store = await opened()
    await create(store, 'r1')
    cutAt('COMMIT', place)
    const [taken] = await claim(store)
    expect([taken?.run, proxy.cutCount]).toEqual(['r1', 1])
    const row = await store.run(idOf('r1'))
    expect([row?.claim?.id, row?.epoch, row?.lostLeaseCount]).toEqual([taken?.id, taken?.epoch, 0])
    expect((await append(store, taken as Claim)).kind).toBe('appended')
    await store.close()
  })
})

function plain<E extends { readonly bodySalt: Uint8Array; readonly dataSalt: Uint8Array | undefined }>(
  events: readonly E[],
): E[] {
  return events.map((event) => ({
    ...event,
    bodySalt: new Uint8Array(event.bodySalt),
    dataSalt: event.dataSalt && new Uint8Array(event.dataSalt),
  }))
}

test('C46 a lost write that the server does only after it was looked for is not stored twice', async () => {
  const store = await opened()
  const taken = await owned(store, 'r1')
  // The server gets the request whole, but waits for the row; the client is cut off meanwhile.
  const blocker = await rawConnection(url)
  await blocker.query(`BEGIN; SELECT 1 FROM "${schema}".runs FOR UPDATE`)
  const appending = append(store, taken)
  await untilWaiting(1)
  proxy.cutAll()
  await untilWaiting(2)
  await blocker.query('COMMIT')
  await blocker.end()
  expect((await appending).kind).toBe('appended')
  expect(await journal(store, 'r1')).toEqual(['FlowStarted', 'StepCompleted'])
  await store.close()
})

async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const sql = `SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`
    if (Number((await raw.query(sql)).rows[0].count) >= count) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('C46 what is stored is not sent again when only the question why the rest is not has to give way', async () => {
  const store = await opened()
  const [sound, late] = [await owned(store, 'r1'), await owned(store, 'r2')]
  const other = await opened()
  await append(other, late)
  await other.close()
  const find = `SELECT pg_get_functiondef(oid) AS sql FROM pg_proc
    WHERE pronamespace = $1::regnamespace AND proname = 'write' AND 'n_priority' = ANY (proargnames)`
  const { sql } = (await raw.query(find, [`"${schema}"`])).rows[0] as { sql: string }
  const once = `BEGIN
    IF nextval('"${schema}".asked') = 1 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '40001'; END IF;`
  await raw.query(`CREATE SEQUENCE "${schema}".asked; ${sql.replace('BEGIN', once)}`)
  const answers = await Promise.all([append(store, sound), append(store, late)])
  expect(answers.map(({ kind }) => kind)).toEqual(['appended', 'head_conflict'])
  expect((await raw.query(`SELECT last_value AS count FROM "${schema}".asked`)).rows).toEqual([{ count: '2' }])
  expect(await journal(store, 'r1')).toEqual(['FlowStarted', 'StepCompleted'])
  await store.close()
})

test('C46 transactions that the database chooses to give way are done again, and nobody hears of it', async () => {
  const store = await opened()
  // Every fifth insert and every fifth update gives way, by numbers that no rollback takes back.
  await raw.query(`
    CREATE SEQUENCE "${schema}".chance;
    CREATE FUNCTION "${schema}".give_way() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE no bigint := nextval('"${schema}".chance');
    BEGIN
      IF no % 10 = 0 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '40001'; END IF;
      IF no % 10 = 5 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '40P01'; END IF;
      RETURN NEW;
    END $body$;
    CREATE TRIGGER chance BEFORE INSERT ON "${schema}".events FOR EACH ROW EXECUTE FUNCTION "${schema}".give_way();
    CREATE TRIGGER chance BEFORE UPDATE ON "${schema}".runs FOR EACH ROW EXECUTE FUNCTION "${schema}".give_way();`)
  for (let index = 0; index < 20; index += 1) {
    const taken = await owned(store, `r${index}`)
    expect((await append(store, taken)).kind).toBe('appended')
    const end = [{ kind: 'FlowCompleted', body: '{}', data: undefined }]
    const decide = () => ({ drafts: end, result: 'ended' })
    expect(await store.decide({ run: taken.run, delivery: undefined, by: 'x', seen: '-/-', decide })).toBe('ended')
    expect(await journal(store, `r${index}`)).toEqual(['FlowStarted', 'StepCompleted', 'FlowCompleted'])
  }
  const { rows } = await raw.query(`SELECT last_value FROM "${schema}".chance`)
  expect(Number(rows[0].last_value)).toBeGreaterThan(100)
  await store.close()
})

test('a database that stays away is told of once, fails what was asked with store_unavailable, and is used again once it is back', async () => {
  const warnings: string[] = []
  const store = await opened(warnings, 400)
  const taken = await owned(store, 'r1')
  proxy.fate = () => ({ cutAfter: 0 })
  const calls = [
    append(store, taken),
    store.run(idOf('r1')),
    store.claim({ worker: 'w', flows: [{ flow: 'f', version: 1 }], limit: 1, leaseMs: 1000, lostLeaseCountMax: 5 }),
  ]
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable' } })
  expect(warnings).toEqual([expect.stringContaining('Runs wait and none fails for it')])
  proxy.fate = () => 'pass'
  expect((await append(store, taken)).kind).toBe('appended')
  await store.close()
})

test('rows that another session holds locked delay what needs them, and are told as store_locked in the end', async () => {
  const store = await opened([], 100)
  await create(store, 'r1')
  const blocker = await rawConnection(url)
  await blocker.query(`BEGIN; SELECT 1 FROM "${schema}".runs FOR UPDATE`)
  expect(await claim(store)).toEqual([])
  const decide = () => ({ drafts: [stepped()], result: 0 })
  const deciding = store.decide({ run: idOf('r1'), delivery: undefined, by: 'x', seen: '-/-', decide })
  await expect(deciding).rejects.toMatchObject({
    code: 'store_locked',
    message: expect.stringContaining('pg_blocking_pids'),
  })
  await blocker.query('ROLLBACK')
  await blocker.end()
  expect(await claim(store)).toHaveLength(1)
  await store.close()
})

test('C46 a worker whose listening connection is ended hears again of what others do', async () => {
  const waits = flow({ name: 'waits', version: 1, run: (ctx) => ctx.signal('go') })
  const store = postgres({ url, schema })
  const worker = await open({ store, flows: [waits], worker: { pollMs: 600_000 }, log: () => undefined })
  const sender = await open({ store, flows: [waits], worker: false, log: () => undefined })
  const latencies: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const run = await sender.start(waits, null, { id: `r${round}` })
    while ((await run.row()).status !== 'waiting') await new Promise((resolve) => setTimeout(resolve, 5))
    if (round === 2) {
      const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN "constancia/${schema}%'`
      expect((await raw.query(kill)).rows.length).toBeGreaterThan(0)
    }
    const sentMs = performance.now()
    await run.signal('go', round)
    expect(await run.result()).toBe(round)
    latencies.push(performance.now() - sentMs)
  }
  // The round in which it was ended: it connects again after half a second, and looks at everything then.
  expect(Math.max(...latencies)).toBeLessThan(seconds(120))
  await Promise.all([worker.close(), sender.close()])
})

test('R-B7 a worker that listens nowhere finds by looking what others start and send', async () => {
  const waits = flow({ name: 'waits', version: 1, run: (ctx) => ctx.signal('go') })
  const store = postgres({ url, schema, listen: false })
  const worker = await open({ store, flows: [waits], worker: { pollMs: 20 }, log: () => undefined })
  const sender = await open({ store, flows: [waits], worker: false, log: () => undefined })
  const run = await sender.start(waits, null)
  while ((await run.row()).status !== 'waiting') await new Promise((resolve) => setTimeout(resolve, 5))
  await run.signal('go', 'now')
  while ((await run.row()).status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 5))
  await Promise.all([worker.close(), sender.close()])
})
