import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { open, type Runtime } from 'constancia'
import { postgres } from 'constancia/postgres'
import { type LedgerServer, startLedgerServer } from 'constancia/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { isCampaign, limitMs } from '../processes/campaign.js'
import { type Cluster, Clusters, disposeEmpty, tell, until } from './clusters.js'
import { SwitchingProxy } from './switching-proxy.js'
import { trips } from './trips.mjs'

const roundCount = isCampaign ? 40 : 1
const runCount = 8
const endMsMax = 240_000

afterAll(disposeEmpty)

/** A fleet in front of a database that fails over: two workers, somebody who starts runs, and a ledger that outlives all of them. */
class Fleet {
  readonly clusters: Clusters
  readonly folder = mkdtempSync(join(tmpdir(), 'constancia-fleet-'))
  readonly ledger: LedgerServer
  readonly primary: Cluster
  readonly proxy: SwitchingProxy
  readonly workers: WorkerProcess[] = []
  readonly lines: string[] = []
  api!: Runtime
  readonly flow

  private constructor(clusters: Clusters, primary: Cluster, parts: { ledger: LedgerServer; proxy: SwitchingProxy }) {
    this.clusters = clusters
    this.primary = primary
    const { ledger, proxy } = parts
    this.ledger = ledger
    this.proxy = proxy
    this.flow = trips(ledger.url)
  }

  static async begin(): Promise<Fleet> {
    const clusters = new Clusters()
    const [ledger, primary] = await Promise.all([startLedgerServer(), clusters.startNew()])
    const fleet = new Fleet(clusters, primary, { ledger, proxy: await SwitchingProxy.open(primary.port) })
    fleet.api = await open({
      store: postgres({ url: fleet.proxy.url, waitMsMax: 300_000 }),
      flows: [fleet.flow],
      worker: false,
      mark: fleet.mark,
      log: (level, message) => void fleet.lines.push(`${level} ${message}`),
    })
    await fleet.startWorkers()
    for (let no = 0; no < runCount; no += 1) await fleet.api.start(fleet.flow, undefined, { id: `r${no}` })
    await fleet.work()
    return fleet
  }

  get mark(): string {
    return join(this.folder, 'fleet.mark')
  }

  async startWorkers(): Promise<void> {
    this.workers.push(...(await Promise.all([WorkerProcess.start(this), WorkerProcess.start(this)])))
  }

  /** Lets every run get on by two effects at least. */
  async work(): Promise<void> {
    const before = this.legs()
    for (let count = 0; count < 3_000; count += 1) {
      const now = this.legs()
      if ([...now].filter(([run, legs]) => legs >= (before.get(run) ?? 0) + 2).length === runCount) return
      await pause(20)
    }
    throw new Error(`Not every run got on: ${JSON.stringify([...this.legs()])}; ${this.said().join('; ')}`)
  }

  /** How many different effects of each run have arrived. */
  legs(): Map<string, number> {
    const legs = new Map<string, number>()
    for (const key of Object.keys(this.ledger.accepted())) {
      const run = key.slice(0, key.lastIndexOf('/'))
      if (run.startsWith('r')) legs.set(run, (legs.get(run) ?? 0) + 1)
    }
    return legs
  }

  /** Requests that came once more than their first time. */
  get repeatedCount(): number {
    return this.ledger.requestCount - Object.keys(this.ledger.accepted()).length
  }

  said(): string[] {
    return [...this.lines, ...this.workers.flatMap(({ lines }) => lines)]
  }

  /** Waits until the workers that are up have noticed. */
  async noticed(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.heard((line) => line.includes('constancia quarantine'))))
  }

  /** What an operator does, and that everything goes on after it: the workers by themselves, parked runs once they are retried. */
  async recover(): Promise<void> {
    const before = this.repeatedCount
    const { parkedCount } = await this.api.quarantine()
    expect(parkedCount).toBeGreaterThan(0)
    const fresh = await this.api.start(this.flow, undefined, { id: 'fresh' })
    await fresh.signal('last')
    await this.#soon(fresh.result())
    expect(this.repeatedCount).toBe(before)
    const { items } = await this.api.runs({ status: 'stuck' })
    expect(items.map(({ stuck }) => stuck?.code)).toEqual(items.map(() => 'rolled_back'))
    expect(items.length).toBe(parkedCount)
    for (const { id } of items) await this.api.run(id).retry('looked')
    await this.end(items.map(({ id }) => id))
    // Only now, and by the operator's word, what was lost was done again; with the same keys.
    expect(this.repeatedCount).toBeGreaterThan(before)
  }

  async end(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.api.run(id).signal('last')
    for (const id of ids) expect(await this.#soon(this.api.run(id).result())).toBeGreaterThan(0)
  }

  /** Fails with what everybody said where a run does not end for minutes: on a machine however slow, somebody holds it back. */
  async #soon<T>(result: Promise<T>): Promise<T> {
    const timer = new AbortController()
    const late = pause(endMsMax, undefined, { signal: timer.signal, ref: false }).then(() => {
      throw new Error(`A run did not end: ${this.said().join('; ')}`)
    })
    late.catch(() => undefined)
    return Promise.race([result, late]).finally(() => timer.abort())
  }

  async dispose(): Promise<void> {
    for (const worker of this.workers) await worker.kill()
    await this.api.close()
    await this.proxy.close()
    await Promise.all([this.clusters.dispose(), this.ledger.close()])
    rmSync(this.folder, { recursive: true, force: true })
  }
}

class WorkerProcess {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  #onLine = (): void => undefined

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', ({ level, message }: { level: string; message: string }) => {
      this.lines.push(`${level} ${message}`)
      this.#onLine()
    })
  }

  static async start({ proxy, ledger, mark }: Fleet): Promise<WorkerProcess> {
    const order = JSON.stringify({ url: proxy.url, ledger: ledger.url, mark })
    const worker = new WorkerProcess(fork(fileURLToPath(new URL('marked-worker.mjs', import.meta.url)), [order]))
    await worker.heard((line) => line.startsWith('ready'))
    return worker
  }

  async heard(isIt: (line: string) => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#onLine = () => {
        if (this.lines.some(isIt)) resolve()
      }
      this.#child.once('exit', (code) => reject(new Error(`The worker ended with ${code}: ${this.lines.join('; ')}`)))
      this.#onLine()
    })
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.removeAllListeners('exit')
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

/** A standby that has followed until now and does not any more, and effects that it has not heard of. */
async function lagging(fleet: Fleet): Promise<Cluster> {
  const standby = await fleet.clusters.standBy(fleet.primary)
  await tell(standby, `ALTER SYSTEM SET primary_conninfo = ''`, 'SELECT pg_reload_conf()')
  await until(standby, 'SELECT count(*) = 0 AS is_so FROM pg_stat_wal_receiver')
  await fleet.work()
  return standby
}

async function promote(fleet: Fleet, standby: Cluster): Promise<void> {
  await tell(standby, 'SELECT pg_promote()')
  fleet.proxy.switchTo(standby.port)
}

const alarms = (fleet: Fleet): string[] => fleet.said().filter((line) => line.includes('constancia quarantine'))

/** That nothing is done, or done again, as long as nobody has looked. */
async function expectStill(fleet: Fleet): Promise<void> {
  expect(fleet.repeatedCount).toBe(0)
  const before = fleet.ledger.requestCount
  await pause(300)
  expect([fleet.ledger.requestCount, fleet.repeatedCount]).toEqual([before, 0])
  await expect(fleet.api.start(fleet.flow, undefined, { id: 'refused' })).rejects.toMatchObject({
    code: 'store_rolled_back',
    message: expect.stringMatching(/after \d{4}-\d\d-\d\dT/),
  })
}

describe.each(Array.from({ length: roundCount }, (_, round) => round))('round %i', (round) => {
  const within = async (body: (fleet: Fleet) => Promise<void>): Promise<void> => {
    const fleet = await Fleet.begin()
    try {
      // Not always at the same moment after a pulse.
      if (isCampaign) await pause((round * 137) % 1_500)
      await body(fleet)
    } finally {
      await fleet.dispose()
    }
  }

  test(
    'T8 C46 a synchronous standby is promoted: nothing is lost, workers go on by themselves, nobody raises an alarm',
    {
      timeout: limitMs,
    },
    () =>
      within(async (fleet) => {
        const standby = await fleet.clusters.standBy(fleet.primary)
        await tell(fleet.primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()')
        await until(fleet.primary, `SELECT count(*) = 1 AS is_so FROM pg_stat_replication WHERE sync_state = 'sync'`)
        await fleet.work()
        await fleet.primary.kill()
        await promote(fleet, standby)
        await fleet.work()
        await fleet.end(Array.from({ length: runCount }, (_, no) => `r${no}`))
        expect([alarms(fleet), fleet.repeatedCount]).toEqual([[], 0])
      }),
  )

  test(
    'T8 a standby that lagged is promoted under living workers: they notice, give everything up and do nothing twice',
    {
      timeout: limitMs,
    },
    () =>
      within(async (fleet) => {
        const standby = await lagging(fleet)
        await fleet.primary.kill()
        await promote(fleet, standby)
        await fleet.noticed()
        await expectStill(fleet)
        // Each says it once; or twice, where the old and the new database answered in turn.
        for (const { lines } of fleet.workers)
          expect(lines.filter((line) => line.includes('constancia quarantine')).length).toBeLessThanOrEqual(2)
        await fleet.recover()
      }),
  )

  test(
    'T8 a standby that lagged is promoted after every worker was killed: those that come next notice at start',
    {
      timeout: limitMs,
    },
    () =>
      within(async (fleet) => {
        const standby = await lagging(fleet)
        await Promise.all(fleet.workers.splice(0).map((worker) => worker.kill()))
        await fleet.primary.kill()
        await promote(fleet, standby)
        await fleet.startWorkers()
        await fleet.noticed()
        await expectStill(fleet)
        await fleet.recover()
      }),
  )

  test(
    'T8 an old backup is restored while workers wait for the database: they notice and do nothing twice',
    {
      timeout: limitMs,
    },
    () =>
      within(async (fleet) => {
        const copy = await fleet.clusters.backUp(fleet.primary)
        await fleet.work()
        await fleet.primary.kill()
        await fleet.clusters.start(copy)
        await fleet.noticed()
        await expectStill(fleet)
        await fleet.recover()
      }),
  )

  test(
    'T8 an old backup is restored while nothing is up: workers notice at start and do nothing',
    {
      timeout: limitMs,
    },
    () =>
      within(async (fleet) => {
        const copy = await fleet.clusters.backUp(fleet.primary)
        await fleet.work()
        await Promise.all(fleet.workers.splice(0).map((worker) => worker.kill()))
        await fleet.primary.kill()
        await fleet.clusters.start(copy)
        await fleet.startWorkers()
        await fleet.noticed()
        await expectStill(fleet)
        await fleet.recover()
      }),
  )
})
