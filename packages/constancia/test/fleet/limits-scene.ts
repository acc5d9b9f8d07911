import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Flow, flow, open, type Run, type Runtime } from 'constancia'
import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import type { TestContext } from 'vitest'
import { databaseUrl, dropSchema, newSchema, rawConnection } from '../postgres/database.js'
import type { Judge } from './limits-judge.js'

const program = fileURLToPath(new URL('./limits-worker.mjs', import.meta.url))
const names = ['limited', 'many', 'few', 'ranked'] as const

// This process only starts runs and looks; all work is done in others. The key of a run is part of its start.
const flows = Object.fromEntries(
  names.map((name) => {
    const key = name === 'limited' ? { key: (input: unknown) => (input as { readonly key: string }).key } : {}
    return [name, flow({ name, version: 1, run: async () => undefined as unknown, ...key })]
  }),
) as Readonly<Record<(typeof names)[number], Flow<unknown, unknown>>>

/** What a scene differs in. */
export interface SceneOptions {
  readonly judge: Judge
  /** Runs that a worker has at once. */
  readonly concurrency: number
  /** Schedules by their names: what each worker has. */
  readonly schedules?: Readonly<Record<string, string>>
  /** When it begins, UTC milliseconds since 1970; now unless set. */
  readonly startMs?: number
}

/** Worker processes over one PostgreSQL, and somebody outside who starts runs. All of it ends with its test. */
export class LimitsScene {
  readonly schema = newSchema()
  readonly #options: SceneOptions
  readonly #workers = new Map<string, ChildProcess>()
  #url = ''
  #judgeUrl = ''
  #raw!: pg.Client
  #outside!: Runtime
  #count = 0
  #aheadMs: number

  private constructor(options: SceneOptions) {
    this.#options = options
    this.#aheadMs = options.startMs === undefined ? 0 : options.startMs - Date.now()
  }

  static async open({ onTestFinished }: TestContext, options: SceneOptions): Promise<LimitsScene> {
    const scene = new LimitsScene(options)
    onTestFinished(() => scene.#close())
    await scene.#open()
    return scene
  }

  async #open(): Promise<void> {
    this.#url = await databaseUrl()
    this.#judgeUrl = await this.#options.judge.open()
    const store = postgres({ url: this.#url, schema: this.schema })
    this.#outside = await open({ store, flows: Object.values(flows), worker: false, log: () => undefined })
    this.#raw = await rawConnection(this.#url)
    if (this.#aheadMs !== 0) await this.#raw.query(clockAhead(this.schema, this.#aheadMs))
  }

  /** Starts so many workers, and returns when all of them work. */
  async workers(count: number): Promise<void> {
    const begun = Array.from({ length: count }, async () => {
      const name = `w${this.#count++}`
      const { concurrency, schedules = {} } = this.#options
      const place = { url: this.#url, schema: this.schema, judge: this.#judgeUrl }
      const order = { ...place, name, concurrency, schedules, aheadMs: this.#aheadMs }
      const child = fork(program, [JSON.stringify(order)])
      this.#workers.set(name, child)
      await once(child, 'message')
    })
    await Promise.all(begun)
  }

  start(name: (typeof names)[number], id: string, input: object, priority = 0): Promise<Run> {
    return this.#outside.start(flows[name], input, { id, priority })
  }

  /** The ids of all runs of a flow. */
  async idsOf(name: string): Promise<string[]> {
    return (await this.#outside.runs({ flow: name, limit: 1_000 })).items.map(({ id }) => id as string)
  }

  result(id: string): Promise<unknown> {
    return this.#outside.run(id).result()
  }

  /** How many runs of a flow workers hold, as the database counts them. */
  async heldCount(name: string): Promise<number> {
    const select = `SELECT count(*)::integer AS count FROM "${this.schema}".runs WHERE flow = $1 AND status = 'running'`
    return Number((await this.#raw.query(select, [name])).rows[0].count)
  }

  /** Ends a worker by SIGKILL; its leases go on. */
  async kill(name: string): Promise<void> {
    const child = this.#workers.get(name)
    if (child === undefined) throw new Error(`There is no worker ${name}.`)
    this.#workers.delete(name)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    this.#options.judge.bury(name)
  }

  /** The leases of a worker that is gone run out now: nobody has to wait for it. */
  async expire(name: string): Promise<void> {
    const expire = `UPDATE "${this.schema}".runs SET due_at = 1 WHERE worker = $1 AND claim_id IS NOT NULL`
    await this.#raw.query(expire, [name])
  }

  /** Time jumps on to a moment, for the workers first: what the database calls due is due for them as well. */
  async jump(toMs: number): Promise<void> {
    this.#aheadMs = toMs - Date.now()
    const jumped = [...this.#workers.values()].map((child) => once(child, 'message'))
    for (const child of this.#workers.values()) child.send(this.#aheadMs)
    await Promise.all(jumped)
    await this.#raw.query(clockAhead(this.schema, this.#aheadMs))
  }

  async #close(): Promise<void> {
    for (const name of [...this.#workers.keys()]) await this.kill(name)
    await this.#outside.close()
    await this.#raw.end()
    await this.#options.judge.close()
    await dropSchema(this.schema)
  }
}

function clockAhead(schema: string, ms: number): string {
  return `CREATE OR REPLACE FUNCTION "${schema}".now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $body$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${Math.floor(ms)} $body$`
}
