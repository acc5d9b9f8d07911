import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flow, open, type Runtime, type Schedule, type StoreFactory } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk, ScriptedClock } from 'constancia/testing'
import { afterEach } from 'vitest'
import { nothingSeen, type StreamId } from '../../dist/journal/index.js'
import { drained, type StoreName, until } from '../engine/rig.js'
import { RigDatabase } from '../postgres/rig-store.js'
import { partsOf } from '../store/stores.js'

const neverMs = 300 * 86_400_000
const worlds: World[] = []

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end()
})

/** A disk, scripted time, and the processes that come and go. What schedules start is written down. */
export class World {
  readonly clock: ScriptedClock
  /** Run ids in the order in which their step was executed. */
  readonly executed: string[] = []
  readonly warnings: string[] = []
  readonly report = flow({
    name: 'report',
    version: 1,
    run: (ctx, _input: { readonly of: string }) => ctx.step('write', () => void this.executed.push(ctx.runId)),
  })
  readonly #factory: StoreFactory
  readonly #folder: string | undefined
  readonly #database: RigDatabase | undefined
  readonly #runtimes = new Set<Runtime>()

  constructor(start: string, store: StoreName = 'memory') {
    this.clock = new ScriptedClock(Date.parse(start))
    this.#folder = store !== 'SQLite' ? undefined : mkdtempSync(join(tmpdir(), 'constancia-schedule-'))
    const file = join(this.#folder ?? '', 'runs.db')
    this.#database = store === 'PostgreSQL' ? new RigDatabase('scripted') : undefined
    this.#factory =
      this.#database?.factory ?? (store === 'memory' ? memory(memoryDisk()) : sqlite({ file, watchPollMs: 0 }))
    worlds.push(this)
  }

  /** Starts a process with these schedules. */
  async up(schedules: readonly Schedule[], worker: false | 'worker' = 'worker'): Promise<Runtime> {
    const runtime = await open({
      store: this.#factory,
      flows: [this.report],
      schedules,
      worker: worker === false ? false : { name: `process-${this.#runtimes.size}`, leaseMs: 60_000, pollMs: neverMs },
      parts: { clock: this.clock, log: (_level, message) => void this.warnings.push(message) },
    })
    this.#runtimes.add(runtime)
    await this.calm()
    return runtime
  }

  /** Ends a process. */
  async down(runtime: Runtime): Promise<void> {
    this.#runtimes.delete(runtime)
    await runtime.close()
  }

  /** Deletes all that a run carries that has ended. */
  async erase(run: string): Promise<void> {
    const store = await this.#factory(partsOf(this.clock))
    const drafts = [
      { kind: 'Erased', body: JSON.stringify({ texts: [{ stream: `run/${run}`, from: 0, to: 99 }] }), data: undefined },
    ]
    const request = {
      stream: 'governance' as StreamId,
      head: undefined,
      drafts,
      by: 'principal:ada',
      seen: nothingSeen,
    }
    const { kind } = await store.record(request)
    if (kind !== 'recorded') throw new Error(`What run ${run} carries was to be erased, but: ${kind}.`)
    await store.close()
  }

  /** Moves time on from timer to timer, up to a moment, and lets everything happen that is due. */
  async goTo(moment: string): Promise<void> {
    const toMs = Date.parse(moment)
    for (let next = this.clock.nextMs; next !== undefined && next <= toMs; next = this.clock.nextMs) {
      this.clock.advanceTo(next)
      await this.calm()
    }
    this.clock.advanceTo(toMs)
    await this.calm()
  }

  /** Waits until no process has anything to do. */
  async calm(): Promise<void> {
    const [runtime] = this.#runtimes
    await drained()
    if (runtime === undefined) return
    const names = new Set(runtime.flows.map(({ name }) => name))
    await until(async () => {
      const running = await runtime.runs({ status: 'running' })
      const ready = await runtime.runs({ status: 'ready' })
      return running.items.length === 0 && !ready.items.some((row) => names.has(row.flow))
    }, 'everybody is calm')
  }

  /** What was executed since it was asked last: the moments in the ids. */
  taken(): string[] {
    return this.executed.splice(0).map((id) => id.slice(id.indexOf(':') + 1))
  }

  async end(): Promise<void> {
    for (const runtime of this.#runtimes) await runtime.close()
    await this.#database?.dispose()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Every so many minutes from a moment up to and including another, as ids of occurrences have them. */
export function every(minutes: number, from: string, until: string): string[] {
  const found: string[] = []
  for (let ms = Date.parse(from); ms <= Date.parse(until); ms += minutes * 60_000) {
    found.push(new Date(ms).toISOString().replace('.000Z', 'Z'))
  }
  return found
}
