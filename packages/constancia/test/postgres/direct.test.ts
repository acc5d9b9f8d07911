import { postgres } from 'constancia/postgres'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Head } from '../../dist/journal/index.js'
import { emptyHead, headOf, runStream, verifyChain } from '../../dist/journal/index.js'
import { type Claim, type Store, systemClock } from '../../dist/store/index.js'
import { claim, create, idOf, stepped } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { CuttingProxy } from './cutting-proxy.js'
import { databaseUrl, dropSchema, newSchema } from './database.js'

// Statements are prepared by name on connections that lead straight to a server process, and nowhere else.

let proxy: CuttingProxy
let throughProxy: string
let schema: string

beforeAll(async () => {
  const url = await databaseUrl()
  proxy = new CuttingProxy(Number(new URL(url).port))
  throughProxy = await proxy.open(url)
})

beforeEach(() => {
  schema = newSchema()
  proxy.fate = () => 'pass'
  return () => dropSchema(schema)
})

afterAll(() => proxy.close())

const named = /constancia\/[0-9a-f]{32}/

function opened(): Promise<Store> {
  return postgres({ url: throughProxy, schema, listen: false })(partsOf(systemClock))
}

/** Appends to a run, one event after the other; calls back after each. */
async function appendAll(store: Store, count: number, appended: (no: number) => void = () => undefined): Promise<void> {
  await create(store, 'r1')
  const [owner] = (await claim(store)) as [Claim]
  let head: Head = owner.head
  for (let no = 1; no <= count; no += 1) {
    const request = { claim: owner, head, drafts: [stepped()], seen: '-/-', readSignalCount: 0 }
    const answer = await store.append(request)
    if (answer.kind !== 'appended') throw new Error(`an append was answered with ${answer.kind}`)
    head = headOf(answer.events[0] as never)
    appended(no)
  }
  const stream = runStream(idOf('r1'))
  const events = await store.read(stream)
  expect(events).toHaveLength(count + 1)
  verifyChain(stream, emptyHead(stream), events)
}

/** The place of the server process's number in a piece that greets, or -1. */
function greetingIn(bytes: Buffer): number {
  const place = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  return place < 0 ? -1 : place + 5
}

test('what a lone run writes is parsed by a server process once', async () => {
  const texts: string[] = []
  proxy.fate = ({ from, bytes }) => {
    if (from === 'client' && named.test(bytes.toString('latin1'))) texts.push(bytes.toString('latin1'))
    return 'pass'
  }
  const store = await opened()
  await appendAll(store, 5)
  await store.close()
  expect(texts).toHaveLength(5)
  expect(texts.filter((text) => text.includes('.write_one('))).toHaveLength(1)
})

test('where another process than the one that answers has greeted, as a pooler does, nothing is prepared by name', async () => {
  let greetingCount = 0
  let namedCount = 0
  proxy.fate = ({ from, bytes }) => {
    const place = from === 'server' ? greetingIn(bytes) : -1
    if (place >= 0) {
      bytes.writeUInt8(bytes.readUInt8(place + 3) ^ 1, place + 3)
      greetingCount += 1
    }
    if (from === 'client' && named.test(bytes.toString('latin1'))) namedCount += 1
    return 'pass'
  }
  const store = await opened()
  await appendAll(store, 5)
  await store.close()
  expect(greetingCount).toBeGreaterThan(0)
  expect(namedCount).toBe(0)
})

test('a server process that does not know what was prepared is asked again without: the event is stored once', async () => {
  let namedCount = 0
  let isToForget = false
  proxy.fate = ({ from, bytes }) => {
    const place = from === 'client' ? bytes.toString('latin1').search(named) : -1
    if (place < 0) return 'pass'
    namedCount += 1
    if (isToForget) bytes.write('another', place)
    return 'pass'
  }
  const store = await opened()
  await appendAll(store, 5, (no) => {
    isToForget = no === 2
  })
  await store.close()
  // The third try by name was in vain, and no other was made.
  expect(namedCount).toBe(3)
})
