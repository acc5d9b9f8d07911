import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { Fleet } from './fleet.js'
import { Pooler } from './pooler.js'

const backendCount = isCampaign ? 8 : 4
const workerCount = isCampaign ? 32 : 8
const pooler = new Pooler()
const schemas = [newSchema(), newSchema()] as const
let direct: string
let url: string

beforeAll(async () => {
  direct = await databaseUrl()
  url = await pooler.open(direct, backendCount)
})

afterAll(async () => {
  await pooler.close()
  for (const schema of schemas) await dropSchema(schema)
})

test(
  `C46 B3 ${workerCount} workers behind a pooler that lends ${backendCount} connections for a transaction at a time work as without it`,
  async () => {
    const raw = await rawConnection(direct)
    const store = { url, schema: schemas[0], listen: direct, connectionCountMax: 3, waitMsMax: 240_000 }
    const fleet = await Fleet.open({ count: workerCount, store, worker: { pollMs: 600_000, leaseMs: 1_800_000 } })
    const runs = await fleet.start(workerCount * 2)
    await fleet.untilWaiting(runs)
    await fleet.signal(runs)
    await fleet.judge(runs)
    // Advisory locks would belong to whoever is lent the connection next; so would a session's settings and statements.
    const { rows } = await raw.query(`SELECT count(*)::integer AS count FROM pg_locks WHERE locktype = 'advisory'`)
    expect(rows[0].count).toBe(0)
    expect(await fleet.wakeMs()).toBeLessThan(120_000)
    // A machine that is busy may take longer to lend a connection than one is waited for, and then that is said.
    const isLate = (message: string): boolean =>
      /timeout exceeded when trying to connect|due to connection timeout/.test(message)
    expect(fleet.said.filter(({ message }) => !isLate(message))).toEqual([])
    // It was shared, and transactions of one client went to different connections.
    expect(pooler.memberCountMax).toBeGreaterThan(backendCount)
    expect(pooler.movedCount).toBeGreaterThan(pooler.lentCount / 4)
    const table = () =>
      `${pooler.memberCountMax} clients on ${backendCount} connections, ${pooler.lentCount} transactions`
    keep('pooler', { table })
    await fleet.close()
    await raw.end()
  },
  limitMs,
)

test(
  'C46 behind a pooler that listens for nobody, polls find what others did',
  async () => {
    // Runs are told apart by their ids: in a schema where they have ended they would be waited for in vain.
    const store = { url, schema: schemas[1], listen: false } as const
    const fleet = await Fleet.open({ count: 2, store, worker: { pollMs: 200 } })
    for (let count = 0; count < 3; count += 1) await fleet.wakeMs()
    await fleet.close()
  },
  limitMs,
)
