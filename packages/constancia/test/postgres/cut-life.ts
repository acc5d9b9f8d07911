import { type OpenOptions, open, type Run, type Runtime } from 'constancia'
import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { type Plan, plans } from './cut-flows.js'
import { dropSchema, newSchema, rawConnection } from './database.js'
import { type Position, type Question, SqlProxy } from './sql-proxy.js'

/** A place in a life at which its connection is cut. */
export interface Cut extends Question {
  readonly position: Position
}

/** What a life left behind. */
export interface Life {
  /** Its journal without what names the run. */
  readonly facts: readonly string[]
  /** How often each step was executed, by its key without the run. */
  readonly executed: Readonly<Record<string, number>>
  readonly cutCount: number
}

/** A process with a worker, whose connections lead through a proxy of its own to a schema of its own; it lives flows one by one. */
export class Lane {
  readonly schema = newSchema()
  readonly proxy: SqlProxy
  readonly #raw: pg.Client
  readonly #url: string
  readonly #plans = plans({ count: (key) => this.#count(key), first: () => this.#renewed })
  #plan = this.#plans[0] as Plan
  #executed: Record<string, number> = {}
  #onRenewed: () => void = () => undefined
  // What came before a life is no part of it.
  #onBegin: () => void = () => undefined
  #renewed: Promise<void> = Promise.resolve()
  #runtime: Runtime | undefined
  #lastNo = 0

  private constructor(proxy: SqlProxy, url: string, raw: pg.Client) {
    this.proxy = proxy
    this.#url = url
    this.#raw = raw
    proxy.onAnswered = ({ sql }) => {
      if (sql.includes('RETURNING held.id')) this.#onRenewed()
      if (sql.includes('e.hash = i.hash')) this.readBackCount += 1
    }
  }

  static async open(url: string): Promise<Lane> {
    const proxy = new SqlProxy(Number(new URL(url).port))
    const lane = new Lane(proxy, await proxy.open(url), await rawConnection(url))
    // The schema is there: a life does not begin with making it.
    await (await lane.#openRuntime({})).close()
    return lane
  }

  /** What went over its connections, in the order in which it came. */
  async record(live: () => Promise<Life>): Promise<{ readonly life: Life; readonly questions: readonly Question[] }> {
    const questions: Question[] = []
    this.#onBegin = () => questions.splice(0)
    this.proxy.fate = (question) => void questions.push(question)
    const life = await live()
    this.proxy.fate = () => undefined
    return { life, questions }
  }

  /** Lives with one cut. */
  async cut({ sql, no, position }: Cut, live: () => Promise<Life>): Promise<Life> {
    this.proxy.fate = (question) => (question.sql === sql && question.no === no ? position : undefined)
    const life = await live()
    this.proxy.fate = () => undefined
    return life
  }

  /** A run from its start to its end in a worker that is there and rests. */
  readonly live = async (): Promise<Life> => {
    this.#runtime ??= await this.#openRuntime({ pollMs: 60_000 })
    this.#renewed = Promise.resolve()
    await this.#untilIdle()
    this.#begin()
    return this.#liveIn(this.#runtime)
  }

  /** The same in a process that opens its store for it, and whose heartbeat beats while the run is under way. */
  readonly liveAnew = async (): Promise<Life> => {
    await this.#runtime?.close()
    this.#runtime = undefined
    this.#renewed = new Promise((resolve) => {
      this.#onRenewed = resolve
    })
    this.#begin()
    // The first beat comes at once, the one after it that is cut a third of this later: well before the lease ends.
    const runtime = await this.#openRuntime({ pollMs: 60_000, leaseMs: 12_000 })
    const life = await this.#liveIn(runtime)
    await runtime.close()
    return { ...life, cutCount: this.proxy.cutCount }
  }

  #begin(): void {
    this.proxy.begin()
    this.#onBegin()
  }

  /** How often something was looked for that nobody had heard the end of. */
  readBackCount = 0

  /** Which of the flows it lives from now on; the first until this is said. */
  async turnTo(planNo: number): Promise<void> {
    await this.#runtime?.close()
    this.#runtime = undefined
    this.#plan = this.#plans[planNo] as Plan
  }

  async close(): Promise<void> {
    await this.#runtime?.close()
    await Promise.all([this.proxy.close(), this.#raw.end()])
    await dropSchema(this.schema)
  }

  #openRuntime(worker: NonNullable<OpenOptions['worker']>): Promise<Runtime> {
    const store = postgres({ url: this.#url, schema: this.schema, listen: false })
    const flows = [this.#plan.flow, ...(this.#plan.flows ?? [])]
    return open({ store, flows, worker, log: () => undefined })
  }

  #count(key: string): void {
    const name = key.replaceAll(/\br\d+/g, 'r')
    this.#executed[name] = (this.#executed[name] ?? 0) + 1
  }

  async #liveIn(runtime: Runtime): Promise<Life> {
    this.#executed = {}
    this.#lastNo += 1
    const id = `r${this.#lastNo}`
    const plan = this.#plan
    const run = await runtime.start(plan.flow, null, { id })
    for (const [no, name] of (plan.sent ?? []).entries()) await this.#send(run, name, no)
    const output = await run.result().catch((error: { code?: unknown }) => error.code)
    if (JSON.stringify(output) !== JSON.stringify(plan.gives)) throw new Error(`${id} gave ${JSON.stringify(output)}.`)
    await this.#untilIdle()
    const facts = await this.#facts(id)
    return {
      facts: plan.isRacing === true ? facts.sort() : facts,
      executed: this.#executed,
      cutCount: this.proxy.cutCount,
    }
  }

  async #send(run: Run, name: string, no: number): Promise<void> {
    await this.#untilWaiting(run.id, name === 'cancel' ? 'never' : name)
    if (name === 'cancel') await run.cancel()
    else await run.signal(name, name, { delivery: `d${no}` })
  }

  // Asked past the proxy: what the test does is no part of the life.
  async #untilWaiting(id: string, name: string): Promise<void> {
    for (;;) {
      const sql = `SELECT waiting_for FROM "${this.schema}".runs WHERE id = $1 AND status = 'waiting'`
      const { rows } = await this.#raw.query(sql, [id])
      if (rows[0]?.waiting_for?.includes(name)) return
      // After most cuts there is a while to wait, in which looking would be the most that is done.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  // What follows from the end of a run is done as well.
  async #untilIdle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      if (this.proxy.lines.some((line) => line.isBusy)) quiet = -1
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
  }

  // Of the run and of those that belong to it; read past the store, which is what is judged.
  async #facts(id: string): Promise<string[]> {
    const sql = `
      SELECT s.name, e.seq, e.kind, e.body, d.text FROM "${this.schema}".events AS e
      JOIN "${this.schema}".streams AS s ON s.no = e.stream
      LEFT JOIN "${this.schema}".event_data AS d ON d.stream = e.stream AND d.seq = e.seq
      WHERE s.name ~ $1 ORDER BY s.name, e.seq`
    const { rows } = await this.#raw.query(sql, [`^run/${id}(\\D|$)`])
    return rows.map((row) =>
      Object.values(row)
        .join(' ')
        .replaceAll(/\br\d+/g, 'r'),
    )
  }

  /** Reads every journal that was made here, and fails unless its chain holds. Returns how many there were. */
  async verifyAll(): Promise<number> {
    const runtime = await this.#openRuntime(false)
    const { rows } = await this.#raw.query(`SELECT id FROM "${this.schema}".runs`)
    for (const { id } of rows) {
      const stream = runStream(id)
      verifyChain(stream, emptyHead(stream), await runtime.run(id).events())
    }
    await runtime.close()
    return rows.length
  }
}
