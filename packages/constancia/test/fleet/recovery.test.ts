import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { open, type RunRow } from 'constancia'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { rawConnection } from '../postgres/database.js'
import { startServer } from '../postgres/server.mjs'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import { leaseMs, Scene } from '../processes/scene.js'
import type { StoreAddress } from '../processes/scene-store.js'
import storeAt from '../processes/stores.mjs'
import type { WorkerProcess } from '../processes/worker-process.js'

const repetitions = isCampaign ? 20 : 2
const runCount = 250
const pollMs = 200
const healthy = Array.from({ length: runCount - 2 }, (_, index) => `r${index}`)
const folder = mkdtempSync(join(tmpdir(), 'constancia-recovery-'))
const data = join(folder, 'data')
let server: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  server = await startServer(data)
}, limitMs)

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

test(
  `R-C2 R-C5 R-B9 C34 ${runCount} runs of a dead worker, ${repetitions} times: the database restarts 0.2 s into the recovery, two workers share a name; 248 finish, two say why they do not`,
  async ({ onTestFinished }) => {
    const rows: string[] = []
    for (let repetition = 1; repetition <= repetitions; repetition++) {
      const scene = await Scene.open('postgres', server.url)
      onTestFinished(() => scene.close())
      rows.push(`${repetition}. ${await recover(scene)}`)
      await scene.close()
    }
    keep('recovery', { table: () => rows.join('\n') })
  },
  2 * limitMs,
)

async function recover(scene: Scene): Promise<string> {
  const address = addressOf(scene)
  await Promise.all(healthy.map((id) => scene.start('long', id, null)))
  await scene.start('long', 'torn', null)
  await scene.start('computing', 'unknown', 0)
  const first = await scene.worker('w', { options: { concurrency: 300, pollMs } })
  while (first.all('began').length < runCount) await pause(20)
  await tear(address)
  // The new process has the name of the old one, which still works: it takes nothing of it.
  const successors = await Promise.all([deployed(scene), deployed(scene)])
  await pause(2 * pollMs)
  expect(successors.flatMap((worker) => worker.all('began'))).toEqual([])
  await first.kill()
  await Promise.all(successors.map((worker) => worker.until('began')))
  // One of them works through it; what the other holds is held when the database goes.
  successors[0].tell()
  await pause(200)
  const leftOpen = await restart(address)
  successors[1].tell()
  await untilSettled(address)
  return judge(scene, { address, successors, leftOpen })
}

/** A worker of a later deploy: under the old one's name, and without one of its flows. */
function deployed(scene: Scene): Promise<WorkerProcess> {
  const options = { concurrency: 8, pollMs, leaseMs }
  return scene.worker('w', { options, without: ['computing'], flags: ['--no-warnings'] })
}

/** Somebody who may do everything spoils the first event of a journal. */
async function tear({ url, schema }: Address): Promise<void> {
  await withRaw(url, async (raw) => {
    await raw.query(`SET search_path = "${schema}"`)
    await raw.query('ALTER TABLE event_data DISABLE TRIGGER ALL')
    const { rowCount } = await raw.query(
      "UPDATE event_data SET text = '{' WHERE stream = (SELECT stream FROM runs WHERE id = 'torn') AND seq = 0",
    )
    expect(rowCount).toBe(1)
    await raw.query('ALTER TABLE event_data ENABLE TRIGGER ALL')
  })
}

/** Ends the database and starts it again. Returns how many of the healthy runs had not ended by then. */
async function restart(address: Address): Promise<number> {
  await server.stop()
  server = await startServer(data)
  return (await openRuns(address)).filter(({ id }) => healthy.includes(id)).length
}

// Nobody waits for an operator: what a worker can do is done, what it cannot do is said.
async function untilSettled(address: Address): Promise<void> {
  for (;;) {
    const left = await openRuns(address)
    if (left.every(({ id, status }) => id === 'unknown' || (id === 'torn' && status === 'stuck'))) return
    await pause(100)
  }
}

interface Outcome {
  readonly address: Address
  readonly successors: readonly WorkerProcess[]
  readonly leftOpen: number
}

async function judge(scene: Scene, { address, successors, leftOpen }: Outcome): Promise<string> {
  const epochs = await Promise.all(healthy.map((id) => finished(scene, id)))
  // The operator's own process, and those that were deployed, have not got that flow.
  const operator = await open({ store: storeAt(address), flows: [], worker: false })
  try {
    const [torn, unknown] = await Promise.all(['torn', 'unknown'].map((id) => operator.run(id).row()))
    expect(torn).toMatchObject({ status: 'stuck', stuck: { code: 'journal_damaged' } })
    expect(torn?.stuck?.message).toContain('torn')
    const waitingFor = [{ kind: 'worker', name: expect.stringContaining('computing') }]
    expect(unknown).toMatchObject({ outcome: 'open', status: 'ready', claim: undefined, waitingFor })
    const { items } = await operator.runs({ limit: 1_000 })
    expect(items).toHaveLength(runCount)
    expect(items.filter(({ status }) => status === 'running')).toEqual([])
  } finally {
    await operator.close()
  }
  const taken = successors.map((worker) => new Set(worker.all('began').map(({ run }) => run)).size)
  expect(successors.flatMap((worker) => worker.all('began')).some(({ run }) => run === 'unknown')).toBe(false)
  // Else it was over before the database went.
  expect(leftOpen).toBeGreaterThan(0)
  const again = epochs.filter((epoch) => epoch > 2).length
  return `${healthy.length} finished, ${leftOpen} of them after the restart; ${again} were taken more than once; shares of the two: ${taken.join(' and ')}`
}

/** Fails unless a run ended well, in one piece; returns the epoch that ended it. */
async function finished(scene: Scene, id: string): Promise<number> {
  const run = scene.run(id)
  const [events, row] = await Promise.all([run.events(), run.row()])
  verifyChain(runStream(run.id), emptyHead(runStream(run.id)), events)
  expect(row).toMatchObject({ outcome: 'completed' } satisfies Partial<RunRow>)
  expect(events.map(({ kind }) => kind)).toEqual(['FlowStarted', 'StepCompleted', 'FlowCompleted'])
  const epochs = await scene.epochsOf(id)
  expect([...epochs].sort((a, b) => a - b)).toEqual(epochs)
  return epochs.at(-1) as number
}

type Address = Extract<StoreAddress, { kind: 'postgres' }>

function addressOf(scene: Scene): Address {
  const { address } = scene.store
  if (address.kind !== 'postgres') throw new Error('This is about a fleet.')
  return address
}

async function openRuns({ url, schema }: Address): Promise<{ id: string; status: string }[]> {
  return withRaw(url, async (raw) => {
    const { rows } = await raw.query(`SELECT id, status FROM "${schema}".runs WHERE outcome = 'open'`)
    return rows as { id: string; status: string }[]
  })
}

async function withRaw<T>(url: string, use: (raw: pg.Client) => Promise<T>): Promise<T> {
  const raw = await rawConnection(url)
  try {
    return await use(raw)
  } finally {
    await raw.end()
  }
}
