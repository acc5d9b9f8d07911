import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Change, systemClock } from '../../dist/store/index.js'
import { WalWatch } from '../../dist/store/sqlite/wal-watch.js'
import { scriptedClock } from './scripted-clock.js'
import { create } from './storage.js'
import { makeFolder, openSqlite } from './stores.js'

let folder: string
let file: string

beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'runs.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isSo(); tries++) await pause(5)
  expect(isSo()).toBe(true)
}

test('what another process commits is told of long before the next look that nobody asked for', async () => {
  const store = await openSqlite({ file, watchPollMs: 3_600_000 })
  const other = await openSqlite({ file })
  const changes: Change[] = []
  store.watch((change) => changes.push(change))
  await create(other, 'r1')
  await until(() => changes.length > 0)
  expect(changes[0]).toEqual({ run: undefined, headSeq: undefined, due: true, outbox: true })
  await Promise.all([store.close(), other.close()])
})

test('with a poll of 0 the system is not asked', async () => {
  const store = await openSqlite({ file, watchPollMs: 0 })
  const other = await openSqlite({ file })
  const changes: Change[] = []
  store.watch((change) => changes.push(change))
  await create(other, 'r1')
  await pause(100)
  expect(changes).toEqual([])
  await Promise.all([store.close(), other.close()])
})

test('a write-ahead file that was deleted and made anew is watched again', async () => {
  let looks = 0
  const look = (): boolean => ++looks > 0
  const wal = new WalWatch({ file, clock: systemClock, look })
  expect(wal.renew()).toBe(false)
  writeFileSync(`${file}-wal`, 'x')
  expect(wal.renew()).toBe(true)
  writeFileSync(`${file}-new`, 'y')
  renameSync(`${file}-new`, `${file}-wal`)
  expect(wal.renew()).toBe(true)
  await pause(50)
  const before = looks
  appendFileSync(`${file}-wal`, 'z')
  await until(() => looks > before)
  wal.stop()
})

test('however much this process writes itself, there is one chain of looks, and it ends', async () => {
  writeFileSync(`${file}-wal`, '')
  const clock = scriptedClock(0)
  let looks = 0
  const wal = new WalWatch({ file, clock, look: () => ++looks < 0 })
  wal.renew()
  for (let count = 0; count < 200; count++) appendFileSync(`${file}-wal`, 'x')
  await until(() => looks > 0)
  for (let count = 0; count < 200; count++) appendFileSync(`${file}-wal`, 'x')
  await pause(50)
  expect(looks).toBe(1)
  // What was written meanwhile begins it anew, once; then the pauses of a chain pass without a change.
  await clock.advance(1000)
  expect(looks).toBe(1 + 1 + 11)
  wal.stop()
})

test('whoever commits all the time is told of it now and then, and of the last commit for certain', async () => {
  writeFileSync(`${file}-wal`, '')
  const clock = scriptedClock(0)
  let version = 0
  let seen = 0
  let told = 0
  const look = (): boolean => {
    if (seen === version) return false
    seen = version
    return ++told > 0
  }
  const wal = new WalWatch({ file, clock, look })
  wal.renew()
  for (let count = 0; count < 20; count++) {
    version++
    appendFileSync(`${file}-wal`, 'x')
    await pause(2)
  }
  await until(() => told > 0)
  expect(told).toBe(1)
  await clock.advance(1000)
  expect([told, seen]).toEqual([2, 20])
  wal.stop()
})
