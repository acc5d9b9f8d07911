import { setTimeout as pause } from 'node:timers/promises'
import { flow, open, type Run, type Runtime, type WorkerOptions } from 'constancia'
import { type PostgresOptions, postgres } from 'constancia/postgres'
import { Acknowledged } from './watched.js'

/** What many workers of one process share. */
export interface FleetOptions {
  readonly count: number
  readonly store: PostgresOptions
  readonly worker?: Partial<WorkerOptions>
}

/** Something that a worker said to its log. */
export interface Said {
  readonly worker: number
  readonly atMs: number
  readonly message: string
}

/** Many workers, each with a store of its own, and somebody outside who starts runs and sends signals. */
export class Fleet {
  readonly acknowledged = new Acknowledged()
  /** How often each step was executed, by its key. */
  readonly executed = new Map<string, number>()
  readonly said: Said[] = []
  readonly #options: FleetOptions
  readonly #workers: Runtime[] = []
  #outside: Runtime | undefined
  #lastNo = 0

  private constructor(options: FleetOptions) {
    this.#options = options
  }

  static async open(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options)
    fleet.#outside = await fleet.#runtime(false, -1)
    const { count, worker = {} } = options
    fleet.#workers.push(...(await Promise.all(Array.from({ length: count }, (_, no) => fleet.#runtime(worker, no)))))
    return fleet
  }

  readonly works = flow({
    name: 'works',
    version: 1,
    run: async (ctx, no: number) => {
      const step = (name: string) =>
        ctx.step(name, ({ key }) => {
          this.executed.set(key, (this.executed.get(key) ?? 0) + 1)
          return name
        })
      const first = [await step('a'), await step('b')]
      const paid = await ctx.signal('paid')
      return [no, ...first, paid, await step('c')]
    },
  })

  /** Starts runs. */
  async start(count: number): Promise<Run[]> {
    return Promise.all(
      Array.from({ length: count }, () => {
        this.#lastNo += 1
        return this.#api.start(this.works, this.#lastNo, { id: `r${this.#lastNo}` })
      }),
    )
  }

  /** Sends each what it waits for. */
  async signal(runs: readonly Run[]): Promise<void> {
    await Promise.all(runs.map((run) => run.signal('paid', run.id, { delivery: `paid-${run.id}` })))
  }

  /** Waits until runs have ended, and fails unless each ended well, with a whole journal and each step executed once. */
  async judge(runs: readonly Run[]): Promise<void> {
    await Promise.all(runs.map((run) => this.#judge(run)))
    const twice = [...this.executed].filter(([, count]) => count !== 1)
    if (twice.length > 0) throw new Error(`Executed more than once: ${JSON.stringify(twice)}.`)
  }

  async #judge(run: Run): Promise<void> {
    const output = JSON.stringify(await run.result())
    const expected = JSON.stringify([Number(run.id.slice(1)), 'a', 'b', run.id, 'c'])
    if (output !== expected) throw new Error(`${run.id} gave ${output}.`)
    const events = await run.events()
    this.acknowledged.judge(run.id, events)
    const kinds = events.map(({ kind }) => kind).sort()
    if (kinds.join() !== wanted) throw new Error(`${run.id} has the events ${kinds.join()}.`)
  }

  /** Waits until runs rest and wait for their signal; fails where one ended without it. */
  async untilWaiting(runs: readonly Run[]): Promise<void> {
    await Promise.all(runs.map(untilWaiting))
  }

  /** How long it takes, in milliseconds, from a signal from outside to the end of a run that rests. */
  async wakeMs(): Promise<number> {
    const runs = await this.start(1)
    await this.untilWaiting(runs)
    const startMs = performance.now()
    await this.signal(runs)
    await this.judge(runs)
    return performance.now() - startMs
  }

  /** Fails if a worker said more than one line a second since then. Returns how many lines there were. */
  judgeLines(sinceMs: number): number {
    const said = this.said.filter(({ atMs }) => atMs >= sinceMs)
    const countMax = 1 + (performance.now() - sinceMs) / 1000
    for (let worker = -1; worker < this.#options.count; worker += 1) {
      const own = said.filter((one) => one.worker === worker)
      if (own.length > countMax) throw new Error(`Said too often: ${own.map(({ message }) => message).join(' | ')}`)
    }
    return said.length
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers, this.#api].map((one) => one.close()))
  }

  get #api(): Runtime {
    if (this.#outside === undefined) throw new Error('The fleet is not open.')
    return this.#outside
  }

  /** One more member, which belongs to whoever asks for it. */
  join(store: PostgresOptions): Promise<Runtime> {
    return open({ store: postgres({ ...this.#options.store, ...store }), flows: [this.works], log: () => undefined })
  }

  #runtime(worker: Partial<WorkerOptions> | false, no: number): Promise<Runtime> {
    const store = this.acknowledged.of(postgres(this.#options.store))
    const log = (_: string, message: string): void =>
      void this.said.push({ worker: no, atMs: performance.now(), message })
    return open({ store, flows: [this.works], worker, log })
  }
}

async function untilWaiting(run: Run): Promise<void> {
  for (;;) {
    const { status, outcome } = await run.row()
    if (status === 'waiting') return
    if (outcome !== 'open') throw new Error(`${run.id} was to wait for its signal, but it has ended as ${outcome}.`)
    await pause(20)
  }
}

const wanted = [
  'FlowCompleted',
  'FlowStarted',
  'SignalReceived',
  'StepCompleted',
  'StepCompleted',
  'StepCompleted',
].join()
