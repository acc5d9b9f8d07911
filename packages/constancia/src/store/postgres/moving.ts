import type { Arrival, Departure, MoveState, Moving } from '../index.js'
import { PostgresArrival } from './arrival.js'
import { PostgresDeparture } from './departure.js'
import type { Connections } from './driver.js'
import { LongTransaction, type MoveGround } from './long-transaction.js'
import { clearMoveState, movedTables, moveStateOf, setMoveState, unseal } from './move-state.js'
import type { Opened } from './open.js'
import { type Patience, patiently } from './patience.js'
import { schemaFiller } from './schema.js'

// A server by when it began, which no other one did at the same microsecond; a database and a schema by their numbers.
const identify = `
  SELECT extract(epoch FROM pg_postmaster_start_time())::text || ' ' || d.oid || ' ' || n.oid AS identity
  FROM pg_database AS d, pg_namespace AS n WHERE d.datname = current_database() AND n.nspname = $1`

/** A schema that is open to be moved. Rejects with faults of the store. */
export async function openMoving(opened: Opened, patience: Patience): Promise<Moving> {
  const { connections, schema } = opened
  const [row] = await patiently(patience, () => connections.query(identify, [schema]))
  return new PostgresMoving({ connections, patience, sql: schemaFiller(schema) }, String(row?.['identity']))
}

class PostgresMoving implements Moving {
  readonly #ground: MoveGround
  readonly identity: string

  constructor(ground: MoveGround, identity: string) {
    this.#ground = ground
    this.identity = `server ${identity}`
  }

  describe(): string {
    return this.#ground.patience.place
  }

  state(): Promise<MoveState | undefined> {
    const { connections, sql } = this.#ground
    return this.#patiently(() => moveStateOf({ on: connections, sql }))
  }

  isEmpty(): Promise<boolean> {
    return this.#patiently(async () => isEmptyNow(this.#ground.connections, this.#ground.sql))
  }

  expect(state: MoveState): Promise<boolean> {
    return this.#change(async (on) => {
      const { sql } = this.#ground
      if (!(await isEmptyNow(on, sql))) return false
      await setMoveState({ on, sql }, state)
      return true
    })
  }

  async release(): Promise<void> {
    await this.#change(async (on) => {
      const { sql } = this.#ground
      await clearMoveState({ on, sql })
      await unseal({ on, sql })
      return true
    })
  }

  depart(): Promise<Departure> {
    const { sql } = this.#ground
    return this.#begin(async (on) => {
      const rows = await on.query(sql(selectOwners))
      const owners = rows.map(({ worker }) => String(worker))
      const hasState = async ({ kind, id }: MoveState): Promise<boolean> => {
        const found = await this.state()
        return found?.kind === kind && found.id === id
      }
      return new PostgresDeparture({ on, sql, owners, hasState })
    })
  }

  arrive(id: string): Promise<Arrival | undefined> {
    const { sql } = this.#ground
    return this.#begin(async (on) => {
      // Nobody else begins a move into here meanwhile; who looks whether one was begun does not wait.
      const mine = await on.query(sql('SELECT 1 FROM {schema}.moves AS m WHERE m.id = $1 FOR UPDATE'), [id])
      if (mine.length === 1 && (await isEmptyNow(on, sql))) {
        const isFilled = async (): Promise<boolean> => (await this.state()) === undefined && !(await this.isEmpty())
        return new PostgresArrival({ on, sql, isFilled })
      }
      await on.end()
      return undefined
    })
  }

  close(): Promise<void> {
    return this.#ground.connections.close()
  }

  // Writers wait from now on; readers do not.
  #begin<T>(body: (on: LongTransaction) => Promise<T>): Promise<T> {
    const tables = movedTables.map((table) => `{schema}.${table}`).join(', ')
    const lock = this.#ground.sql(`LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`)
    return this.#patiently(async () => {
      const on = await LongTransaction.begin(this.#ground, lock)
      try {
        return await body(on)
      } catch (error) {
        await on.end()
        throw error
      }
    })
  }

  // May be done twice: each time the outcome is the same.
  #change(change: (on: LongTransaction) => Promise<boolean>): Promise<boolean> {
    return this.#begin(async (on) => {
      const isDone = await change(on)
      if (isDone) await on.commit(async () => false)
      else await on.end()
      return isDone
    })
  }

  #patiently<T>(call: () => Promise<T>): Promise<T> {
    return patiently(this.#ground.patience, call)
  }
}

// Whoever holds runs, and whoever says that it is there.
const selectOwners = `
  SELECT r.worker FROM {schema}.runs AS r WHERE r.status = 'running' AND r.due_at > {schema}.now_ms()
  UNION SELECT w.note::json ->> 'name' FROM {schema}.workers AS w WHERE w.alive_until > {schema}.now_ms() ORDER BY 1`

async function isEmptyNow(on: Pick<Connections, 'query'>, sql: (text: string) => string): Promise<boolean> {
  return (await on.query(sql('SELECT 1 FROM {schema}.streams LIMIT 1'))).length === 0
}
