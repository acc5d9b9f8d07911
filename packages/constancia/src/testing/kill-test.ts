import { AssertionError } from 'node:assert'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect, isDeepStrictEqual } from 'node:util'
import { decodeValue, defaultLimits, parseRunId, runStream } from '../journal/index.js'
import { type StoreFactory, systemClock } from '../store/index.js'
import { type Found, type FoundRun, judge } from './kill-judge.js'
import { KillPlan } from './kill-plan.js'
import { KillReport } from './kill-report.js'
import { KillRound } from './kill-round.js'
import { type MadeStore, makeKillFolder, type ProcessStores, sqliteIn } from './kill-stores.js'
import type { StartOrder } from './kill-words.js'
import type { CountingDestination } from './ledger-server.js'
import type { ScriptedSignal } from './script.js'

/** One run of a kill test. */
export interface KillStart {
  /** Name of a flow of the module; of several versions, the one that comes last. */
  readonly flow: string
  readonly input: unknown
  /** The flow's name and a number unless set. */
  readonly id?: string
  /** Signals to send, in this order. */
  readonly signals?: readonly ScriptedSignal[]
  /** What the run must return; unless it is there, only that it returns the same as when nobody is killed. */
  readonly output?: unknown
}

/** What {@link killTest} takes. */
export interface KillTestOptions {
  /** URL of a module whose default export is an array of flows: `new URL('./flows.mjs', import.meta.url)`. */
  readonly flows: URL | string
  /** Some dozens: while one process is killed over some of them, the others must not have ended. */
  readonly starts: readonly KillStart[]
  /** Processes to end by SIGKILL. */
  readonly kills: number
  /** Processes to stop (SIGSTOP) for longer than their lease; they go on while others have taken over. 0 unless set. */
  readonly stops?: number
  /** Where journals are; a SQLite file for each round unless set. */
  readonly stores?: ProcessStores
  /** Where effects go, in a process that nobody kills: `await startLedgerServer()`. */
  readonly destination?: CountingDestination
  /**
   * Whether a run gives the same facts each time; true unless set. Set it to false where steps return times, random numbers
   * or other things of chance: then neither what events carry nor what is sent is compared, only which of them there are.
   */
  readonly repeatable?: boolean
  /** Decides where processes are ended; a fresh one unless set. It repeats the plan, not the timing of real processes. */
  readonly seed?: number
  /** Processes at once; 2 unless set. */
  readonly workers?: number
  /** Runs that one process advances at once; 8 unless set. */
  readonly concurrency?: number
  /** Milliseconds; 250 unless set. */
  readonly leaseMs?: number
  /** Milliseconds after which a process whose runs have not ended counts as failed; 60,000 unless set. */
  readonly patienceMs?: number
  /** Where files and diaries are kept; a temporary folder, in memory if there is room, removed at the end, unless set. */
  readonly folder?: string
}

// So many rounds without a kill, and there is nothing to kill.
const idleRoundsMax = 3

/**
 * Runs flows in real processes on one store, a SQLite file unless another is named, and ends those by SIGKILL, at random moments and at exact places, until as
 * many as asked were really killed. Then every event that a process was told is stored must be there, every chain must
 * verify, and every run must have ended as it does when nobody is killed: the same facts of each op, the same output, each
 * effect accepted once. Throws an `AssertionError` with the table where anything differs or fewer processes were killed.
 *
 *     await killTest({ flows: new URL('./flows.mjs', import.meta.url), starts, kills: 300, destination })
 */
export async function killTest(options: KillTestOptions): Promise<KillReport> {
  const kept = options.folder
  const folder = kept ?? (await makeKillFolder())
  const kit = new KillKit(options, folder)
  try {
    return await kit.test()
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

class KillKit {
  readonly #options: KillTestOptions
  readonly #folder: string
  readonly #starts: readonly StartOrder[]
  readonly #seed: number
  #plan: KillPlan
  readonly #report: KillReport

  constructor(options: KillTestOptions, folder: string) {
    const seed = options.seed ?? randomInt(2 ** 31)
    this.#options = options
    this.#folder = folder
    this.#starts = options.starts.map(({ flow, input, id, signals }, index) => ({
      flow,
      input,
      id: id ?? `${flow}-${index}`,
      signals: signals ?? [],
    }))
    this.#seed = seed
    this.#plan = this.#planFor({})
    this.#report = new KillReport(seed)
  }

  async test(): Promise<KillReport> {
    const report = this.#report
    const expected = await this.#reference()
    const beganMs = systemClock.monotonic()
    const { kills, stops = 0 } = this.#options
    const budget = { kills, stops }
    for (let idleRounds = 0; report.killCount < kills || report.stopCount < stops; ) {
      const before = report.killCount + report.stopCount
      await this.#round(expected, budget)
      report.durationMs = systemClock.monotonic() - beganMs
      idleRounds = before === report.killCount + report.stopCount ? idleRounds + 1 : 0
      if (report.failures.length === 0 && idleRounds < idleRoundsMax) continue
      this.#fail(`${report.killCount} of ${kills} processes were killed and ${report.stopCount} of ${stops} stopped.`)
    }
    return report
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? 250
  }

  #planFor(passes: Readonly<Record<string, number>>): KillPlan {
    return new KillPlan(this.#seed, { leaseMs: this.#leaseMs, passes })
  }

  // Nobody is killed: this is what every other round is compared with.
  async #reference(): Promise<Found> {
    const part = { report: new KillReport(0), workers: 1, budget: { kills: 0, stops: 0 } }
    const { found, failure, round } = await this.#play('reference', part)
    const { failures } = this.#report
    if (failure !== undefined) failures.push(failure)
    failures.push(...judge({ found, expected: found, diaries: round.diaries, repeatable: true }))
    this.#report.outputs = new Map(this.#starts.map(({ id }) => [id, outputOf(found.runs.get(id))]))
    failures.push(...this.#judgeOutputs())
    this.#plan = this.#planFor(Object.assign({}, ...round.diaries.map(({ passed }) => passed)))
    if (failures.length > 0) this.#fail('The round in which nobody is killed is not as it must be.')
    return found
  }

  #judgeOutputs(): string[] {
    return this.#options.starts.flatMap((start, index) => {
      const id = this.#starts[index]?.id ?? ''
      const got = this.#report.outputs.get(id)
      if (!Object.hasOwn(start, 'output') || isDeepStrictEqual(got, start.output)) return []
      return [`run ${id} returned ${inspect(got)} instead of ${inspect(start.output)}`]
    })
  }

  async #round(expected: Found, budget: { kills: number; stops: number }): Promise<void> {
    const report = this.#report
    const { workers = 2, repeatable = true } = this.#options
    const { found, failure, round } = await this.#play(`round-${report.roundCount + 1}`, { report, workers, budget })
    report.roundCount += 1
    if (failure !== undefined) report.failures.push(failure)
    report.failures.push(...judge({ found, expected, diaries: round.diaries, repeatable }))
    for (const { events } of found.runs.values()) report.eventCount += events.length
    report.acceptedCount += Object.keys(found.accepted).length
    report.requestCount += this.#options.destination?.requestCount ?? 0
  }

  async #play(name: string, part: RoundPart): Promise<Played> {
    const folder = join(this.#folder, name)
    await mkdir(folder)
    await this.#options.destination?.reset()
    const made = (await this.#options.stores?.make()) ?? sqliteIn(folder)
    try {
      return await this.#playOn(made, folder, part)
    } finally {
      await made.dispose()
      if (this.#options.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  async #playOn({ address, factory }: MadeStore, folder: string, part: RoundPart): Promise<Played> {
    const { destination, concurrency = 8, flows, stores, patienceMs = 60_000 } = this.#options
    const round = new KillRound({
      ...part,
      flows: String(flows),
      starts: this.#starts,
      stores: stores === undefined ? undefined : String(stores.module),
      address,
      folder,
      concurrency,
      leaseMs: this.#leaseMs,
      lifeMsMax: patienceMs,
      plan: this.#plan,
    })
    const failure = await round.play()
    const found = { runs: await this.#look(factory), accepted: (await destination?.accepted()) ?? {} }
    return { found, failure, round }
  }

  // With a handle of its own, after every process is gone.
  async #look(factory: StoreFactory): Promise<Map<string, FoundRun>> {
    const store = await factory({ clock: systemClock, randomBytes, limits: defaultLimits, warn: () => undefined })
    try {
      const runs = new Map<string, FoundRun>()
      for (const { id } of this.#starts) {
        const run = parseRunId(id)
        runs.set(id, { row: await store.run(run), events: await store.read(runStream(run)) })
      }
      return runs
    } finally {
      await store.close()
    }
  }

  #fail(what: string): never {
    const { failures } = this.#report
    const shown = failures.slice(0, 10).map((failure) => `  ${failure}`)
    throw new AssertionError({ message: [what, this.#report.table(), ...shown].join('\n') })
  }
}

interface RoundPart {
  readonly report: KillReport
  readonly workers: number
  readonly budget: { kills: number; stops: number }
}

interface Played {
  readonly found: Found
  /** Why the round came to no end. */
  readonly failure: string | undefined
  readonly round: KillRound
}

function outputOf(run: FoundRun | undefined): unknown {
  const last = run?.events.at(-1)
  return last?.kind === 'FlowCompleted' && last.data !== undefined ? decodeValue(last.data) : undefined
}
