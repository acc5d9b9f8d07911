import type { Load } from '../advancing.js'
import type { Chapter, Measuring } from '../chapter.js'
import { compare } from '../comparing.js'
import { apart } from '../many/apart.js'
import { drainWith } from '../many/short-runs.js'
import { dropSchemas, type Schema, versionOf } from './bare.js'
import { fleetRows } from './rows.js'
import { startServer } from './server.js'
import { type FleetSamples, type FleetSizes, fullFleetSizes, quickFleetSizes } from './sizes.js'
import { measureWaking } from './waking.js'

/** Measures workers over PostgreSQL; what is compared takes turns. */
export async function measureFleet({ place, isQuick, tell }: Measuring): Promise<Chapter> {
  const sizes = isQuick ? quickFleetSizes : fullFleetSizes
  const server = await startServer(place)
  try {
    const bench = new FleetBench({ url: server.url, sizes, tell })
    for (let round = 1; round <= sizes.uncountedRounds; round += 1) {
      await bench.warmUp()
      tell('PostgreSQL: warm')
    }
    for (let round = 1; round <= sizes.rounds; round += 1) {
      await bench.round()
      tell(`PostgreSQL: round ${round} of ${sizes.rounds}`)
    }
    const rounds = `Rounds over PostgreSQL: ${sizes.rounds}.`
    return { rows: fleetRows(sizes, bench.samples), rounds, server: await versionOf(server.url) }
  } finally {
    await server.stop()
  }
}

class FleetBench {
  readonly samples: FleetSamples
  readonly #url: string
  readonly #sizes: FleetSizes
  readonly #tell: Measuring['tell']
  #schemaCount = 0

  constructor({
    url,
    sizes,
    tell,
  }: { readonly url: string; readonly sizes: FleetSizes; readonly tell: Measuring['tell'] }) {
    this.#url = url
    this.#sizes = sizes
    this.#tell = tell
    const queues = new Map(sizes.workers.map((count): [number, number[]] => [count, []]))
    this.samples = { oneRun: [], oneRunBare: [], manyRuns: [], manyRunsBare: [], wakings: [], queues }
  }

  /** Does what is compared step by step, and counts nothing of it. */
  async warmUp(): Promise<void> {
    const { oneRun, manyRuns } = this.#sizes
    await this.#compare(oneRun, { constancia: [], bare: [] })
    await this.#compare(manyRuns, { constancia: [], bare: [] })
  }

  /** Measures everything once. */
  async round(): Promise<void> {
    const { oneRun, manyRuns, wakes, uncountedWakes, workers } = this.#sizes
    const { samples } = this
    await this.#compare(oneRun, { constancia: samples.oneRun, bare: samples.oneRunBare })
    await this.#compare(manyRuns, { constancia: samples.manyRuns, bare: samples.manyRunsBare })
    this.#tell('PostgreSQL: steps')
    const waking = await this.#inSchema((schema) => measureWaking(schema, wakes, uncountedWakes))
    samples.wakings.push(waking)
    this.#tell('PostgreSQL: waking')
    for (const count of workers) {
      samples.queues.get(count)?.push(await this.#drain(count))
      this.#tell(`PostgreSQL: a queue and ${count} worker processes`)
    }
  }

  async #compare(load: Load, into: { readonly constancia: number[]; readonly bare: number[] }): Promise<void> {
    await this.#inSchema(async (schema) =>
      this.#inSchema(async (bareSchema) => {
        const { constancia, bare } = await compare({ constancia: schema, bare: bareSchema }, load)
        into.constancia.push(...constancia)
        into.bare.push(...bare)
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
