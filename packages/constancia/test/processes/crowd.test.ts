import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isCampaign, keep, limitMs } from './campaign.js'
import { inScene, leaseMs, type Scene } from './scene.js'
import type { WorkerProcess } from './worker-process.js'

const workerCount = isCampaign ? 20 : 6
const runCount = 5
const forMs = isCampaign ? 600_000 : 10_000
const pauseMs = 50
// As many as fit in that time for a run that is taken away now and then.
const roundCount = Math.ceil(forMs / pauseMs / 3)

/** Stops a worker for less than a lease, or for more; again and again, until the time is over. */
async function disturb(worker: WorkerProcess, untilMs: number): Promise<number> {
  let stopCount = 0
  while (performance.now() < untilMs) {
    // The first comes soon and lasts: on a quick machine the runs would be through before anything happened to them.
    const isFirst = stopCount === 0
    await pause((isFirst ? 0.1 + Math.random() * 0.5 : Math.random() * 2) * leaseMs)
    await worker.stop()
    stopCount++
    await pause((isFirst ? 1.75 : 0.25 + Math.random() * 1.5) * leaseMs)
    worker.goOn()
  }
  return stopCount
}

test.concurrent(
  `R-C1 R-C3 R-C4 R-C5 C32 ${workerCount} workers on ${runCount} runs, stopped at random for ${forMs / 1000} s: never two owners`,
  inScene(async (scene) => {
    const ids = Array.from({ length: runCount }, (_, index) => `r${index}`)
    const input = { ledger: scene.ledger.url, count: roundCount, pauseMs }
    const runs = await Promise.all(ids.map((id) => scene.start('rounds', id, input)))
    const names = Array.from({ length: workerCount }, (_, index) => `w${index}`)
    const options = { concurrency: 2, pollMs: 100 }
    const workers = await Promise.all(names.map((name) => scene.worker(name, { options })))
    const untilMs = performance.now() + forMs
    const stops = await Promise.all(workers.map((worker) => disturb(worker, untilMs)))
    await untilEnded(scene)
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual(ids.map(() => roundCount))

    const epochs = await Promise.all(ids.map((id) => ownersOf(scene, id)))
    const keys = ids.flatMap((id) =>
      Array.from({ length: roundCount }, (_, round) => [`${id}/${round}`, { run: id, round }]),
    )
    expect(scene.ledger.accepted()).toEqual(Object.fromEntries(keys))
    const lateAnswers = workers
      .flatMap((worker) => worker.all('append'))
      .filter(({ answer }) => answer === 'claim_lost')
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
    const table = () =>
      `${sum(stops)} stops of ${workerCount} workers, ${sum(epochs)} take-overs of ${runCount} runs, ` +
      `${lateAnswers.length} late appends and ${scene.ledger.fencedCount} late requests refused`
    keep('crowd', { table })
    // Else nothing was tried.
    expect(sum(epochs)).toBeGreaterThanOrEqual(isCampaign ? 500 : 3)
  }),
  limitMs,
)

// A run that two own at a time is stuck sooner or later: what one of them wrote, the other never asked for.
async function untilEnded(scene: Scene): Promise<void> {
  for (;;) {
    const { items } = await scene.outside.runs()
    for (const { id, stuck } of items) if (stuck !== undefined) throw new Error(`Run ${id} is stuck. ${stuck.message}`)
    if (items.every(({ outcome }) => outcome !== 'open')) return
    await pause(100)
  }
}

/** Fails if the record of a run has ever had two owners at a time; returns how often it changed hands. */
async function ownersOf(scene: Scene, id: string): Promise<number> {
  const events = (await scene.run(id).events()).filter(({ by }) => by.startsWith('claim:'))
  const owners = events.map(({ by }) => by).filter((by, index, all) => by !== all[index - 1])
  // Each owner wrote in one piece, and each epoch had one claim.
  expect(new Set(owners).size).toBe(owners.length)
  const epochs = owners.map((by) => Number(by.split('@')[1]))
  expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b))
  return epochs.length - 1
}
