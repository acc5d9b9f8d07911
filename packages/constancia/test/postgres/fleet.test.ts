import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { flow, open, type Run, type Runtime } from 'constancia'
import { postgres } from 'constancia/postgres'
import { type LedgerServer, startLedgerServer } from 'constancia/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { type CommandProcess, Project, until as untilSoon } from '../cli/project.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { type FleetConfig, fleetConfig, makeLater } from './fleet-project.js'

const limit = { timeout: 300_000 }

// Whoever only starts runs does not need their code.
const order = (version: number) => flow({ name: 'order', version, run: async () => undefined as unknown })
const [orderV1, orderV2] = [order(1), order(2)]
const rounds = flow({ name: 'rounds', version: 1, run: async () => undefined as unknown })

/** A schema, a ledger, a folder, somebody who looks on, and worker processes that come and go. */
class Fleet {
  readonly schema = newSchema()
  readonly project = new Project('')

  readonly url: string
  readonly ledger: LedgerServer

  private constructor(url: string, ledger: LedgerServer) {
    this.url = url
    this.ledger = ledger
  }

  static async open(): Promise<Fleet> {
    const fleet = new Fleet(await databaseUrl(), await startLedgerServer())
    fleets.push(fleet)
    return fleet
  }

  config(change: Partial<FleetConfig> = {}): string {
    const { url, schema, ledger, gate } = this
    return fleetConfig({ url, schema, ledger: ledger.url, gate, versions: [1], ...change })
  }

  get gate(): string {
    return join(this.project.folder, 'gate')
  }

  look(): Promise<Runtime> {
    const store = postgres({ url: this.url, schema: this.schema })
    return open({ store, flows: [orderV1, orderV2, rounds], worker: false, log: () => undefined })
  }

  /** Starts a worker process with these versions of `order`. */
  worker(name: string, versions: readonly number[], words: readonly string[] = []): CommandProcess {
    this.project.write(`${name}.mjs`, this.config({ versions }))
    return this.project.start(['worker', '--json', '-c', `${name}.mjs`, '--name', name, ...words])
  }

  openGate(): void {
    writeFileSync(this.gate, '')
  }

  async dispose(): Promise<void> {
    await this.ledger.close()
    await dropSchema(this.schema, this.url)
  }
}

const fleets: Fleet[] = []

afterEach(async () => {
  for (const fleet of fleets.splice(0)) {
    await fleet.project.dispose()
    await fleet.dispose()
  }
})

// A machine that is busy with other tests takes long for all of this.
async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const error = await untilSoon(holds, what).catch((failed: unknown) => failed)
    if (error === undefined) return
    if (tries === 4) throw error
  }
}

function has(worker: CommandProcess, kind: string): boolean {
  return worker.stdout.includes(`{"kind":"${kind}"`)
}

function wordOf(worker: CommandProcess, kind: string): Record<string, unknown> | undefined {
  const line = worker.stdout.split('\n').find((one) => one.startsWith(`{"kind":"${kind}"`))
  return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>)
}

async function startAll(runtime: Runtime, code: typeof orderV1, ids: readonly string[]): Promise<Run[]> {
  return Promise.all(ids.map((id) => runtime.start(code, null, { id })))
}

function idsOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
}

describe('R-B12 a fleet of worker processes on PostgreSQL', () => {
  test(
    'R-B4 R-C5 in a rolling deploy each claims only what it has; old runs end on old workers; draining loses and repeats nothing',
    limit,
    async () => {
      const fleet = await Fleet.open()
      const runtime = await fleet.look()
      const heldBy = async () =>
        (await runtime.workers()).map(({ name, state, runCount }) => `${name} ${state} ${runCount}`).sort()
      const unserved = async () => (await runtime.fleet()).unserved
      const oldRuns = await startAll(runtime, orderV1, idsOf('old', 12))
      const newRuns = await startAll(runtime, orderV2, idsOf('new', 4))
      const [oldA, oldB] = ['old-a', 'old-b'].map((name) => fleet.worker(name, [1], ['--concurrency', '6']))
      if (oldA === undefined || oldB === undefined) throw new Error('two')
      // Every old run is in its second step now.
      await until(() => Object.keys(fleet.ledger.accepted()).length === 24, 'all old runs are under way')
      expect(await heldBy()).toEqual(['old-a working 6', 'old-b working 6'])
      expect(await unserved()).toEqual([{ flow: 'order', version: 2, runCount: 4, draining: [] }])
      const newA = fleet.worker('new-a', [2])
      await until(() => Object.keys(fleet.ledger.accepted()).length === 32, 'all new runs are under way')
      expect(await heldBy()).toEqual(['new-a working 4', 'old-a working 6', 'old-b working 6'])
      expect(await unserved()).toEqual([])

      oldA.child.kill('SIGTERM')
      await until(() => has(oldA, 'draining'), 'the old one drains')
      await until(async () => (await heldBy())[1] === 'old-a draining 6', 'everybody sees that it drains')
      fleet.openGate()
      expect(await Promise.all(oldRuns.map((run) => run.result()))).toEqual(oldRuns.map(() => 1))
      expect(await Promise.all(newRuns.map((run) => run.result()))).toEqual(newRuns.map(() => 2))
      expect((await oldA.ended).code).toBe(0)
      const { givenBack, cutOff, notGivenBack } = wordOf(oldA, 'drained') ?? {}
      expect([givenBack, cutOff, notGivenBack]).toEqual([expect.any(Array), [], []])
      const handed = new Set(givenBack as string[])
      expect(handed.size).toBe(6)
      for (const run of oldRuns) expect((await run.row()).epoch).toBe(handed.has(run.id) ? 2 : 1)
      for (const run of newRuns) expect((await run.row()).epoch).toBe(1)
      // Each effect came once, and once only.
      expect(Object.keys(fleet.ledger.accepted())).toHaveLength(48)
      expect(fleet.ledger.requestCount).toBe(48)
      for (const worker of [oldB, newA]) worker.child.kill('SIGTERM')
      expect([(await oldB.ended).code, (await newA.ended).code]).toEqual([0, 0])
      expect(await heldBy()).toEqual([])
      await runtime.close()
    },
  )

  test(
    'C37 a later version migrates while workers work: they go on without a word; one that starts later refuses and says what to do',
    limit,
    async () => {
      const fleet = await Fleet.open()
      const runtime = await fleet.look()
      const runs = await Promise.all(idsOf('run', 8).map((id) => runtime.start(rounds, null, { id })))
      const present = fleet.worker('present', [1])
      const headsPast = async (seq: number) =>
        (await Promise.all(runs.map((run) => run.row()))).every(({ head }) => head.seq > seq)
      await until(() => headsPast(6), 'all runs are under way')
      const folder = join(fleet.project.folder, 'later')
      mkdirSync(folder)
      makeLater(folder, fleet.config())
      // The copy of the project goes on where a command line finds one.
      const later = fleet.project.start(['worker', '--json', '--name', 'later'], { folder })
      await until(() => has(later, 'up'), 'the later version is up')
      const raw = await rawConnection(fleet.url)
      const { rows } = await raw.query(`SELECT count(*)::integer AS count FROM "${fleet.schema}".runs WHERE later = 7`)
      expect(rows).toEqual([{ count: 8 }])
      const atMost = Math.max(...(await Promise.all(runs.map((run) => run.row()))).map(({ head }) => head.seq))
      await until(() => headsPast(atMost + 6), 'all runs go on')
      const fresh = await runtime.start(rounds, null, { id: 'fresh' })
      await until(async () => (await fresh.row()).head.seq > 6, 'a new run gets on')
      const refused = await fleet.worker('another', [1]).ended
      expect([refused.code, refused.stdout]).toEqual([10, ''])
      expect(refused.stderr).toMatch(/newer version.*Install that version or a later one.*\[store_too_new\]/)
      fleet.openGate()
      for (const run of [...runs, fresh]) expect(await run.result()).toBeGreaterThan(0)
      expect(fleet.ledger.requestCount).toBe(Object.keys(fleet.ledger.accepted()).length)
      for (const worker of [present, later]) worker.child.kill('SIGTERM')
      for (const { code, stderr } of await Promise.all([present.ended, later.ended])) {
        expect(code).toBe(0)
        expect(stderr).not.toMatch(/^error:/m)
      }
      await raw.end()
      await runtime.close()
    },
  )

  test(
    'a worker waits for a database that is away at its start, says so once, and works when it is there',
    limit,
    async () => {
      const fleet = await Fleet.open()
      const runtime = await fleet.look()
      const [run] = await startAll(runtime, orderV1, ['r'])
      fleet.openGate()
      const target = new URL(fleet.url)
      let [isThere, refusedCount] = [false, 0]
      const server = createServer((near) => {
        near.on('error', () => undefined)
        if (!isThere) {
          refusedCount += 1
          near.destroy()
          return
        }
        const far = connect(Number(target.port || 5432), target.hostname)
        far.on('error', () => near.destroy())
        near.pipe(far).pipe(near)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { readonly port: number }
      const through = new URL(fleet.url)
      through.host = `127.0.0.1:${port}`
      fleet.project.write('away.mjs', fleet.config({ url: through.href, waitMs: 100 }))
      const worker = fleet.project.start(['worker', '--json', '-c', 'away.mjs', '--name', 'patient'])
      // It gives up opening after a tenth of a second: so often it began anew.
      await until(() => refusedCount >= 12, 'it has tried again and again')
      expect(worker.stdout.match(/"kind":"waiting"/g)).toHaveLength(1)
      expect(worker.stderr.match(/waiting for the store/g)).toHaveLength(1)
      isThere = true
      expect(await run?.result()).toBe(1)
      worker.child.kill('SIGTERM')
      const ended = await worker.ended
      expect(ended.code).toBe(0)
      expect(ended.stderr.trim().split('\n')).toHaveLength(4)
      server.close()
      await runtime.close()
    },
  )
})
