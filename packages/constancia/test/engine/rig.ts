import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { AnyFlow, OpenOptions, Run, RunRow, StoreFactory } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk, ScriptedClock } from 'constancia/testing'
import { afterEach } from 'vitest'
import { defaultLimits } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import { quiet, RigDatabase } from '../postgres/rig-store.js'
import { Life, type LifeOptions } from './life.js'
import type { StoreName } from './stores.js'

export { type StoreName, stores } from './stores.js'

/** The lease under scripted time. */
export const leaseMs = 60_000
// So long that under scripted time only what is due, and no poll, makes a worker look.
const neverMs = 300 * 86_400_000

const made: Rig[] = []
const audits: ((rig: Rig) => Promise<void>)[] = []

/** Has every rig of this file looked through once its test is over and its processes are gone. */
export function auditRigs(audit: (rig: Rig) => Promise<void>): void {
  audits.push(audit)
}

afterEach(async () => {
  for (const rig of made.splice(0)) await rig.dispose()
})

/** One disk, and the processes that come and go on it. Ends with its test. */
export class Rig {
  readonly clock = new ScriptedClock()
  readonly isReal: boolean
  /** Where an SQLite database lies. */
  readonly file: string
  readonly #folder: string | undefined
  readonly #database: RigDatabase | undefined
  readonly #factory: StoreFactory
  readonly #lives: Life[] = []
  #isDisposed = false

  /** Time stands still until it is told to move, unless it is real. */
  constructor(store: StoreName, time: 'scripted' | 'real' = 'scripted') {
    this.isReal = time === 'real'
    this.#folder = store !== 'SQLite' ? undefined : mkdtempSync(join(tmpdir(), 'constancia-engine-'))
    this.file = join(this.#folder ?? '', 'runs.db')
    const watchPollMs = this.isReal ? 10 : 0
    this.#database = store === 'PostgreSQL' ? new RigDatabase(time) : undefined
    const embedded = store === 'memory' ? memory(memoryDisk()) : sqlite({ file: this.file, watchPollMs })
    this.#factory = this.#database?.factory ?? embedded
    made.push(this)
  }

  /** A process: opens the disk with these flows. */
  async live(flows: readonly AnyFlow[], options: LifeOptions = {}): Promise<Life> {
    // These tests crash one run hundreds of times.
    const often = { lostLeaseCountMax: 1_000_000 }
    const usual = this.isReal ? { leaseMs, pollMs: 20, ...often } : { leaseMs, pollMs: neverMs, ...often }
    const { limits, contract, worker = {} } = options
    const life = new Life({ clock: this.isReal ? undefined : this.clock, factory: this.#factory, options })
    const opening: OpenOptions = {
      store: life.factory,
      flows,
      worker: worker && { name: `life-${this.#lives.length + 1}`, ...usual, ...worker },
      log: life.log,
      parts: { ...life.parts, randomBytes: (count) => randomBytes(count) },
      ...(limits === undefined ? {} : { limits }),
      ...(contract === undefined ? {} : { contract }),
    }
    this.#lives.push(life)
    await life.open(opening)
    return life
  }

  /** Ends a process by force, waits until its leases ran out, and starts another. */
  async succeed(dead: Life, flows: readonly AnyFlow[], options: LifeOptions = {}): Promise<Life> {
    await dead.crash()
    if (!this.isReal) this.clock.advance(leaseMs + 1)
    return this.live(flows, options)
  }

  /** Moves scripted time from timer to timer, and lets everything that comes due do its work. */
  async advance(byMs: number): Promise<void> {
    const toMs = this.clock.now() + byMs
    await drained()
    for (let next = this.clock.nextMs; next !== undefined && next <= toMs; next = this.clock.nextMs) {
      this.clock.advanceTo(next)
      await drained()
    }
    this.clock.advanceTo(toMs)
    await drained()
  }

  /** Lets a run go on, through scripted time, until it ends, is stuck, or waits for something else than time. */
  async rest(run: Run): Promise<RunRow> {
    for (;;) {
      await until(async () => resting.has((await run.row()).status), `run ${run.id} comes to rest`)
      const row = await run.row()
      if (row.status !== 'waiting' || row.wakeAtMs === undefined) return row
      await this.advance(Math.max(0, row.wakeAtMs - this.clock.now()))
      await until(async () => (await run.row()).epoch > row.epoch, `run ${run.id} wakes up`)
    }
  }

  /** Opens what is on the disk once more, to look at it. */
  read(): Promise<Store> {
    const random = (count: number): Uint8Array => randomBytes(count)
    return this.#factory({ clock: this.clock, randomBytes: random, limits: defaultLimits, warn: () => undefined })
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    await Promise.all(this.#lives.map((life) => life.crash()))
    try {
      for (const audit of audits) await audit(this)
    } finally {
      await this.#remove()
    }
  }

  async #remove(): Promise<void> {
    await this.#database?.dispose()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}

const resting = new Set(['waiting', 'paused', 'stuck', 'completed', 'failed', 'cancelled'])

/** Lets everything happen that happens without time. */
export async function drained(): Promise<void> {
  for (let spins = 0; spins < 12; spins += 1) await setImmediate()
  await quiet()
}

// A slow machine is no failure. Whoever knows that it will be in vain waits less.
const patienceMs = Number(process.env['CONSTANCIA_TEST_PATIENCE_MS'] ?? 60_000)

/** Waits, in real time, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = performance.now() + patienceMs
  for (let spins = 0; !(await holds()); spins += 1) {
    if (performance.now() > deadlineMs) throw new Error(`Waited in vain until ${what}.`)
    await (spins < 100 ? setImmediate() : pause(2))
  }
}

/** Waits until a run is there and has a status. */
export function untilStatus(run: Run, status: RunRow['status']): Promise<void> {
  return until(async () => (await statusOf(run)) === status, `run ${run.id} is ${status}`)
}

async function statusOf(run: Run): Promise<RunRow['status'] | undefined> {
  try {
    return (await run.row()).status
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'unknown_run') return undefined
    throw error
  }
}

/** The kinds of a run's events, in their order. */
export async function kindsOf(run: Run): Promise<string[]> {
  return (await run.events()).map(({ kind }) => kind)
}

/** A promise, and what settles it. */
export function gate<T = void>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open!: (value: T) => void
  const promise = new Promise<T>((resolve) => {
    open = resolve
  })
  return { promise, open }
}

/** What a promise is rejected with; fails if it is not. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('It was to be rejected, and was not.')
}
