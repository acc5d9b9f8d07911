import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sqlite } from 'constancia/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Change, systemClock } from '../../dist/store/index.js'
import { Bell } from '../../dist/store/sqlite/bell.js'
import { rawConnection } from './raw.js'
import { scriptedClock } from './scripted-clock.js'
import { create } from './storage.js'
import { makeFolder, openSqlite, partsOf } from './stores.js'

let folder: string
let file: string

beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'runs.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000 && !isSo(); tries++) await pause(5)
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

test('with a poll of 0 nobody is listened to', async () => {
  const store = await openSqlite({ file, watchPollMs: 0 })
  const other = await openSqlite({ file })
  const changes: Change[] = []
  store.watch((change) => changes.push(change))
  await create(other, 'r1')
  await pause(100)
  expect(changes).toEqual([])
  await Promise.all([store.close(), other.close()])
})

test('a file of shared memory that was deleted and made anew is listened to again', async () => {
  let looks = 0
  const look = (): boolean => ++looks > 0
  const bell = new Bell({ file, clock: systemClock, look })
  expect(bell.renew()).toBe(false)
  writeFileSync(`${file}-shm`, 'x')
  expect(bell.renew()).toBe(true)
  writeFileSync(`${file}-new`, 'y')
  renameSync(`${file}-new`, `${file}-shm`)
  expect(bell.renew()).toBe(true)
  await pause(50)
  const before = looks
  appendFileSync(`${file}-shm`, 'z')
  await until(() => looks > before)
  bell.stop()
})

test('whoever commits without ringing is found late once, and soon from then on', async () => {
  const clock = scriptedClock(Date.UTC(2026, 0, 1))
  const store = await sqlite({ file, watchPollMs: 25 })(partsOf(clock))
  const raw = rawConnection(file)
  const changes: Change[] = []
  store.watch((change) => changes.push(change))
  const write = (): void => raw.exec('UPDATE runs SET epoch = epoch; PRAGMA user_version=2')
  write()
  await clock.advance(200)
  expect(changes).toHaveLength(0)
  await clock.advance(50)
  expect(changes).toHaveLength(1)
  write()
  await clock.advance(25)
  expect(changes).toHaveLength(2)
  raw.close()
  await store.close()
})

test('whoever commits all the time is told of it now and then, and of the last commit for certain', async () => {
  writeFileSync(`${file}-shm`, '')
  const clock = scriptedClock(0)
  let version = 0
  let seen = 0
  let told = 0
  const look = (): boolean => {
    if (seen === version) return false
    seen = version
    return ++told > 0
  }
  const bell = new Bell({ file, clock, look })
  bell.renew()
  for (let count = 0; count < 20; count++) {
    version++
    appendFileSync(`${file}-shm`, 'x')
    await pause(2)
  }
  await until(() => told > 0)
  expect(told).toBe(1)
  await clock.advance(1000)
  expect([told, seen]).toEqual([2, 20])
  bell.stop()
})
