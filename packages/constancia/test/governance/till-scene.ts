import { randomBytes } from 'node:crypto'
import type { AnyFlow, Contract, Run } from 'constancia'
import { afterEach } from 'vitest'
import type { LifeOptions } from '../engine/life.js'
import { Rig } from '../engine/rig.js'
import { rawConnection as postgresConnection } from '../postgres/database.js'
import { rawConnection as sqliteConnection } from '../store/raw.js'
import { Court } from './court.js'
import { type Database, tableOf } from './till.js'

export type SqlStore = 'SQLite' | 'PostgreSQL'
type Life = Awaited<ReturnType<Rig['live']>>

const made: TillScene[] = []

afterEach(async () => {
  for (const scene of made.splice(0)) await scene.dispose()
})

/** A store and a table of somebody else's in the same database, and the processes that come and go. */
export class TillScene {
  readonly rig: Rig
  readonly store: SqlStore
  readonly table = `till_${randomBytes(6).toString('hex')}`
  readonly court = new Court(() => this.life.store)
  #life: Life | undefined

  constructor(store: SqlStore) {
    this.store = store
    this.rig = new Rig(store)
    made.push(this)
  }

  get database(): Database {
    return this.store === 'SQLite' ? 'sqlite' : 'postgres'
  }

  get life(): Life {
    if (this.#life === undefined) throw new Error('No process is there.')
    return this.#life
  }

  /** Opens it with a contract that is in force, for ann, who is an analyst. */
  async begin(flows: readonly AnyFlow[], contract: Contract, options: LifeOptions = {}): Promise<void> {
    this.#life = await this.rig.live(flows, { contract, ...options })
    await this.#sql(tableOf(this.table))
    await this.court.activate(contract)
    await this.court.grant('ann', 'analyst')
  }

  /** Starts a run of a flow. */
  start(flow: AnyFlow, id = 'r'): Promise<Run> {
    return this.life.runtime.start(flow, null, { id, actor: 'ann' })
  }

  /** The keys that were booked, as they are committed. */
  async rows(): Promise<string[]> {
    const rows = await this.#sql(`SELECT key FROM ${this.table} ORDER BY key`)
    return rows.map(({ key }) => key)
  }

  async dispose(): Promise<void> {
    if (this.store === 'PostgreSQL') await this.#sql(`DROP TABLE IF EXISTS ${this.table}`)
  }

  async #sql(sql: string): Promise<{ key: string }[]> {
    if (this.store === 'SQLite') {
      const database = sqliteConnection(this.rig.file)
      try {
        return database.prepare(sql).all() as { key: string }[]
      } finally {
        database.close()
      }
    }
    const client = await postgresConnection()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
}
