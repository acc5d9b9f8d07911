import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { ProcessStores } from '../../dist/testing/index.js'
import { databaseUrl, dropSchema, newSchema, rawConnection as postgresConnection } from '../postgres/database.js'
import { isWritable, rawConnection as sqliteConnection } from '../store/raw.js'
import { makeFolder } from '../store/stores.js'
import storeAt from './stores.mjs'

/** The stores on which several processes work. */
export const storeKinds = ['sqlite', 'postgres'] as const

/** One of them. */
export type StoreKind = (typeof storeKinds)[number]

/** Where a store is, as a process is told; see `stores.mjs`. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string }

/** A store that several processes work on, and what somebody with a shell does to it. */
export interface SceneStore {
  readonly address: StoreAddress
  /** The same address for one process, by whose name its connections are known. */
  addressFor(name: string): StoreAddress
  /** The lease of a run, whose worker is gone, runs out now: nobody has to wait for it. */
  expire(run: string): Promise<void>
  /** Whether a process, which was just stopped, holds nothing that others wait for. */
  isAtRest(name: string): Promise<boolean>
  /** Deletes it; every process is gone then. */
  dispose(): Promise<void>
}

/** Makes an empty store in a place of its own; of PostgreSQL, in a server that is given or in the one that tests share. */
export async function makeSceneStore(kind: StoreKind, serverUrl?: string): Promise<SceneStore> {
  if (kind === 'sqlite') return new SqliteScene(makeFolder())
  const url = serverUrl ?? (await databaseUrl())
  return new PostgresScene(url, newSchema(), await postgresConnection(url))
}

/** What a kill test on PostgreSQL takes: a schema of its own for each round. */
export const postgresStores: ProcessStores = {
  module: new URL('./stores.mjs', import.meta.url),
  make: async () => {
    const store = await makeSceneStore('postgres')
    return { address: store.address, factory: storeAt(store.address), dispose: () => store.dispose() }
  },
}

class SqliteScene implements SceneStore {
  readonly address: Extract<StoreAddress, { kind: 'sqlite' }>
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.address = { kind: 'sqlite', file: join(folder, 'runs.db') }
  }

  addressFor(): StoreAddress {
    return this.address
  }

  async expire(run: string): Promise<void> {
    const database = sqliteConnection(this.address.file)
    try {
      database.exec('PRAGMA busy_timeout = 5000')
      database.prepare('UPDATE runs SET due_at = 1 WHERE id = ? AND claim_id IS NOT NULL').run(run)
    } finally {
      database.close()
    }
  }

  async isAtRest(): Promise<boolean> {
    return isWritable(this.address.file)
  }

  async dispose(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const restLooks = 40

class PostgresScene implements SceneStore {
  readonly address: Extract<StoreAddress, { kind: 'postgres' }>
  readonly #raw: pg.Client

  constructor(url: string, schema: string, raw: pg.Client) {
    this.address = { kind: 'postgres', url, schema }
    this.#raw = raw
  }

  addressFor(name: string): StoreAddress {
    const url = new URL(this.address.url)
    url.searchParams.set('application_name', this.#known(name))
    return { ...this.address, url: url.href }
  }

  async expire(run: string): Promise<void> {
    const { schema } = this.address
    await this.#raw.query(`UPDATE "${schema}".runs SET due_at = 1 WHERE id = $1 AND claim_id IS NOT NULL`, [run])
  }

  // What it had sent is done by the server, whatever becomes of it; a transaction that waits for its next word is not.
  async isAtRest(name: string): Promise<boolean> {
    for (let look = 0; look < restLooks; look++) {
      const { rows } = await this.#raw.query(
        "SELECT count(*)::integer AS busy FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'",
        [this.#known(name)],
      )
      if (rows[0]?.busy === 0) return true
      await pause(5)
    }
    return false
  }

  async dispose(): Promise<void> {
    await this.#raw.end()
    await dropSchema(this.address.schema, this.address.url)
  }

  // PostgreSQL keeps 63 bytes of it.
  #known(name: string): string {
    return `${this.address.schema}/${name}`.slice(-63)
  }
}
