import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { seconds } from 'constancia'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import { Fleet } from './fleet.js'
import { OwnServer } from './own-server.js'
import { SqlProxy } from './sql-proxy.js'

/**
 * What a database does to thirty-two workers at once, one thing after another. They look by themselves only every ten minutes,
 * so that whatever is noticed sooner was heard of; and leases are longer than anything here, so that whoever executes a step twice has no excuse.
 */
const runCount = isCampaign ? 640 : 64
const awayMs = isCampaign ? 20_000 : 3_000
const wakeMsMax = seconds(120)
const storeCount = 33
// Each store has a few calls under way, and each of them pauses longer and longer, up to a second.
const triesMax = 30
const settledMs = 2_000
let server: OwnServer
let proxy: SqlProxy
let fleet: Fleet
let url: string
const report: string[] = []

beforeAll(async () => {
  server = await OwnServer.open({ max_connections: '200' })
  proxy = new SqlProxy(server.port)
  url = await proxy.open(server.url)
  const store = { url, connectionCountMax: 3, waitMsMax: 240_000 }
  fleet = await Fleet.open({ count: 32, store, worker: { pollMs: 600_000, leaseMs: 1_800_000 } })
}, 600_000)

afterAll(async () => {
  await fleet.close()
  await proxy.close()
  await server.close()
  keep('fleet-faults', { table: () => report.join('\n') })
})

/** Runs before, during and after something happens to the database; all of them end well, and a hint wakes a run again. */
async function under(name: string, happen: () => Promise<void>): Promise<void> {
  const sinceMs = performance.now()
  const before = await fleet.start(runCount / 2)
  await fleet.untilWaiting(before)
  const during = fleet.start(runCount / 2)
  await Promise.all([happen(), fleet.signal(before), during.then((runs) => fleet.signal(runs))])
  await fleet.judge([...before, ...(await during)])
  const lineCount = fleet.judgeLines(sinceMs)
  const wakeMs = await fleet.wakeMs()
  expect(wakeMs).toBeLessThan(wakeMsMax)
  report.push(`${name}: ${lineCount} lines of 33 stores, woken afterwards in ${Math.round(wakeMs)} ms`)
}

test('C46 nothing: the measure of what follows', () => under('nothing', async () => undefined), limitMs)

test(
  'C46 B3 of appends, decisions and claims every fifth gives way, by 40001 or 40P01: nobody hears of it',
  async () => {
    await server.ask(`
    CREATE SEQUENCE gave_way_append; CREATE SEQUENCE gave_way_decision; CREATE SEQUENCE gave_way_claim;
    GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO public;
    CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      what text := CASE WHEN TG_TABLE_NAME = 'runs' THEN 'claim' WHEN current_setting('idle_in_transaction_session_timeout') = '15s' THEN 'decision' ELSE 'append' END;
      no bigint;
    BEGIN
      IF what = 'claim' AND current_query() NOT LIKE '%claim_id = i.claim%' THEN RETURN NULL; END IF;
      no := nextval('public.gave_way_' || what);
      IF no % 10 = 1 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '40001'; END IF;
      IF no % 10 = 6 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '40P01'; END IF;
      RETURN NULL;
    END $body$;
    CREATE TRIGGER give_way BEFORE INSERT ON constancia.events FOR EACH STATEMENT EXECUTE FUNCTION give_way();
    CREATE TRIGGER give_way BEFORE UPDATE ON constancia.runs FOR EACH STATEMENT EXECUTE FUNCTION give_way();`)
    // What comes at once is written at once: a few times, so that there are enough of each.
    for (let round = 1; round <= 3; round += 1) await under(`every fifth gives way, ${round}`, async () => undefined)
    for (const what of ['append', 'decision', 'claim']) {
      const [row] = await server.ask(
        `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS count FROM gave_way_${what}`,
      )
      const count = Number(row?.['count'])
      expect(count, what).toBeGreaterThan(5)
      report.push(`  ${Math.ceil(count / 5)} of ${count} ${what}s gave way`)
    }
    await server.ask(`DROP TRIGGER give_way ON constancia.events; DROP TRIGGER give_way ON constancia.runs`)
  },
  limitMs,
)

test(
  'C46 B3 every listening connection is ended by the server: it is replaced, and everything is looked at then',
  async () => {
    await under('listening backends killed', async () => {
      const ended = await server.ask(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' OR query = 'SELECT 1'`,
      )
      expect(ended.length).toBeGreaterThanOrEqual(32)
    })
  },
  limitMs,
)

test(
  'C46 B3 the packets of every listening connection are dropped and none is closed: it is noticed, and replaced',
  async () => {
    await under('listening lines silent', async () => {
      const lines = proxy.linesWith('LISTEN ')
      expect(lines.length).toBeGreaterThanOrEqual(32)
      for (const line of lines) line.isSilent = true
    })
  },
  limitMs,
)

test(
  `C46 the server lets nobody write for ${awayMs / 1000} s: who works waits, says so once, and idles`,
  async () => {
    await under('read-only', async () => {
      await server.set('default_transaction_read_only', 'on')
      await pause(500)
      const rate = await triesOf('while nobody may write', awayMs)
      await server.ask('SET default_transaction_read_only = off')
      await server.set('default_transaction_read_only', null)
      expect(rate).toBeLessThan(triesMax)
    })
  },
  limitMs,
)

test(
  'C46 the server is gone and another one comes up at its address with the same data',
  async () => {
    await under('another server', async () => {
      await pause(100)
      await server.kill()
      const rate = await triesOf('while it was away', 1_500)
      // With its owners and modes.
      execFileSync('cp', ['-a', server.folder(), server.folder('another')])
      await server.start(server.folder('another'))
      expect(rate).toBeLessThan(triesMax)
    })
  },
  limitMs,
)

test(
  'C46 others take all connections, while the workers are there and while one starts: all wait, and come back',
  async () => {
    await under('connections exhausted', async () => {
      proxy.targetPort = 0
      proxy.cutAll()
      const hogs = await takeAll()
      proxy.targetPort = server.port
      let isOpen = false
      const joining = fleet.join({ waitMsMax: 240_000 }).then((one) => {
        isOpen = true
        return one.close()
      })
      await pause(awayMs)
      expect(isOpen).toBe(false)
      await Promise.all(hogs.map((hog) => hog.end()))
      await joining
      report.push(`  ${hogs.length} connections were taken`)
    })
  },
  limitMs,
)

test(
  'C46 all runs wait: nothing is done meanwhile',
  async () => {
    const runs = await fleet.start(runCount)
    await fleet.untilWaiting(runs)
    expect(await triesOf('all wait', 2_000)).toBeLessThan(1)
    await fleet.signal(runs)
    await fleet.judge(runs)
  },
  limitMs,
)

/** How often in a second each store opens a connection or asks something meanwhile, once its calls pause as long as they ever do. */
async function triesOf(name: string, ms: number): Promise<number> {
  await pause(settledMs)
  const [sinceMs, before, used] = [performance.now(), proxy.tryCount, process.cpuUsage()]
  await pause(ms)
  const forSeconds = (performance.now() - sinceMs) / 1000
  const { user, system } = process.cpuUsage(used)
  const rate = (proxy.tryCount - before) / forSeconds / storeCount
  report.push(
    `  ${name}: ${rate.toFixed(1)} tries a second by each store, ${((user + system) / forSeconds / 1e4).toFixed(0)} % of a processor`,
  )
  return rate
}

async function takeAll(): Promise<pg.Client[]> {
  const hogs: pg.Client[] = []
  for (let isFull = false; !isFull; ) {
    const hog = new pg.Client({ connectionString: server.url })
    hog.on('error', () => undefined)
    await hog.connect().then(
      () => hogs.push(hog),
      () => {
        isFull = true
      },
    )
  }
  return hogs
}
