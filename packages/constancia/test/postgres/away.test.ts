import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { flow, open, type Runtime } from 'constancia'
import { postgres } from 'constancia/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Claim, type Store, systemClock } from '../../dist/store/index.js'
import { append, claim, create, idOf, stepped } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { newSchema, rawConnection } from './database.js'
import { OwnServer } from './own-server.js'

/** A server that is not there, or not what it was. It belongs to this file alone. */
let server: OwnServer

beforeAll(async () => {
  server = await OwnServer.open()
}, 600_000)

afterAll(() => server.close())

const limit = { timeout: 120_000 }

const doubles = flow({ name: 'doubles', version: 1, run: (ctx, no: number) => ctx.step('double', () => no * 2) })

function runtime(lines: string[], waitMsMax: number, worker: false | object = {}): Promise<Runtime> {
  const log = (level: string, message: string): void => void lines.push(`${level} ${message}`)
  return open({ store: postgres({ url: server.url, waitMsMax }), flows: [doubles], worker, log })
}

function opened(schema: string, waitMsMax = 60_000): Promise<Store> {
  return postgres({ url: server.url, schema, listen: false, waitMsMax })(partsOf(systemClock))
}

async function owned(store: Store, run: string): Promise<Claim> {
  await create(store, run)
  const [taken] = await claim(store)
  if (taken === undefined) throw new Error('a run was to be due')
  return taken
}

test('C46 a database that is down at start is waited for, told of once, and used when it comes', limit, async () => {
  await server.stop()
  const lines: string[] = []
  const opening = Promise.all([runtime(lines, 100_000), runtime(lines, 100_000)])
  await expect(runtime([], 500, false)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('See that it runs and accepts connections'),
  })
  // One line of each of the two.
  expect(lines).toHaveLength(2)
  await server.start()
  const [worker, other] = await opening
  expect(await (await worker.start(doubles, 21)).result()).toBe(42)
  expect(lines).toHaveLength(2)
  await Promise.all([worker.close(), other.close()])
})

test(
  'C46 a database that goes away later: workers say so once and come back, a call fails with store_unavailable, no run fails',
  limit,
  async () => {
    const lines: string[] = []
    const worker = await runtime(lines, 500, { pollMs: 100 })
    const api = await runtime([], 500, false)
    await (await api.start(doubles, 1)).result()
    await server.stop()
    await expect(api.start(doubles, 2)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(api.runs()).rejects.toMatchObject({ code: 'store_unavailable' })
    // So long that the worker's own looks failed many times.
    await pause(2_000)
    const said = lines.length
    expect(said).toBeGreaterThan(0)
    expect(said).toBeLessThanOrEqual(3)
    await server.start()
    expect(await (await api.start(doubles, 3, { id: 'after' })).result()).toBe(6)
    expect(lines.length).toBe(said)
    await Promise.all([worker.close(), api.close()])
  },
)

test(
  'C46 B3 a server that was demoted behind open connections is left for the one that new connections reach',
  limit,
  async () => {
    const store = await opened(newSchema())
    const taken = await owned(store, 'r1')
    // Sessions that are open may only read from now on; those that begin may write.
    await server.ask(
      'SET default_transaction_read_only = off; ALTER ROLE postgres SET default_transaction_read_only = off',
    )
    await server.set('default_transaction_read_only', 'on')
    expect((await append(store, taken)).kind).toBe('appended')
    const decide = () => ({ drafts: [stepped()], result: 'decided' })
    expect(await store.decide({ run: idOf('r1'), delivery: undefined, by: 'x', seen: '-/-', decide })).toBe('decided')
    await store.close()
    await server.set('default_transaction_read_only', null)
    await server.ask('ALTER ROLE postgres RESET default_transaction_read_only')
  },
)

test(
  'C46 B3 a commit whose wait for a synchronous standby is cancelled is not acknowledged before a standby has it',
  limit,
  async () => {
    const store = await opened(newSchema())
    const taken = await owned(store, 'r1')
    await server.ask('SET synchronous_commit = local')
    await server.set('synchronous_standby_names', 'nobody')
    await untilCommitsWait()
    let answer: string | undefined
    const appending = append(store, taken).then(({ kind }) => {
      answer = kind
    })
    // Cancelled three times, as somebody does who wants to get on. Each time the server says that it is done, with a warning.
    for (let count = 0; count < 3; count += 1) {
      while ((await server.ask(cancelWaits)).length === 0 && answer === undefined) await pause(10)
      await pause(100)
      expect(answer).toBeUndefined()
    }
    await server.set('synchronous_standby_names', null)
    await appending
    expect(answer).toBe('appended')
    expect(await store.read(taken.stream)).toHaveLength(2)
    await store.close()
  },
)

const cancelWaits = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`

// Whether commits wait for a standby is told to them by another process of the server, some time after the setting was read.
async function untilCommitsWait(): Promise<void> {
  const probe = await rawConnection(server.url)
  for (let count = 0, isWaiting = false; !isWaiting; count += 1) {
    let isDone = false
    const committing = probe.query(`CREATE TABLE probe_${count} ()`).then(() => {
      isDone = true
    })
    while (!isDone && !isWaiting) isWaiting = (await server.ask(cancelWaits)).length > 0
    await committing
  }
  await probe.end()
}

test('a standby is refused, with the remedy', limit, async () => {
  await (await opened('later')).close()
  await server.stop()
  // A copy of the data that recovers for ever is a standby that hears of nobody.
  const standby = server.folder('standby')
  execFileSync('cp', ['-a', server.folder(), standby])
  writeFileSync(join(standby, 'standby.signal'), '')
  await server.start(standby)
  for (const schema of ['later', newSchema()]) {
    await expect(opened(schema)).rejects.toMatchObject({
      code: 'store_unsafe',
      message: expect.stringMatching(/standby or a read replica.*No run was touched.*primary server/),
    })
  }
  await server.stop()
  rmSync(standby, { recursive: true })
  await server.start(server.folder())
})
