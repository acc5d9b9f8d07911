import { setTimeout as pause } from 'node:timers/promises'
import { postgres } from 'constancia/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ClaimRef, Store } from '../../dist/store/index.js'
import { systemClock } from '../../dist/store/index.js'
import { claim, create, idOf } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema } from './database.js'

const schema = newSchema()
const leaseMs = 3_000
let store: Store

beforeAll(async () => {
  store = await postgres({ url: await databaseUrl(), schema, listen: false })(partsOf(systemClock))
})

afterAll(async () => {
  await store.close()
  await dropSchema(schema)
})

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

// The thread is up.
async function untilRenewed(run: string): Promise<void> {
  const leaseOf = async (): Promise<number | undefined> => (await store.run(idOf(run)))?.claim?.leaseUntilMs
  const before = await leaseOf()
  while ((await leaseOf()) === before) await pause(10)
}

interface Blocked {
  readonly isHeld: boolean
  readonly lost: readonly ClaimRef[]
}

async function afterBlock(run: string, stallMs: number): Promise<Blocked> {
  const lost: ClaimRef[] = []
  await create(store, run)
  const [taken] = await claim(store, 1, leaseMs)
  const heart = store.heartbeat({ leaseMs, stallMs, onLost: (one) => lost.push(one) })
  if (taken === undefined) throw new Error('a run was to be due')
  heart.hold(taken)
  await untilRenewed(run)
  block(leaseMs * 2)
  // The database's clock decides, before this process has done anything else.
  const [again] = await claim(store, 1, leaseMs)
  await heart.stop()
  return { isHeld: again === undefined, lost }
}

test('R-C2 an event loop that is busy for two leases keeps its runs', async () => {
  expect(await afterBlock('r1', 60_000)).toEqual({ isHeld: true, lost: [] })
  expect((await store.run(idOf('r1')))?.epoch).toBe(1)
})

test('R-C2 a process whose event loop stands still for longer than it may gives its runs up', async () => {
  const given = await claim(store, 10, leaseMs)
  for (const one of given) await store.release(one)
  await store.decide({
    run: idOf('r1'),
    delivery: undefined,
    by: 'x',
    seen: '-/-',
    decide: () => ({ drafts: [{ kind: 'FlowCompleted', body: '{}', data: undefined }], result: 0 }),
  })
  const { isHeld, lost } = await afterBlock('r2', leaseMs / 2)
  expect(isHeld).toBe(false)
  // Whether it hears of it before its heart is stopped is up to the machine.
  expect(lost.length).toBeLessThanOrEqual(1)
})

test('a heartbeat that is stopped while it connects ends', async () => {
  await create(store, 'r3')
  const [taken] = await claim(store, 1, leaseMs)
  if (taken === undefined) throw new Error('a run was to be due')
  for (const delayMs of [0, 20, 40, 60, 80]) {
    const heart = store.heartbeat({ leaseMs, stallMs: 60_000, onLost: () => undefined })
    heart.hold(taken)
    await pause(delayMs)
    await heart.stop()
  }
})
