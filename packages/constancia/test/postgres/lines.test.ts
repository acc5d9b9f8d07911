import { createServer } from 'node:net'
import { seconds } from 'constancia'
import { postgres } from 'constancia/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClaimRef, type Store, systemClock } from '../../dist/store/index.js'
import { append, claim, create, idOf } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema } from './database.js'
import { Fleet } from './fleet.js'
import { SqlProxy } from './sql-proxy.js'
import { frameOf } from './wire.js'

/** Lines on which nothing arrives any more, and which nobody closes: a firewall forgot them, or a cable was pulled. */
const schema = newSchema()
let proxy: SqlProxy
let url: string
let store: Store
const warnings: string[] = []

beforeAll(async () => {
  const direct = await databaseUrl()
  proxy = new SqlProxy(Number(new URL(direct).port))
  url = await proxy.open(direct)
  store = await postgres({ url, schema, listen: false, answerMsMax: 1_500 })(partsOf(systemClock, warnings))
})

afterAll(async () => {
  await store.close()
  await proxy.close()
  await dropSchema(schema)
})

function silenceAll(): number {
  for (const line of proxy.lines) line.isSilent = true
  return proxy.lines.length
}

async function owned(run: string) {
  await create(store, run)
  const [taken] = await claim(store)
  if (taken === undefined) throw new Error('a run was to be due')
  return taken
}

test('C46 an append over a line that has gone silent is sent over another one, and stored once', async () => {
  const taken = await owned('r1')
  expect(silenceAll()).toBeGreaterThan(0)
  expect((await append(store, taken)).kind).toBe('appended')
  expect((await store.read(taken.stream)).map(({ kind }) => kind)).toEqual(['FlowStarted', 'StepCompleted'])
  expect(warnings).toHaveLength(1)
})

test('C46 an append whose answer is lost on a line that goes silent is read back, and stored once', async () => {
  const taken = await owned('r2')
  let isDone = false
  proxy.onAsked = ({ sql }, line) => {
    // By its text, or by the end of a group without one: a statement that was prepared before.
    if (isDone || !(/write\w*\(/.test(sql) || sql === 'S')) return
    isDone = true
    // The statement goes through; nothing of its answer does.
    setImmediate(() => {
      line.isSilent = true
    })
  }
  expect((await append(store, taken)).kind).toBe('appended')
  proxy.onAsked = () => undefined
  expect(isDone).toBe(true)
  expect((await store.read(taken.stream)).map(({ kind }) => kind)).toEqual(['FlowStarted', 'StepCompleted'])
})

test('C46 R-C2 leases are kept while the line of their heartbeat goes silent', async () => {
  const taken = await owned('r3')
  const lost: ClaimRef[] = []
  const heart = store.heartbeat({ leaseMs: 9_000, stallMs: 60_000, onLost: (one) => lost.push(one) })
  const beats = (count: number) =>
    new Promise<void>((resolve) => {
      let left = count
      proxy.onAnswered = ({ sql }) => {
        if (sql.includes('RETURNING held.id') && --left === 0) resolve()
      }
    })
  const first = beats(1)
  heart.hold(taken)
  await first
  const next = beats(1)
  const [line] = proxy.linesWith('RETURNING held.id')
  if (line === undefined) throw new Error('the heartbeat was to have a line')
  line.isSilent = true
  await next
  expect(lost).toEqual([])
  expect((await store.run(idOf('r3')))?.claim?.id).toBe(taken.id)
  await heart.stop()
})

test('C46 a worker whose listening line goes silent hears again of what others do, before it would have looked by itself', {
  timeout: 120_000,
}, async () => {
  const fleet = await Fleet.open({ count: 1, store: { url, schema: newSchema() }, worker: { pollMs: 600_000 } })
  await fleet.wakeMs()
  const listening = proxy.linesWith('LISTEN ')
  expect(listening.length).toBeGreaterThan(0)
  for (const line of listening) line.isSilent = true
  // What is sent now is heard by nobody: it is found once the line is known to be dead.
  expect(await fleet.wakeMs()).toBeLessThan(seconds(60))
  expect(await fleet.wakeMs()).toBeLessThan(seconds(60))
  await fleet.close()
})

test('C46 polls find what others do while nobody is told of it', async () => {
  const fleet = await Fleet.open({ count: 1, store: { url, schema: newSchema() }, worker: { pollMs: 100 } })
  await fleet.wakeMs()
  // Whoever connects to listen is not answered either.
  proxy.onAsked = ({ sql }, line) => {
    if (sql.includes('LISTEN ')) line.isSilent = true
  }
  for (const line of proxy.linesWith('LISTEN ')) line.isSilent = true
  for (let count = 0; count < 3; count += 1) expect(await fleet.wakeMs()).toBeLessThan(seconds(60))
  expect(proxy.linesWith('LISTEN ').every(({ isSilent }) => isSilent)).toBe(true)
  proxy.onAsked = () => undefined
  await fleet.close()
})

test('C46 a server that ends a connection with the packet by which it opens it ends no process', async () => {
  const fatal = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0')
  const hello = [frameOf('R', Buffer.alloc(4)), frameOf('Z', Buffer.from('I')), frameOf('E', fatal)]
  let count = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      count += 1
      socket.end(Buffer.concat(hello))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const opening = postgres({ url: `postgres://postgres@127.0.0.1:${port}/x`, waitMsMax: 300 })(partsOf(systemClock))
  await expect(opening).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(count).toBeGreaterThan(1)
  await new Promise((resolve) => server.close(resolve))
})

test('C46 closing ends although no line answers any more, and leaves none open', async () => {
  const before = new Set(proxy.lines)
  const fleet = await Fleet.open({
    count: 1,
    store: { url, schema: newSchema(), answerMsMax: 1_500 },
    worker: { pollMs: 600_000 },
  })
  await fleet.wakeMs()
  const own = proxy.lines.filter((line) => !before.has(line))
  expect(own.length).toBeGreaterThan(3)
  for (const line of own) line.isSilent = true
  await fleet.close()
  // Each would keep the process from ending.
  for (const line of own) while (line.isOpenForClient) await new Promise((resolve) => setTimeout(resolve, 10))
})
