import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import type { Database, Statement } from '../../dist/store/sqlite/driver.js'
import { resultCodeOf } from '../../dist/store/sqlite/driver.js'
import { rawConnection } from './raw.js'
import { append, claim, create, idOf, type MeddledStore, meddledStore } from './storage.js'
import { makeFolder, openSqlite } from './stores.js'

let folder: string
let file: string

beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'runs.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function expectSound(store: Store, run: string, events: number): Promise<void> {
  const journal = await store.read(runStream(idOf(run)))
  expect(journal).toHaveLength(events)
  expect((await store.run(idOf(run)))?.head).toEqual(
    verifyChain(runStream(idOf(run)), emptyHead(runStream(idOf(run))), journal),
  )
}

describe('a full disk', () => {
  test('rejects every change of the commit with store_full, stores none of it, and leaves the handle usable', async () => {
    const { store, database } = await meddledStore({ file }, (real) => real)
    await create(store, 'r1')
    await create(store, 'r2')
    const [one, other] = await claim(store, 2)
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    database.exec(`PRAGMA max_page_count=${pages + 10}`)
    const outcomes = await Promise.allSettled([append(store, other!), append(store, one!, 1_000_000)])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'store_full', message: expect.stringMatching(/no room/) },
      })
    }
    await expectSound(store, 'r1', 1)
    await expectSound(store, 'r2', 1)
    database.exec('PRAGMA max_page_count=1000000')
    expect(
      (await Promise.all([append(store, other!), append(store, one!, 1_000_000)])).map(({ kind }) => kind),
    ).toEqual(['appended', 'appended'])
    await expectSound(store, 'r1', 2)
    await store.close()
  })
})

describe('a lock of somebody else', () => {
  test('C47 is waited for without blocking the event loop, and nobody sees it', async () => {
    const store = await openSqlite({ file })
    await create(store, 'r0')
    const other = rawConnection(file)
    other.exec('BEGIN IMMEDIATE')
    const created = create(store, 'r1')
    let isPending = true
    const settled = (): void => {
      isPending = false
    }
    created.then(settled, settled)
    // Whoever waits for the lock inside SQLite for longer than stated, 10 ms, lets the loop turn a few times only.
    const turnCount = 100
    for (let turns = 0; turns < turnCount; turns++) await pause(1)
    expect(isPending).toBe(true)
    expect(await store.run(idOf('r1'))).toBeUndefined()
    other.exec('COMMIT')
    other.close()
    expect(await created).toMatchObject({ kind: 'created' })
    await store.close()
  })

  test('ends after busyMsMax with store_locked, and then nothing is stored', async () => {
    const store = await openSqlite({ file, busyMsMax: 100 })
    const other = rawConnection(file)
    other.exec('BEGIN IMMEDIATE')
    const outcomes = await Promise.allSettled([create(store, 'r1'), create(store, 'r2')])
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'store_locked' } })
    other.exec('ROLLBACK')
    expect(await store.run(idOf('r1'))).toBeUndefined()
    expect(await create(store, 'r1')).toMatchObject({ kind: 'created' })
    other.close()
    await store.close()
  })

  test('during opening is waited for as well', async () => {
    const other = rawConnection(file)
    other.exec('PRAGMA journal_mode=WAL; BEGIN IMMEDIATE')
    const opening = openSqlite({ file })
    await pause(100)
    other.exec('ROLLBACK')
    const store = await opening
    expect(await create(store, 'r1')).toMatchObject({ kind: 'created' })
    other.close()
    await store.close()
  })
})

const codes = { ioError: 10, ioErrorOfSync: 1034, full: 13, corrupt: 11, busy: 5 }

describe('an error of the database, at each statement in turn,', () => {
  // Throws an error of SQLite at the n-th statement that runs, once. What SQLite does by itself then is done as well.
  function failing(real: Database, plan: { countdown: number; errcode: number }): Database {
    const strike = (): void => {
      if (--plan.countdown !== 0) return
      // A full disk or a failed write rolls the transaction back.
      if (plan.errcode !== codes.busy && real.isTransaction) real.exec('ROLLBACK')
      throw Object.assign(new Error(`planted ${plan.errcode}`), { code: 'ERR_SQLITE_ERROR', errcode: plan.errcode })
    }
    const struck = <T>(does: () => T): T => {
      strike()
      return does()
    }
    const statementOf = (statement: Statement): Statement => ({
      run: (...values) => struck(() => statement.run(...values)),
      get: (...values) => struck(() => statement.get(...values)),
      all: (...values) => struck(() => statement.all(...values)),
      setReturnArrays: (areArrays) => statement.setReturnArrays(areArrays),
    })
    return {
      get isTransaction() {
        return real.isTransaction
      },
      exec: (sql) => (sql === 'ROLLBACK' ? real.exec(sql) : struck(() => real.exec(sql))),
      prepare: (sql) => statementOf(real.prepare(sql)),
      close: () => real.close(),
    }
  }

  async function appendUnder(plan: {
    countdown: number
    errcode: number
  }): Promise<MeddledStore & { outcomes: string[] }> {
    rmSync(folder, { recursive: true, force: true })
    folder = makeFolder()
    file = join(folder, 'runs.db')
    const armed = { countdown: -1, errcode: plan.errcode }
    const meddled = await meddledStore({ file }, (real) => failing(real, armed))
    await create(meddled.store, 'r1')
    await create(meddled.store, 'r2')
    const claims = await claim(meddled.store, 2)
    armed.countdown = plan.countdown
    const results = await Promise.allSettled(claims.map((one) => append(meddled.store, one)))
    plan.countdown = armed.countdown
    armed.countdown = -1
    return {
      ...meddled,
      outcomes: results.map((result) => (result.status === 'fulfilled' ? result.value.kind : result.reason.code)),
    }
  }

  async function eachStatement(
    errcode: number,
    check: (meddled: MeddledStore & { outcomes: string[] }) => Promise<void>,
  ): Promise<number> {
    for (let place = 1; ; place++) {
      const plan = { countdown: place, errcode }
      const meddled = await appendUnder(plan)
      if (plan.countdown > 0) {
        await meddled.store.close()
        return place - 1
      }
      await check(meddled)
      await meddled.store.close()
    }
  }

  test('busy: is tried again, and nothing is doubled', async () => {
    const fired = await eachStatement(codes.busy, async ({ store, outcomes }) => {
      expect(outcomes).toEqual(['appended', 'appended'])
      await expectSound(store, 'r1', 2)
      await expectSound(store, 'r2', 2)
    })
    expect(fired).toBeGreaterThanOrEqual(7)
  })

  test('full: nothing is stored, and the handle goes on', async () => {
    const fired = await eachStatement(codes.full, async ({ store, outcomes }) => {
      expect(outcomes).toEqual(['store_full', 'store_full'])
      await expectSound(store, 'r1', 1)
      expect(await create(store, 'r3')).toMatchObject({ kind: 'created' })
    })
    expect(fired).toBeGreaterThanOrEqual(7)
  })

  test('a failed write or sync, or damage: is final, everything later fails, and a new handle finds what was acknowledged', async () => {
    for (const [errcode, code] of [
      [codes.ioErrorOfSync, 'store_failed'],
      [codes.ioError, 'store_failed'],
      [codes.corrupt, 'store_damaged'],
    ] as const) {
      const fired = await eachStatement(errcode, async ({ store, outcomes }) => {
        expect(outcomes).toEqual([code, code])
        await expect(create(store, 'r3')).rejects.toMatchObject({ code })
        await expect(store.run(idOf('r1'))).rejects.toMatchObject({ code })
        await store.close()
        const again = await openSqlite({ file })
        await expectSound(again, 'r1', 1)
        await again.close()
      })
      expect(fired).toBeGreaterThanOrEqual(7)
    }
  })
})

test('errors without a number are told by their text', () => {
  const of = (message: string) => resultCodeOf(Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' }))
  expect([of('database is locked'), of('database disk image is malformed'), of('disk I/O error')]).toEqual([5, 11, 10])
  expect(resultCodeOf(new Error('database is locked'))).toBeUndefined()
  expect(resultCodeOf(undefined)).toBeUndefined()
})
