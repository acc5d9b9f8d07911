import { setImmediate } from 'node:timers/promises'
import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { draftOf, nothingSeen, type OpId, runStream } from '../../dist/journal/index.js'
import { type Created, type Store, systemClock } from '../../dist/store/index.js'
import { idOf, started } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

let raw: pg.Client
let store: Store
let schema: string

beforeAll(async () => {
  raw = await rawConnection()
})

beforeEach(async () => {
  schema = newSchema()
  store = await postgres({ url: await databaseUrl(), schema, listen: false })(partsOf(systemClock))
  return async () => {
    await store.close()
    await dropSchema(schema)
  }
})

afterAll(() => raw.end())

const op = '0' as OpId
const [parent, child] = [idOf('p'), idOf('p~0')]
const wish = draftOf('ChildCancelRequested', { op, child })

async function createParent(): Promise<void> {
  const asked = draftOf('ChildStarted', { op, flow: 'f', version: 1, child, patches: [] }, '1')
  await store.create({ run: parent, drafts: [started, asked], by: 'system:test', seen: nothingSeen })
}

function createChild(): Promise<Created> {
  const draftsIfToEnd = [draftOf('CancelRequested', {})]
  const settles = { run: parent, seq: 1 }
  return store.create({ run: child, drafts: [started], draftsIfToEnd, settles, by: 'system:outbox', seen: nothingSeen })
}

async function kindsOfChild(): Promise<string[]> {
  return (await store.read(runStream(child))).map(({ kind }) => kind)
}

test('C20 R-B8 a child waits for what its parent is about to say, and begins with the wish to end if it was that', async () => {
  await createParent()
  await raw.query(`BEGIN; SELECT 1 FROM "${schema}".runs WHERE id = 'p' FOR NO KEY UPDATE`)
  await raw.query(
    `INSERT INTO "${schema}".outbox (stream, seq, kind, target) SELECT stream, 2, 'cancel', 'p~0' FROM "${schema}".runs`,
  )
  let isBorn = false
  const born = createChild().finally(() => {
    isBorn = true
  })
  const waiting = 'SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))'
  while (!isBorn && (await raw.query(waiting)).rowCount === 0) await setImmediate()
  await raw.query('COMMIT')
  expect((await born).kind).toBe('created')
  expect(await kindsOfChild()).toEqual(['FlowStarted', 'CancelRequested'])
})

test('C20 R-B8 a child begins with the wish to end that is stored in the same transaction', async () => {
  await createParent()
  const decide = () => ({ drafts: [wish], result: undefined })
  const said = store.decide({ run: parent, delivery: undefined, by: 'principal:ann', seen: nothingSeen, decide })
  const [created] = await Promise.all([createChild(), said])
  expect(created.kind).toBe('created')
  // Whichever was asked for first: nobody ever sees the one without the other.
  expect(await kindsOfChild()).toEqual(['FlowStarted', 'CancelRequested'])
})
