import { setTimeout as pause } from 'node:timers/promises'
import { flow, open, type Runtime } from 'constancia'
import { postgres } from 'constancia/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunId } from '../../dist/journal/index.js'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import { OwnServer } from './own-server.js'
import { Acknowledged } from './watched.js'

const killCount = isCampaign ? 1_000 : 30
const workerCount = 4
const stepCount = 8
let server: OwnServer

beforeAll(async () => {
  server = await OwnServer.open()
}, 600_000)

afterAll(() => server.close())

const acknowledged = new Acknowledged()
/** What each key of an effect was asked for. */
const ledger = new Map<string, number>()

const works = flow({
  name: 'works',
  version: 1,
  async run(ctx, no: number) {
    for (let step = 0; step < stepCount; step += 1) {
      await ctx.step(`step ${step}`, ({ key }) => {
        ledger.set(key, (ledger.get(key) ?? 0) + 1)
        return step
      })
    }
    return [no, await ctx.signal('paid')]
  },
})

const lines: string[] = []

// A lease is longer than a slow machine takes to start the server again: whoever loses it executes a step again, and is right to.
function worker(_: unknown, no: number): Promise<Runtime> {
  const store = acknowledged.of(postgres({ url: server.url, waitMsMax: 240_000 }))
  const log = (level: string, message: string): void => void lines.push(`${level} ${message}`)
  const options = { concurrency: 8, leaseMs: 300_000 }
  // Nothing is lost, and nothing may be taken for lost.
  const mark = no === 0 ? { mark: server.folder('works.mark') } : {}
  return open({ store, flows: [works], worker: options, ...mark, log })
}

/** Starts runs and signals them, again and again, until it is told to stop. */
async function load(runtime: Runtime, signal: AbortSignal): Promise<RunId[]> {
  const ids: RunId[] = []
  while (!signal.aborted) {
    const no = ids.length
    const run = await runtime.start(works, no, { id: `r${no}` })
    ids.push(run.id)
    await run.signal('paid', no, { delivery: `d${no}` })
    // Not so many that they would pile up.
    if (no % 32 === 31) await runtime.run(ids[no - 31] as string).result()
  }
  return ids
}

test(`T7 C46 R-A8 PostgreSQL ends by SIGKILL ${killCount} times under load: no run fails, no acknowledged event is lost, no effect is asked for twice`, {
  timeout: limitMs,
}, async () => {
  const workers = await Promise.all(Array.from({ length: workerCount }, worker))
  const [first] = workers as [Runtime]
  const end = new AbortController()
  const loading = load(first, end.signal)
  const killed: number[] = []
  for (let count = 0; count < killCount; count += 1) {
    // It works again, and is in the middle of it.
    await acknowledged.more(40)
    await pause((count * 7) % 20)
    await server.kill()
    killed.push(acknowledged.count)
    await server.start()
  }
  end.abort()
  const ids = await loading
  expect(await first.loss()).toBeUndefined()
  for (const [no, id] of ids.entries()) expect(await first.run(id).result()).toEqual([no, no])
  for (const id of ids) {
    const events = await first.run(id).events()
    acknowledged.judge(id, events)
    expect(events).toHaveLength(stepCount + 3)
  }
  expect([...ledger].filter(([, count]) => count > 1)).toEqual([])
  expect(ledger.size).toBe(ids.length * stepCount)
  // Each of them interrupted work, and each worker said so once at most.
  expect(new Set(killed).size).toBe(killCount)
  expect(lines.length).toBeLessThanOrEqual(killCount * workerCount + workerCount)
  keep('server-kills', { table: () => `${killCount} SIGKILLs, ${ids.length} runs, ${acknowledged.count} events` })
  await Promise.all(workers.map((one) => one.close()))
})
