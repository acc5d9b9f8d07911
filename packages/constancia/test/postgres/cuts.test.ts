import { flow, open } from 'constancia'
import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { CuttingProxy, type Piece } from './cutting-proxy.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

/**
 * Cuts the connection of one flow's process at each piece that goes over the line, before it, in its middle and after it. By
 * default at every piece in one of the three ways in turn; in all three with `CONSTANCIA_TEST_STORES=all`.
 */
const isAll = process.env['CONSTANCIA_TEST_STORES'] === 'all'
const ways = ['before', 'in the middle of', 'after'] as const
const schema = newSchema()
let url: string
let raw: pg.Client
let proxy: CuttingProxy
let throughProxy: string

beforeAll(async () => {
  url = await databaseUrl()
  raw = await rawConnection(url)
  proxy = new CuttingProxy(Number(new URL(url).port))
  throughProxy = await proxy.open(url)
})

afterAll(async () => {
  await Promise.all([proxy.close(), raw.end()])
  await dropSchema(schema)
})

let executed = 0

const pays = flow({
  name: 'pays',
  version: 1,
  async run(ctx) {
    const first = await ctx.step('charge', () => {
      executed += 1
      return 7
    })
    const cents = await ctx.signal('paid')
    await ctx.sleep(1)
    return [
      first,
      cents,
      await ctx.step('receipt', () => {
        executed += 1
        return 'sent'
      }),
    ]
  },
})

let lastNo = 0

// One life of the flow, in one process. Returns how many pieces went over the line.
async function live(
  fate: (piece: Piece) => ReturnType<CuttingProxy['fate']>,
): Promise<{ pieces: number; kinds: string[] }> {
  const id = `r${lastNo++}`
  executed = 0
  proxy.begin()
  proxy.fate = fate
  const store = postgres({ url: throughProxy, schema, listen: false })
  const runtime = await open({ store, flows: [pays], worker: { pollMs: 100 }, log: () => undefined })
  const run = await runtime.start(pays, null, { id })
  await run.signal('paid', 100, { delivery: 'd1' })
  expect(await run.result()).toEqual([7, 100, 'sent'])
  const events = await run.events()
  verifyChain(runStream(id as never), emptyHead(runStream(id as never)), events)
  const pieces = proxy.count
  proxy.fate = () => 'pass'
  await runtime.close()
  return { pieces, kinds: events.map(({ kind }) => kind).sort() }
}

test('T9 C46 a flow whose connection is cut at any piece of any message ends the same, and executes each step once', {
  timeout: 600_000,
}, async () => {
  await live(() => 'pass')
  const { pieces, kinds } = await live(() => 'pass')
  expect(kinds.filter((kind) => kind === 'StepCompleted')).toHaveLength(2)
  expect(pieces).toBeGreaterThan(40)
  let cutCount = 0
  for (let place = 0; place < pieces; place += 1) {
    for (const way of isAll ? ways : [ways[place % 3] ?? 'before']) {
      proxy.cutCount = 0
      const cutAt = ({ no, bytes }: Piece) => {
        if (no !== place) return 'pass'
        if (way === 'after') return { cutAfter: bytes.length }
        return { cutAfter: way === 'before' ? 0 : Math.floor(bytes.length / 2) }
      }
      const outcome = await live(cutAt)
      expect([place, way, outcome.kinds]).toEqual([place, way, kinds])
      expect([place, way, executed]).toEqual([place, way, 2])
      cutCount += proxy.cutCount
    }
  }
  expect(cutCount).toBeGreaterThan((pieces * (isAll ? 3 : 1)) / 2)
})
