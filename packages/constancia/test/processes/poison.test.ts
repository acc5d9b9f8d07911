import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { isCampaign, limitMs } from './campaign.js'
import { inScene, type Order, type Scene } from './scene.js'
import { type StoreKind, storeKinds } from './scene-store.js'
import type { WorkerProcess } from './worker-process.js'

const healthyCount = 10
// A test says itself when a lease runs out, so that a slow machine changes nothing.
const longLeaseMs = 3_600_000

/** Starts a worker whenever the last one is gone, as a supervisor does, until it is told to stop. */
class Supervisor {
  readonly workers: WorkerProcess[] = []
  readonly ends: (NodeJS.Signals | number | null)[] = []
  readonly #scene: Scene
  readonly #order: Order
  readonly #over: Promise<void>
  #stopped = false

  constructor(scene: Scene, order: Order) {
    this.#scene = scene
    this.#order = order
    this.#over = this.#supervise()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.workers.at(-1)?.kill()
    await this.#over
  }

  async #supervise(): Promise<void> {
    while (!this.#stopped && !this.#scene.isOver) {
      const worker = this.#scene.launch('w', this.#order)
      this.workers.push(worker)
      this.ends.push(await worker.gone)
    }
  }
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = performance.now() + 300_000
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`Waited in vain until ${what}.`)
    await pause(25)
  }
}

interface Deadly {
  readonly way: string
  /** How its worker ends. */
  readonly end: NodeJS.Signals
  readonly flags?: readonly string[]
  readonly lostLeaseCountMax: number
}

async function setAsideAfter(scene: Scene, { way, end, flags, lostLeaseCountMax }: Deadly): Promise<void> {
  const repaired = scene.path('repaired')
  const bad = await scene.start('deadly', 'bad', { way, repaired })
  const ids = Array.from({ length: healthyCount }, (_, index) => `g${index}`)
  const healthy = await Promise.all(ids.map((id) => scene.start('short', id, scene.ledger.url)))
  const options = { concurrency: 1, lostLeaseCountMax, leaseMs: longLeaseMs, pollMs: 100 }
  const supervisor = new Supervisor(scene, { options, ...(flags === undefined ? {} : { flags }) })

  // On this machine the second worker knows that the first is gone, and tries the bad one at once; from then on, and on other
  // machines, its leases must run out.
  if (scene.store.address.kind === 'postgres') {
    await until(() => supervisor.ends.length === 1, 'the first worker is gone')
    await scene.expire('bad')
  }
  expect(await Promise.all(healthy.map((run) => run.result()))).toEqual(ids)
  await until(async () => (await bad.row()).epoch === 2, 'the second worker tries')
  expect(await bad.row()).toMatchObject({ lostLeaseCount: 1, epoch: 2 })
  for (let count = 2; count <= lostLeaseCountMax; count++) {
    await until(() => supervisor.ends.length === count, `worker ${count} is gone`)
    expect((await bad.row()).lostLeaseCount).toBe(count - 1)
    await bad.signal('hurry')
    await scene.expire('bad')
  }
  await until(async () => (await bad.row()).status === 'stuck', 'the run is set aside')
  const row = await bad.row()
  expect(row).toMatchObject({ outcome: 'open', lostLeaseCount: lostLeaseCountMax, epoch: lostLeaseCountMax })
  expect(row.stuck?.code).toBe('poison')
  for (const word of ['bad', `${lostLeaseCountMax} times`, 'retry']) expect(row.stuck?.message).toContain(word)
  expect(supervisor.ends).toEqual(Array(lostLeaseCountMax).fill(end))
  expect(await scene.epochsOf('bad')).toEqual([])

  writeFileSync(repaired, '')
  await bad.retry('repaired')
  expect(await bad.result()).toBe('repaired')
  expect((await bad.row()).lostLeaseCount).toBe(0)
  await supervisor.stop()
}

const killed: Deadly = { way: 'killed', end: 'SIGKILL', lostLeaseCountMax: 5 }
const outOfMemory: Deadly = {
  way: 'out of memory',
  end: 'SIGABRT',
  flags: ['--max-old-space-size=48'],
  lostLeaseCountMax: 2,
}

// How a process ends is no matter of the store: two ways tell enough of the second one.
const ways: Readonly<Record<StoreKind, readonly Deadly[]>> = {
  sqlite: [
    killed,
    outOfMemory,
    { way: 'stack overflow', end: 'SIGSEGV', flags: ['--stack-size=60000'], lostLeaseCountMax: 2 },
    { way: 'aborted', end: 'SIGABRT', flags: ['--no-warnings'], lostLeaseCountMax: 2 },
  ],
  postgres: [{ ...killed, lostLeaseCountMax: 3 }, outOfMemory],
}

describe.each(storeKinds)('R-B9 C14 on %s', (kind) => {
  test.concurrent.for<Deadly>(ways[kind])(
    'a run that ends its worker ($way) is set aside after $lostLeaseCountMax lost leases; ten others finish before its third try, and a retry frees it',
    { timeout: limitMs },
    (deadly, context) => inScene((scene) => setAsideAfter(scene, deadly), kind)(context),
  )

  const restartCount = isCampaign ? 20 : 6
  test.concurrent(
    `${restartCount} graceful restarts during a long step of a healthy run count nothing`,
    inScene(async (scene) => {
      const run = await scene.start('long', 'r', null)
      const options = { graceMs: 0, lostLeaseCountMax: 2, leaseMs: longLeaseMs, pollMs: 100 }
      for (let restarts = 0; restarts < restartCount; restarts++) {
        const worker = scene.launch('w', { options })
        await worker.until('began')
        expect(await worker.end()).toBe(0)
        const { status, lostLeaseCount, epoch } = await run.row()
        expect({ status, lostLeaseCount }).toEqual({ status: 'ready', lostLeaseCount: 0 })
        // A claim that was under way when it was told to end is given back as well.
        expect(epoch).toBeGreaterThan(restarts)
      }
      const last = await scene.worker('w', { options })
      last.tell()
      expect(await run.result()).toBe((await run.row()).epoch)
      expect((await run.row()).lostLeaseCount).toBe(0)
    }, kind),
    limitMs,
  )
})
