import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyFlow, flow, open, type RunRow, type Runtime, type WorkerOptions } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { type Clock, type StoreFactory, systemClock } from '../../dist/store/index.js'
import { rawConnection } from '../store/raw.js'

/** Pulses and everything else that waits a second come when a test says so; all other time is real. */
export class HandClock implements Clock {
  readonly #waiting = new Set<() => void>()
  now = systemClock.now
  /** Set, no second passes by itself either. */
  frozenMs: number | undefined

  monotonic(): number {
    return this.frozenMs ?? systemClock.monotonic()
  }

  after(delayMs: number, call: () => void): () => void {
    if (delayMs !== 1_000) return systemClock.after(delayMs, call)
    this.#waiting.add(call)
    return () => this.#waiting.delete(call)
  }

  /** How many wait for their second. */
  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Lets the second pass. */
  pass(): void {
    for (const call of [...this.#waiting]) {
      this.#waiting.delete(call)
      call()
    }
  }
}

/** A folder with a database, its mark, and the old copies that a test keeps of them. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'constancia-mark-'))
  readonly file = join(this.folder, 'runs.db')
  readonly mark = join(this.folder, 'runs.mark')
  readonly lines: string[] = []
  readonly clock = new HandClock()
  /** What steps really did, in order: it outlives every database. */
  readonly executed: string[] = []
  readonly #opened: Runtime[] = []
  readonly flows: readonly AnyFlow[]
  readonly two

  constructor() {
    this.two = flow({
      name: 'two',
      version: 1,
      run: async (ctx, name: string) => {
        await ctx.step('first', () => this.executed.push(`${name} first`))
        await ctx.signal('go')
        await ctx.step('second', () => this.executed.push(`${name} second`))
        await ctx.signal('end')
        return name
      },
    })
    this.flows = [this.two]
  }

  /** Opens the database; a worker that looks often unless told otherwise. */
  async open(
    how: {
      readonly store?: StoreFactory
      readonly worker?: Partial<WorkerOptions> | false
      readonly flows?: readonly AnyFlow[]
    } = {},
  ): Promise<Runtime> {
    const runtime = await open({
      store: how.store ?? sqlite({ file: this.file }),
      flows: how.flows ?? this.flows,
      worker: how.worker ?? { pollMs: 20, graceMs: 0 },
      mark: this.mark,
      log: (level, message) => void this.lines.push(`${level} ${message}`),
      parts: { clock: this.clock },
    })
    this.#opened.push(runtime)
    return runtime
  }

  /** A copy of the database as it is now, as a backup makes one. */
  backUp(name: string): string {
    const copy = join(this.folder, name)
    const raw = rawConnection(this.file)
    raw.exec(`VACUUM INTO '${copy}'`)
    raw.close()
    return copy
  }

  /** Puts a copy where the database was, with another file's identity, as restoring does. */
  restore(copy: string): void {
    for (const ending of ['-wal', '-shm']) rmSync(this.file + ending, { force: true })
    const fresh = join(this.folder, 'fresh')
    copyFileSync(copy, fresh)
    renameSync(fresh, this.file)
  }

  /** Another place with what a process that is ended now would leave behind: a database, the mark and the notes. */
  left(database: string): Place {
    const other = new Place()
    copyFileSync(database, other.file)
    for (const name of this.notes()) copyFileSync(join(this.folder, name), join(other.folder, name))
    copyFileSync(this.mark, other.mark)
    return other
  }

  /** The names of files with notes. */
  notes(): string[] {
    return readdirSync(this.folder).filter((name) => name.endsWith('.notes'))
  }

  /** Lines about losses. */
  get alarms(): string[] {
    return this.lines.filter((line) => line.startsWith('error'))
  }

  async dispose(): Promise<void> {
    for (const runtime of this.#opened) await runtime.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The row of a run once it is as wanted. Fails after half a minute. */
export async function until(runtime: Runtime, id: string, holds: (row: RunRow) => boolean): Promise<RunRow> {
  for (let count = 0; count < 3_000; count += 1) {
    const row = await runtime
      .run(id)
      .row()
      .catch(() => undefined)
    if (row !== undefined && holds(row)) return row
    await new Promise((resolve) => void systemClock.after(10, () => resolve(undefined)))
  }
  throw new Error(`Run ${id} did not become what was waited for.`)
}
