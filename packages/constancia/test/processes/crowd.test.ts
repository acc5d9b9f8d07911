import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isCampaign, keep, limitMs } from './campaign.js'
import { inScene, leaseMs, type Scene } from './scene.js'
import { storeKinds } from './scene-store.js'
import type { WorkerProcess } from './worker-process.js'

const workerCount = isCampaign ? 20 : 6
const runCount = 5
const forMs = isCampaign ? 600_000 : 8_000
const takeOverCountMin = isCampaign ? 500 : 5
const pauseMs = 50
// The others have places for all runs: who is stopped for long enough loses its runs, on a quick machine and on a slow one.
const stoppedCountMax = Math.floor(workerCount / 2)

/** Stops workers at random, for less than a lease or until their runs are another's, and counts both. */
class Disturbance {
  stopCount = 0
  takeOverCount = 0
  readonly #scene: Scene
  readonly #ids: readonly string[]
  readonly #untilMs = performance.now() + forMs
  #stoppedCount = 0

  constructor(scene: Scene, ids: readonly string[]) {
    this.#scene = scene
    this.#ids = ids
  }

  get #isOver(): boolean {
    const isTried = performance.now() > this.#untilMs && this.takeOverCount >= takeOverCountMin
    return isTried || this.#scene.isOver
  }

  /** Disturbs one worker until the time is over and enough has happened to the runs. */
  async disturb(worker: WorkerProcess, name: string): Promise<void> {
    while (!this.#isOver) {
      await pause(Math.random() * leaseMs)
      if (this.#stoppedCount >= stoppedCountMax) continue
      this.#stoppedCount++
      await worker.stop()
      this.stopCount++
      // What it owns does not change any more, but for being taken away.
      const owned = await this.#ownedBy(name)
      if (owned.length > 0 && Math.random() < 0.75) await this.#untilTaken(owned, name)
      else await pause((0.25 + Math.random() / 2) * leaseMs)
      worker.goOn()
      this.#stoppedCount--
    }
  }

  async #ownedBy(name: string): Promise<string[]> {
    const rows = await Promise.all(this.#ids.map((id) => this.#scene.run(id).row()))
    return rows.filter(({ claim }) => claim?.worker === name).map(({ id }) => id)
  }

  async #untilTaken(owned: readonly string[], name: string): Promise<void> {
    for (;;) {
      const left = await this.#ownedBy(name)
      if (!owned.some((id) => left.includes(id)) || this.#scene.isOver) break
      await pause(50)
    }
    this.takeOverCount += owned.length
  }
}

test.concurrent.for(storeKinds)(
  `R-C1 R-C3 R-C4 R-C5 C32 on %s ${workerCount} workers on ${runCount} runs, stopped at random for ${forMs / 1000} s and more: never two owners`,
  { timeout: limitMs },
  (kind, context) =>
    inScene(async (scene) => {
      const ids = Array.from({ length: runCount }, (_, index) => `r${index}`)
      const enough = scene.path('enough')
      const input = { ledger: scene.ledger.url, enough, pauseMs }
      const runs = await Promise.all(ids.map((id) => scene.start('rounds', id, input)))
      const names = Array.from({ length: workerCount }, (_, index) => `w${index}`)
      const options = { concurrency: 2, pollMs: 100 }
      const workers = await Promise.all(names.map((name) => scene.worker(name, { options })))
      const disturbance = new Disturbance(scene, ids)
      await Promise.all(workers.map((worker, index) => disturbance.disturb(worker, names[index] as string)))
      writeFileSync(enough, '')
      await untilEnded(scene)

      const roundCounts = (await Promise.all(runs.map((run) => run.result()))) as number[]
      const keys = ids.flatMap((id, index) =>
        Array.from({ length: roundCounts[index] as number }, (_, round) => [`${id}/${round}`, { run: id, round }]),
      )
      expect(scene.ledger.accepted()).toEqual(Object.fromEntries(keys))
      const epochs = await Promise.all(ids.map((id) => ownersOf(scene, id)))
      const takeOverCount = epochs.reduce((total, count) => total + count, 0)
      const lateAnswers = workers
        .flatMap((worker) => worker.all('append'))
        .filter(({ answer }) => answer === 'claim_lost')
      const table = () =>
        `${disturbance.stopCount} stops of ${workerCount} workers, ${takeOverCount} take-overs of ${runCount} runs, ` +
        `${lateAnswers.length} late appends and ${scene.ledger.fencedCount} late requests refused`
      keep(`crowd-${kind}`, { table })
      // Of those that were taken over, some may not have written in between.
      expect(takeOverCount).toBeGreaterThan(0)
    }, kind)(context),
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
