import { postgres } from 'constancia/postgres'
import { memory } from 'constancia/testing'
import { advance, type Load } from '../advancing.js'
import { apart } from '../many/apart.js'
import { drainWith } from '../many/short-runs.js'
import type { Place } from '../place.js'
import { BarePostgres, dropSchemas, type Schema, versionOf } from './bare.js'
import { startServer } from './server.js'
import { measureWaking, type Waking } from './waking.js'

/** How much is measured over PostgreSQL. */
export interface FleetSizes {
  readonly rounds: number
  readonly oneRun: Load
  readonly manyRuns: Load
  readonly wakes: number
  /** Wakes of a new process that come first and do not count. */
  readonly uncountedWakes: number
  readonly queuedRuns: number
  readonly steps: number
  /** Steps of each worker process that come first and do not count. */
  readonly uncountedSteps: number
  /** By how many processes a queue is emptied, one count after the other. */
  readonly workers: readonly number[]
}

/** What `npm run bench` measures. */
export const fullFleetSizes: FleetSizes = {
  rounds: 3,
  oneRun: { runs: 1, stretches: 10, steps: 100 },
  manyRuns: { runs: 256, stretches: 6, steps: 10 },
  wakes: 200,
  uncountedWakes: 10,
  queuedRuns: 6_000,
  steps: 10,
  uncountedSteps: 3_000,
  workers: [1, 2, 4],
}

/** Just enough to see that everything works. */
export const quickFleetSizes: FleetSizes = {
  rounds: 1,
  oneRun: { runs: 1, stretches: 2, steps: 10 },
  manyRuns: { runs: 16, stretches: 2, steps: 5 },
  wakes: 3,
  uncountedWakes: 1,
  queuedRuns: 40,
  steps: 2,
  uncountedSteps: 0,
  workers: [1, 2],
}

/** What was measured, in the order in which it was. Rates are by the second. */
export interface FleetSamples {
  readonly server: string
  readonly oneRun: number[]
  readonly oneRunBare: number[]
  readonly manyRuns: number[]
  readonly manyRunsBare: number[]
  readonly wakings: Waking[]
  /** Steps a second, by the number of processes. */
  readonly queues: ReadonlyMap<number, number[]>
}

/** Measures workers over PostgreSQL; what is compared takes turns. */
export async function measureFleet(place: Place, sizes: FleetSizes): Promise<FleetSamples> {
  const server = await startServer(place)
  try {
    const bench = new FleetBench(server.url, sizes, await versionOf(server.url))
    for (let round = 0; round <= sizes.rounds; round += 1) await bench.round(round === 0)
    return bench.samples
  } finally {
    await server.stop()
  }
}

class FleetBench {
  readonly samples: FleetSamples
  readonly #url: string
  readonly #sizes: FleetSizes
  #schemaCount = 0

  constructor(url: string, sizes: FleetSizes, server: string) {
    this.#url = url
    this.#sizes = sizes
    const queues = new Map(sizes.workers.map((count): [number, number[]] => [count, []]))
    this.samples = { server, oneRun: [], oneRunBare: [], manyRuns: [], manyRunsBare: [], wakings: [], queues }
  }

  /** Measures everything once; the first time only warms up what is compared step by step. */
  async round(isFirst: boolean): Promise<void> {
    const { oneRun, manyRuns, wakes, uncountedWakes, workers } = this.#sizes
    const { samples } = this
    const none = { constancia: [], bare: [] }
    await this.#compare(oneRun, isFirst ? none : { constancia: samples.oneRun, bare: samples.oneRunBare })
    await this.#compare(manyRuns, isFirst ? none : { constancia: samples.manyRuns, bare: samples.manyRunsBare })
    if (isFirst) return
    const waking = await this.#inSchema((schema) => measureWaking(schema, wakes, uncountedWakes))
    samples.wakings.push(waking)
    for (const count of workers) samples.queues.get(count)?.push(await this.#drain(count))
  }

  async #compare(load: Load, into: { readonly constancia: number[]; readonly bare: number[] }): Promise<void> {
    const { before, stretches } = await advance(memory(), load)
    await this.#inSchema(async (schema) =>
      this.#inSchema(async (bareSchema) => {
        const bare = await BarePostgres.create(bareSchema)
        await bare.begin(before)
        const bareMs: number[] = []
        const { stretchMs } = await advance(postgres(schema), load, async (stretch) => {
          const groups = stretches[stretch]
          if (groups !== undefined) bareMs.push(await bare.write(groups))
        })
        await bare.close()
        const eventCount = load.runs * (load.steps + 1)
        into.constancia.push(...stretchMs.map((ms) => (eventCount / ms) * 1000))
        into.bare.push(...bareMs.map((ms) => (eventCount / ms) * 1000))
      }),
    )
  }

  async #drain(processCount: number): Promise<number> {
    const { queuedRuns: runs, steps, uncountedSteps } = this.#sizes
    return this.#inSchema(async (where) => {
      await apart({ kind: 'fill', where, runs, steps })
      return drainWith({ where, runs, steps, processCount, uncountedSteps })
    })
  }

  async #inSchema<T>(work: (schema: Schema) => Promise<T>): Promise<T> {
    this.#schemaCount += 1
    const schema = `constancia_bench_${process.pid}_${this.#schemaCount}`
    try {
      return await work({ url: this.#url, schema })
    } finally {
      await dropSchemas(this.#url, [schema])
    }
  }
}
