import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Draft,
  draftOf,
  emptyHead,
  type Head,
  headOf,
  type StreamId,
  verifyChain,
} from '../../dist/journal/index.js'
import { type Claim, type Store, systemClock } from '../../dist/store/index.js'
import { claim, create, idOf, stepped } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { dropRole, grantsOf, makeRole } from './rights.js'

const law = 'governance' as StreamId
const other = 'zones' as StreamId
const granted: Draft = { kind: 'RoleGranted', body: '{"role":"cfo"}', data: '"why"' }

let url: string
let raw: pg.Client
let schema: string

beforeAll(async () => {
  url = await databaseUrl()
  raw = await rawConnection(url)
})

beforeEach(() => {
  schema = newSchema()
  return () => dropSchema(schema)
})

afterAll(() => raw.end())

function opened(at = url): Promise<Store> {
  return postgres({ url: at, schema, listen: false })(partsOf(systemClock))
}

function record(store: Store, stream = law): ReturnType<Store['record']> {
  return store.record({ stream, head: undefined, drafts: [granted], by: 'principal:ann', seen: '-/-' })
}

function appendUnder(store: Store, { claim: taken, stream, basis }: Under): ReturnType<Store['append']> {
  const request = { claim: taken, head: taken.head, drafts: [stepped()], seen: '-/-', readSignalCount: 0 }
  return store.append({ ...request, basis: { stream, head: basis } })
}

interface Under {
  readonly claim: Claim
  readonly stream: StreamId
  readonly basis: Head
}

function look(store: Store, run: string, basis: StreamId): Promise<number | undefined> {
  const decide = ({ basisHead }: { basisHead: Head | undefined }) => ({ drafts: [], result: basisHead?.seq })
  return store.decide({ run: idOf(run), delivery: undefined, by: 'principal:bob', seen: '-/-', basis, decide })
}

test('R-E11 whoever adds to a stream gets a turn, although decisions under it never pause', async () => {
  const store = await opened()
  const deciders = await Promise.all([opened(), opened(), opened()])
  await create(store, 'r1')
  const life = { isOver: false, count: 0 }
  const decideOn = async (decider: Store, run: string): Promise<void> => {
    while (!life.isOver) {
      await look(decider, run, law)
      life.count += 1
    }
  }
  const names = ['x', 'y', 'z']
  const loops = deciders.flatMap((decider, no) => names.map((name) => decideOn(decider, `${name}${no}`)))
  for (let round = 0; round < 5; round++) expect((await record(store)).kind).toBe('recorded')
  life.isOver = true
  await Promise.all(loops)
  expect(life.count).toBeGreaterThan(0)
  expect(await look(store, 'r1', law)).toBe(4)
  await Promise.all([store, ...deciders].map((one) => one.close()))
})

test('R-E11 decisions and appends under several streams, in any order, and records of them never lock each other out', async () => {
  const stores = await Promise.all([opened(), opened()])
  const [first] = stores
  for (let no = 0; no < 6; no++) await create(first as Store, `r${no}`)
  const claims = await claim(first as Store, 6)
  expect(claims.length).toBe(6)
  const streams = [law, other, 'a' as StreamId]
  for (let round = 0; round < 5; round++) {
    const asked = stores.flatMap((store, no) => {
      const turned = no === 0 ? streams : streams.toReversed()
      const decisions = turned.map((stream, index) => look(store, `r${no}${index}`, stream))
      const appends = turned.map((stream, index) =>
        appendUnder(store, { claim: claims[no * 3 + index] as Claim, stream, basis: emptyHead(stream) }),
      )
      return [...decisions, ...appends, ...turned.map((stream) => record(store, stream))]
    })
    await Promise.all(asked)
  }
  for (const stream of streams)
    expect(verifyChain(stream, emptyHead(stream), await (first as Store).read(stream)).seq).toBe(9)
  await Promise.all(stores.map((one) => one.close()))
})

describe('a server that gives transactions another isolation level', () => {
  test('R-E11 decides by what is there, and refuses what it could not know', async () => {
    const plain = await opened()
    const at = new URL(url)
    at.searchParams.set('options', '-c default_transaction_isolation=repeatable\\ read')
    const store = await opened(at.href)
    await create(plain, 'r1')
    const [taken] = await claim(plain)
    await record(store)
    expect(await look(store, 'r1', law)).toBe(0)
    const [last] = await plain.read(law)
    const basis = last === undefined ? emptyHead(law) : headOf(last)
    await expect(appendUnder(store, { claim: taken as Claim, stream: law, basis })).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('read committed'),
    })
    expect((await appendUnder(plain, { claim: taken as Claim, stream: law, basis })).kind).toBe('appended')
    await Promise.all([plain.close(), store.close()])
  })
})

describe('R-A1 a role with the fewest rights', () => {
  const about = { op: '0', verb: 'approval', name: 'pay' }
  const policy = { roles: ['cfo'], quorum: 1, withinMs: null, escalation: null }
  const asked = { ...about, action: null, contract: '-', rule: null, policy, shown: 'ab' }

  test('records, appends and asks for approvals, and cannot change what was recorded', async () => {
    const owner = await opened()
    const role = `${schema}_worker`
    const address = await makeRole(raw, url, role)
    await raw.query(grantsOf(schema, role))
    const store = await opened(address)
    const events = await record(store)
    await create(store, 'r1')
    const [taken] = await claim(store)
    const head = events.kind === 'recorded' && events.events[0] !== undefined ? headOf(events.events[0]) : undefined
    const drafts = [{ kind: 'ApprovalRequested', body: JSON.stringify(asked), data: '"?"' }]
    const request = { claim: taken as Claim, head: (taken as Claim).head, drafts, seen: '-/-', readSignalCount: 0 }
    expect((await store.append({ ...request, basis: { stream: law, head: head as Head } })).kind).toBe('appended')
    expect((await store.approvals({})).items.map(({ run, status }) => [run, status])).toEqual([['r1', 'open']])
    const worker = await rawConnection(address)
    for (const sql of ["UPDATE events SET body = 'x'", 'DELETE FROM events', "UPDATE event_data SET text = '1'"]) {
      await expect(worker.query(`SET search_path = "${schema}"; ${sql}`)).rejects.toThrow(/permission denied/)
      await expect(raw.query(`SET search_path = "${schema}"; ${sql}`)).rejects.toThrow(/append-only/)
    }
    await raw.query('SET search_path = DEFAULT')
    await Promise.all([worker.end(), store.close(), owner.close()])
    await dropRole(raw, role)
  })

  test('R-A2 approvals that were lost or forged are computed anew by a rebuild, and go with their journal', async () => {
    const store = await opened()
    const drafts = [{ kind: 'ApprovalRequested', body: JSON.stringify(asked), data: '"?"' }]
    for (const run of ['r1', 'r2']) {
      await create(store, run)
      await store.decide({
        run: idOf(run),
        delivery: undefined,
        by: 'principal:bob',
        seen: '-/-',
        decide: () => ({ drafts, result: 0 }),
      })
    }
    const before = await store.approvals({})
    expect(before.items.length).toBe(2)
    await raw.query(`UPDATE "${schema}".approvals SET votes = 7, status = 'approved' WHERE run = 'r1'`)
    await raw.query(`DELETE FROM "${schema}".approvals WHERE run = 'r2'`)
    expect(await store.approvals({})).not.toEqual(before)
    await store.rebuild()
    expect(await store.approvals({})).toEqual(before)
    const ending = [draftOf('FlowCompleted', {}, '1')]
    const end = () => ({ drafts: ending, result: 0 })
    await store.decide({ run: idOf('r1'), delivery: undefined, by: 'principal:bob', seen: '-/-', decide: end })
    await store.purge({ runs: [idOf('r1')], by: 'principal:bob' })
    expect((await raw.query(`SELECT run FROM "${schema}".approvals`)).rows).toEqual([{ run: 'r2' }])
    await store.close()
  })
})
