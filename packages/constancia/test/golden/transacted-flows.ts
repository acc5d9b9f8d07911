/** Flows whose effects are in the database of the store, and the disks of crash tests that hold a table for them. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from 'constancia/sqlite'
import type { CrashDisk } from 'constancia/testing'
import { flow } from '../../dist/index.js'
import { type Database, tableOf, tillOf } from '../governance/till.js'
import { rawConnection as postgresConnection } from '../postgres/database.js'
import { postgresCrashDisk } from '../postgres/rig-store.js'
import { rawConnection as sqliteConnection } from '../store/raw.js'
import { analysts } from './governed-treasury.js'

// Scripted by key and attempt.
const meddling = {
  booked: (key: string, { attempt }: { readonly attempt: number }): void => {
    if (key.endsWith('/0') && attempt === 1) throw new Error('The till is stuck.')
  },
}

/** A flow over a table: one action fails at first, two are had at once, one is had after an approval; or only the first two of them. */
export function transactedFlow(database: Database, table: string, isShort: boolean) {
  const { book } = tillOf(database, table, meddling)
  const transacted = flow({
    ...analysts,
    name: 'transacted',
    async run(ctx) {
      const first = await ctx.do(book, { cents: 1 })
      if (isShort) return [first, await ctx.do(book, { cents: 2 })]
      const both = await ctx.parallel([(one) => one.do(book, { cents: 2 }), (two) => two.do(book, { cents: 3 })])
      return [first, ...both, await ctx.do(book, { cents: 4_000 })]
    },
  })
  return { book, transacted }
}

/** What is booked in the end. */
export const bookedKeys = (isShort: boolean): readonly string[] =>
  isShort ? ['crash-test/0', 'crash-test/1'] : ['crash-test/0', 'crash-test/1.0.0', 'crash-test/1.1.0', 'crash-test/2']

/** A disk with a table, and what every trial left in it. */
export class TillDisks {
  readonly table = `till_${randomBytes(6).toString('hex')}`
  readonly left: string[][] = []
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** An empty disk for one trial. */
  readonly newDisk = (): Promise<CrashDisk> => (this.#database === 'sqlite' ? this.#inSqlite() : this.#inPostgres())

  async #inSqlite(): Promise<CrashDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'constancia-till-'))
    const file = join(folder, 'runs.db')
    const ask = async (sql: string): Promise<unknown[]> => {
      const database = sqliteConnection(file)
      try {
        return database.prepare(sql).all()
      } finally {
        database.close()
      }
    }
    const disk = { factory: sqlite({ file, watchPollMs: 0 }), dispose: () => rm(folder, { recursive: true }) }
    return this.#over(disk, ask)
  }

  async #inPostgres(): Promise<CrashDisk> {
    const ask = async (sql: string): Promise<unknown[]> => {
      const client = await postgresConnection()
      try {
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    }
    return this.#over(await postgresCrashDisk(), ask)
  }

  // The table is made once the store has made its own: a file with a table of somebody else's in it is not its file.
  #over(disk: CrashDisk, ask: (sql: string) => Promise<unknown[]>): CrashDisk {
    let isMade = false
    return {
      factory: async (parts) => {
        const store = await disk.factory(parts)
        if (!isMade) await ask(tableOf(this.table))
        isMade = true
        return store
      },
      dispose: async () => {
        const rows = (await ask(`SELECT key FROM ${this.table} ORDER BY key`)) as { readonly key: string }[]
        this.left.push(rows.map(({ key }) => key))
        await ask(`DROP TABLE ${this.table}`)
        await disk.dispose()
      },
    }
  }
}
