import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClaimRef, Store } from '../../dist/store/index.js'
import { answerOf, start } from './processes.js'
import { claim, create, idOf } from './storage.js'
import { makeFolder, openSqlite } from './stores.js'

// Longer than a busy machine takes to start a thread, where a lease is to be kept; where it is to end, short.
const leaseMs = 3_000
const shortLeaseMs = 300
let folder: string
let file: string
let store: Store

beforeEach(async () => {
  folder = makeFolder()
  file = join(folder, 'runs.db')
  store = await openSqlite({ file })
  await create(store, 'r1')
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

// As a flow does that computes: nothing else of this loop runs.
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

// The thread needs a moment to start; it says nothing when it has.
async function untilRenewed(run: string): Promise<void> {
  const leaseOf = async (): Promise<number | undefined> => (await store.run(idOf(run)))?.claim?.leaseUntilMs
  const before = await leaseOf()
  for (let tries = 0; tries < 3_000 && (await leaseOf()) === before; tries++) await pause(10)
  expect(await leaseOf()).not.toBe(before)
}

test('R-C2 a lease is kept while the main loop is blocked for two leases', async () => {
  const lost: ClaimRef[] = []
  const [owner] = await claim(store, 1, leaseMs)
  const heart = store.heartbeat({ leaseMs, stallMs: 60_000, onLost: (one) => lost.push(one) })
  heart.hold(owner!)
  await untilRenewed('r1')
  block(leaseMs * 2.25)
  expect(await claim(store, 1, leaseMs)).toEqual([])
  expect((await store.run(idOf('r1')))?.claim?.id).toBe(owner!.id)
  expect(lost).toEqual([])
})

test('R-C2 a lease ends once the main loop has not turned for stallMs, and the loss is reported once', async () => {
  const lost: ClaimRef[] = []
  const [owner] = await claim(store, 1, leaseMs)
  const stallMs = 1_000
  const heart = store.heartbeat({ leaseMs, stallMs, onLost: (one) => lost.push(one) })
  heart.hold(owner!)
  await untilRenewed('r1')
  block(stallMs + leaseMs * 1.5)
  const [successor] = await claim(store, 1, 60_000)
  expect(successor?.epoch).toBe(2)
  for (let tries = 0; tries < 3_000 && lost.length === 0; tries++) await pause(10)
  await pause(leaseMs) // It beats every third of that, and says nothing more.
  expect(lost.map(({ id }) => id)).toEqual([owner!.id])
  expect((await store.run(idOf('r1')))?.claim?.id).toBe(successor?.id)
})

test('R-C2 without a heartbeat a lease ends', async () => {
  await claim(store, 1, shortLeaseMs)
  await pause(shortLeaseMs + 50)
  expect(await claim(store, 1, shortLeaseMs)).toHaveLength(1)
})

test('renewals touch nothing but the lease', async () => {
  const [owner] = await claim(store, 1, leaseMs)
  const before = await store.run(idOf('r1'))
  store.heartbeat({ leaseMs, stallMs: 60_000, onLost: () => undefined }).hold(owner!)
  await untilRenewed('r1')
  const after = await store.run(idOf('r1'))
  expect({ ...after, claim: undefined }).toEqual({ ...before, claim: undefined })
})

test('a heartbeat does not keep a process alive', async () => {
  expect(await answerOf(start('contender.mjs', ['hold', file, '0', 'h']))).toEqual({ held: true })
})

test('a heart that was stopped renews nothing more', async () => {
  const [owner] = await claim(store, 1, leaseMs)
  const heart = store.heartbeat({ leaseMs, stallMs: 60_000, onLost: () => undefined })
  heart.hold(owner!)
  await untilRenewed('r1')
  await heart.stop()
  await pause(leaseMs + 50)
  expect(await claim(store, 1, leaseMs)).toHaveLength(1)
})

test('R-C2 many leases are all kept, and others come to the lock between them', async () => {
  const count = 600
  await Promise.all(Array.from({ length: count }, (_, index) => create(store, `many${index}`)))
  const manyLeaseMs = 6 * leaseMs
  const owners = await claim(store, count, manyLeaseMs)
  const firstEnd = Math.min(...(await leaseEnds()))
  const heart = store.heartbeat({ leaseMs: manyLeaseMs, stallMs: 60_000, onLost: () => undefined })
  for (const owner of owners) heart.hold(owner)
  let ends = await leaseEnds()
  while (Math.min(...ends) <= firstEnd && Date.now() < firstEnd) {
    await pause(100)
    ends = await leaseEnds()
  }
  expect(Math.min(...ends)).toBeGreaterThan(firstEnd)
  // One beat renews all of them: they end together but for the pauses. Those of one transaction end at the same moment.
  expect(spread(ends)).toBeLessThan(manyLeaseMs / 3)
  expect(new Set(ends).size).toBeGreaterThan(2)
  await heart.stop()
})

async function leaseEnds(): Promise<number[]> {
  const { items } = await store.runs({ status: 'running', limit: 1000 })
  return items.map(({ claim: held }) => held?.leaseUntilMs ?? 0)
}

const spread = (ends: readonly number[]): number => Math.max(...ends) - Math.min(...ends)
