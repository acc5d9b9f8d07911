import { open } from 'constancia'
import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { listenerId, parkedFlows, pause } from '../many/parked.js'
import { wakeElsewhere } from '../many/waking.js'
import { connect, type Schema } from './bare.js'

/** Milliseconds of wakes one after the other, and of the least that any wake could be, which took turns with them. */
export interface Waking {
  readonly latenciesMs: readonly number[]
  readonly bareMs: readonly number[]
}

/** Starts runs that wait for a signal, and brings all of them to rest. */
export async function parkListeners({ url, schema }: Schema, runs: number): Promise<void> {
  const { listener } = parkedFlows(() => undefined)
  const runtime = await open({
    store: postgres({ url, schema }),
    flows: [listener],
    worker: { concurrency: 500 },
    log: () => undefined,
  })
  const starts = Array.from({ length: runs }, (_, index) => runtime.start(listener, null, { id: listenerId(index) }))
  await Promise.all(starts)
  while ((await runtime.runs({ status: 'waiting', limit: runs })).items.length < runs) await pause(5)
  await runtime.close()
}

/**
 * Wakes runs by signals, while another process works on them. The first few are not counted: there everything is done for the
 * first time. After each, two connections of this process do what cannot be left out: one commits a row and notifies, the
 * other hears it and commits a row.
 */
export async function measureWaking(place: Schema, wakes: number, uncounted: number): Promise<Waking> {
  await parkListeners(place, wakes + uncounted)
  const bare = await BareWaking.create(place)
  const bareMs: number[] = []
  const ids = Array.from({ length: wakes + uncounted }, (_, index) => listenerId(index))
  const latenciesMs = await wakeElsewhere(place, ids, async () => {
    await pause(5)
    bareMs.push(await bare.wake())
    await pause(5)
  })
  await bare.close()
  return { latenciesMs: latenciesMs.slice(uncounted), bareMs: bareMs.slice(uncounted) }
}

class BareWaking {
  readonly #sender: pg.Client
  readonly #listener: pg.Client
  readonly #sql: string

  private constructor(sender: pg.Client, listener: pg.Client, schema: string) {
    this.#sender = sender
    this.#listener = listener
    this.#sql = `INSERT INTO "${schema}".bare VALUES (1)`
  }

  static async create({ url, schema }: Schema): Promise<BareWaking> {
    const [sender, listener] = await Promise.all([connect(url), connect(url)])
    await sender.query(`CREATE TABLE "${schema}".bare (no integer)`)
    await listener.query('LISTEN bare')
    return new BareWaking(sender, listener, schema)
  }

  async wake(): Promise<number> {
    const heard = new Promise<void>((resolve) => this.#listener.once('notification', () => resolve()))
    const sentMs = performance.now()
    await this.#sender.query(`WITH i AS (${this.#sql}) SELECT pg_notify('bare', '')`)
    await heard
    await this.#listener.query(this.#sql)
    return performance.now() - sentMs
  }

  async close(): Promise<void> {
    await Promise.all([this.#sender.end(), this.#listener.end()])
  }
}
