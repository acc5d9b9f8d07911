import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { emptyHead, type RunId, runStream, verifyChain } from '../../dist/journal/index.js'
import { rawConnection } from '../postgres/database.js'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import { inScene, type Scene } from '../processes/scene.js'
import type { WorkerProcess } from '../processes/worker-process.js'

/** So many runs for so many workers: 10,000 in all, or each time. */
const phases = isCampaign
  ? ([
      [2, 10_000],
      [4, 10_000],
      [8, 10_000],
    ] as const)
  : ([
      [2, 2_000],
      [4, 4_000],
      [8, 4_000],
    ] as const)
const runCount = phases.reduce((sum, [, count]) => sum + count, 0)
const concurrency = 32
// Starts are written together; journals are read one by one, over a few connections.
const startsAtOnce = 500
const readsAtOnce = 24

test(
  `R-B12 R-C1 R-C4 T22 two, four and eight workers over one PostgreSQL share ${runCount} runs: none is lost, none is executed twice, no worker idles while runs are due`,
  inScene(async (scene) => {
    const { address } = scene.store
    if (address.kind !== 'postgres') throw new Error('This is about a fleet.')
    const raw = await rawConnection(address.url)
    const workers: WorkerProcess[] = []
    const rows: string[] = []
    try {
      for (const [workerCount, count] of phases) {
        while (workers.length < workerCount) workers.push(await join(scene, workers.length))
        rows.push(await share({ scene, workers, count, raw, schema: address.schema }))
      }
    } finally {
      await raw.end()
    }
    keep('sharing', { table: () => rows.join('\n') })
  }, 'postgres'),
  2 * limitMs,
)

function join(scene: Scene, index: number): Promise<WorkerProcess> {
  return scene.worker(`w${index}`, { options: { leaseMs: 600_000, pollMs: 500, concurrency } })
}

interface Phase {
  readonly scene: Scene
  readonly workers: readonly WorkerProcess[]
  readonly count: number
  readonly raw: pg.Client
  readonly schema: string
}

/** Starts runs, opens the gate once every worker is full, and judges what is left when all have ended. Returns a line. */
async function share(phase: Phase): Promise<string> {
  const { scene, workers, count } = phase
  const prefix = `of-${workers.length}-`
  const ids = Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  const gate = scene.path(prefix)
  const input = { ledger: scene.ledger.url, gate }
  scene.ledger.reset()
  await inChunks(ids, startsAtOnce, (id) => scene.start('shared', id, input))
  const begunBy = (worker: WorkerProcess) => worker.all('began').filter(({ run }) => run.startsWith(prefix)).length
  // Runs are due, and nobody has finished any: a worker that leaves a place of its own empty never gets past this.
  while (!workers.every((worker) => begunBy(worker) === concurrency)) await pause(20)
  const beganMs = performance.now()
  writeFileSync(gate, '')
  await untilEnded(phase)
  const seconds = (performance.now() - beganMs) / 1_000

  await inChunks(ids, readsAtOnce, (id) => judge(scene, id))
  const byRun = scene.ledger.accepted()
  expect(Object.keys(byRun)).toEqual(ids.map((id) => `${id}/0`).sort())
  expect(scene.ledger.requestCount).toBe(count)
  const shares = workers.map((_, index) => Object.values(byRun).filter((name) => name === `w${index}`).length)
  expect(shares.reduce((sum, one) => sum + one, 0)).toBe(count)
  for (const one of shares) expect(one).toBeGreaterThanOrEqual(concurrency)
  return `${workers.length} workers: ${count} runs in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} runs/s, shares ${shares.join(' ')}`
}

async function untilEnded({ raw, schema }: Phase): Promise<void> {
  for (;;) {
    const { rows } = await raw.query(`SELECT id, status FROM "${schema}".runs WHERE outcome = 'open' LIMIT 1`)
    if (rows.length === 0) return
    expect(rows[0].status).not.toBe('stuck')
    await pause(50)
  }
}

// One owner, who did everything in one piece.
async function judge(scene: Scene, id: string): Promise<void> {
  const events = await scene.run(id).events()
  const stream = runStream(id as RunId)
  verifyChain(stream, emptyHead(stream), events)
  const [, ...owned] = events
  if (owned.map(({ kind }) => kind).join(' ') === 'StepCompleted FlowCompleted') {
    if (owned[0]?.by === owned[1]?.by && owned[0]?.by.endsWith('@1')) return
  }
  throw new Error(`Run ${id} was not executed once: ${events.map(({ kind, by }) => `${kind} by ${by}`).join(', ')}`)
}

async function inChunks(ids: readonly string[], size: number, call: (id: string) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < ids.length; first += size) await Promise.all(ids.slice(first, first + size).map(call))
}
