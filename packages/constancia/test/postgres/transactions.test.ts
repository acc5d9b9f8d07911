import type { PostgresOptions, PostgresTransaction } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { type Appended, type Claim, type Store, systemClock, type WithinResult } from '../../dist/store/index.js'
import { claim, create, idOf, stepped } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { CuttingProxy, type Piece } from './cutting-proxy.js'
import { databaseUrl, rawConnection } from './database.js'
import { takeSchema, type UsedSchema } from './used-schemas.js'

let url: string
let raw: pg.Client
let proxy: CuttingProxy
let throughProxy: string
let used: UsedSchema
let schema: string
let store: Store

beforeAll(async () => {
  url = await databaseUrl()
  raw = await rawConnection(url)
  proxy = new CuttingProxy(Number(new URL(url).port))
  throughProxy = await proxy.open(url)
})

beforeEach(async () => {
  used = await takeSchema('real')
  schema = used.name
  proxy.fate = () => 'pass'
  proxy.cutCount = 0
  store = await opened()
  await raw.query(`CREATE TABLE ${schema}.notes (no INTEGER PRIMARY KEY, text TEXT NOT NULL)`)
  return async () => {
    await store.close()
    await raw.query(`DROP TABLE ${schema}.notes`)
    await used.giveBack()
  }
})

afterAll(async () => {
  await Promise.all([proxy.close(), raw.end()])
})

function opened(options: PostgresOptions = {}): Promise<Store> {
  return used.factory({ url: throughProxy, listen: false, waitMsMax: 20_000, ...options })(partsOf(systemClock))
}

async function owned(...runs: readonly string[]): Promise<readonly Claim[]> {
  for (const run of runs) await create(store, run)
  return claim(store, runs.length)
}

/** What became of an append, how often its effect was begun, and what it came to. */
interface Came {
  readonly answer: Appended
  readonly callCount: number
  readonly results: readonly WithinResult[]
}

type Effect = (tx: PostgresTransaction, callNo: number) => unknown

async function effect(of: Claim | undefined, run: Effect, on = store): Promise<Came> {
  if (of === undefined) throw new Error('a run was to be due')
  const results: WithinResult[] = []
  let callCount = 0
  const answer = await on.append({
    claim: of,
    head: of.head,
    drafts: [stepped()],
    seen: '-/-',
    readSignalCount: 0,
    within: {
      database: 'postgres',
      run: (tx) => run(tx as PostgresTransaction, callCount++),
      outcome: (result) => {
        results.push(result)
        return [{ kind: 'error' in result ? 'StepFailed' : 'TimerFired', body: '{"op":"1"}', data: undefined }]
      },
    },
  })
  return { answer, callCount, results }
}

const note = (no: number) => (tx: PostgresTransaction) =>
  tx.query(`INSERT INTO ${schema}.notes (no, text) VALUES ($1, $2)`, [no, 'x'])
const change = (tx: PostgresTransaction, no: number) =>
  tx.query(`UPDATE ${schema}.notes SET text = text || 'y' WHERE no = $1`, [no])

async function notes(): Promise<(readonly [number, string])[]> {
  const { rows } = await raw.query(`SELECT no, text FROM ${schema}.notes ORDER BY no`)
  return rows.map(({ no, text }) => [no, text])
}

async function kinds(run: string): Promise<string[]> {
  const stream = runStream(idOf(run))
  const events = await store.read(stream)
  verifyChain(stream, emptyHead(stream), events)
  return events.map(({ kind }) => kind)
}

const failed = ['FlowStarted', 'StepCompleted', 'StepFailed']
const done = ['FlowStarted', 'StepCompleted', 'TimerFired']

/** Cuts the connection once: at the first request that names this, or at the answer to it. */
function cutAt(word: string, place: 'request' | 'answer'): void {
  let isArmed = false
  let isDone = false
  proxy.fate = ({ from, bytes }: Piece) => {
    if (isDone) return 'pass'
    const isAsked = from === 'client' && bytes.includes(word)
    if (isAsked && place === 'answer') isArmed = true
    if (!(isAsked && place === 'request') && !(isArmed && from === 'server')) return 'pass'
    isDone = true
    return { cutAfter: 0 }
  }
}

/** Opens for each of so many once all of them are there. */
function barrier(count: number): () => Promise<void> {
  let open = (): void => undefined
  const opens = new Promise<void>((resolve) => {
    open = resolve
  })
  let missing = count
  return () => {
    if (--missing === 0) open()
    return opens
  }
}

describe('an effect in PostgreSQL', () => {
  test.each([
    ['COMMIT', 'request', 2],
    ['COMMIT', 'answer', 1],
    ['INSERT INTO test_', 'request', 2],
    ['INSERT INTO test_', 'answer', 2],
    ['.write(', 'answer', 2],
  ] as const)(
    'R-B6 C46 whose connection is lost at %s, at the %s, is there once, with its events',
    async (word, place, expected) => {
      const [one] = await owned('r1')
      cutAt(word, place)
      const { answer, callCount } = await effect(one, note(1))
      expect([proxy.cutCount, callCount, answer.kind]).toEqual([1, expected, 'appended'])
      expect(await kinds('r1')).toEqual(done)
      if (answer.kind === 'appended')
        expect((await store.read(runStream(idOf('r1')))).slice(1).map(({ hash }) => hash)).toEqual(
          answer.events.map(({ hash }) => hash),
        )
      expect(await notes()).toEqual([[1, 'x']])
    },
  )

  test('R-B6 that has to give way to another one is begun again, and is there once', async () => {
    const [one, two] = await owned('r1', 'r2')
    await raw.query(`INSERT INTO ${schema}.notes VALUES (1, ''), (2, '')`)
    const both = barrier(2)
    const crossing =
      (first: number, second: number): Effect =>
      async (tx, callNo) => {
        await change(tx, first)
        if (callNo === 0) await both()
        await change(tx, second)
      }
    const came = await Promise.all([effect(one, crossing(1, 2)), effect(two, crossing(2, 1))])
    expect(came.reduce((sum, { callCount }) => sum + callCount, 0)).toBeGreaterThan(2)
    expect([await kinds('r1'), await kinds('r2')]).toEqual([done, done])
    expect(await notes()).toEqual([
      [1, 'yy'],
      [2, 'yy'],
    ])
  })

  test('R-B6 that makes nothing of a statement that failed has failed, and is undone', async () => {
    const [one] = await owned('r1')
    const { results } = await effect(one, async (tx) => {
      await note(1)(tx)
      await note(1)(tx).catch(() => undefined)
    })
    expect(results).toMatchObject([{ error: { code: '23505' } }])
    expect(await kinds('r1')).toEqual(failed)
    expect(await notes()).toEqual([])
  })

  test('R-B6 that does not wait for a statement which fails has failed, and is undone', async () => {
    const [one] = await owned('r1')
    const { results } = await effect(one, async (tx) => {
      await note(1)(tx)
      note(1)(tx).catch(() => undefined)
    })
    expect(results).toMatchObject([{ error: { code: '23505' } }])
    expect(await notes()).toEqual([])
  })

  test('R-B6 that breaks a rule which is looked at by the commit has failed, and is undone', async () => {
    const [one] = await owned('r1')
    await raw.query(`ALTER TABLE ${schema}.notes ADD COLUMN other INTEGER
      REFERENCES ${schema}.notes (no) DEFERRABLE INITIALLY DEFERRED`)
    const { results } = await effect(one, (tx) => tx.query(`INSERT INTO ${schema}.notes VALUES (1, 'x', 7)`))
    expect(results).toMatchObject([{ error: { code: '23503' } }])
    expect(await kinds('r1')).toEqual(failed)
    expect(await notes()).toEqual([])
  })

  test('keeps neither leases nor whoever changes the law waiting, nor decisions about its run', async () => {
    const [one] = await owned('r1')
    const other = await opened()
    const meanwhile = async (tx: PostgresTransaction): Promise<void> => {
      await note(1)(tx)
      expect(await store.renew([one as Claim], 60_000)).toEqual([one])
      const drafts = [{ kind: 'RoleRevoked', body: '{}', data: undefined }]
      const law = { stream: 'governance', head: undefined, drafts, by: 'principal:ada', seen: '-/-' } as never
      expect(await other.record(law)).toMatchObject({ kind: 'recorded' })
      const ask = { run: idOf('r1'), delivery: undefined, by: 'principal:bob', seen: '-/-' }
      expect(await other.decide({ ...ask, decide: () => ({ drafts: [], result: 'decided' }) })).toBe('decided')
    }
    const { callCount } = await effect(one, meanwhile)
    expect(callCount).toBe(1)
    expect(await kinds('r1')).toEqual(done)
    await other.close()
  })

  test('R-B6 that wants what somebody else keeps locked fails in the end, and the store does not', async () => {
    await raw.query(`INSERT INTO ${schema}.notes VALUES (1, '')`)
    const impatient = await opened({ waitMsMax: 300 })
    const [one] = await owned('r1')
    await raw.query('BEGIN')
    await raw.query(`UPDATE ${schema}.notes SET text = 'mine'`)
    const { results } = await effect(one, (tx) => change(tx, 1), impatient)
    await raw.query('ROLLBACK')
    expect(results).toMatchObject([{ error: { code: '55P03' } }])
    expect(await kinds('r1')).toEqual(failed)
    await impatient.close()
  })

  test('that fails while a statement of it is under way is not kept waiting by it', async () => {
    const patient = await opened({ answerMsMax: 600_000 })
    const [one] = await owned('r1')
    const sleep = `SELECT pg_sleep(3600) AS "${schema}"`
    const oops = new Error('oops')
    const sleeping = (tx: PostgresTransaction): never => {
      tx.query(sleep).catch(() => undefined)
      throw oops
    }
    const { results } = await effect(one, sleeping, patient)
    expect(results).toEqual([{ error: oops }])
    expect(await kinds('r1')).toEqual(failed)
    await patient.close()
    await raw.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1', [sleep])
  })

  test('R-B6 of which a statement was cancelled has failed, and is undone', async () => {
    const [one] = await owned('r1')
    const { results } = await effect(one, async (tx) => {
      await note(1)(tx)
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const slept = tx.query(`SELECT pg_sleep(3600) AS "${schema}"`)
      // Cancelled before it has begun, it would go on.
      const cancel = async (): Promise<void> => {
        for (let isOver = false; !isOver; ) {
          await raw.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid])
          isOver = await Promise.race([
            slept.then(
              () => true,
              () => true,
            ),
            new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
          ])
        }
      }
      await Promise.all([slept, cancel()])
    })
    expect(results).toMatchObject([{ error: { code: '57014' } }])
    expect(await notes()).toEqual([])
  })

  test('executes one statement at a time, and none that would outlive it on its connection', async () => {
    const [one, two] = await owned('r1', 'r2')
    const { results } = await effect(one, (tx) => tx.query('SELECT 1; COMMIT'))
    expect(results).toMatchObject([{ error: { code: '42601' } }])
    await effect(two, async (tx) => {
      for (const text of [
        "SET search_path = 'x'",
        'LISTEN a',
        'PREPARE TRANSACTION $1',
        'RESET ALL',
        'START TRANSACTION',
      ])
        await expect(tx.query(text)).rejects.toMatchObject({ code: 'transaction_misused' })
      const { rows, rowCount } = await tx.query('(SELECT $1::bigint AS big, $2::jsonb AS object)', [5, { a: [1] }])
      expect([rows, rowCount]).toEqual([[{ big: 5, object: { a: [1] } }], 1])
      await note(3)(tx)
    })
    expect([await kinds('r1'), await kinds('r2')]).toEqual([failed, done])
    expect(await notes()).toEqual([[3, 'x']])
  })
})
