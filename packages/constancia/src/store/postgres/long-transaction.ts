import { type Connection, type Connections, type Lent, type Row, sqlStateOf, type Value } from './driver.js'
import { faultOf, lockedError, unavailableError } from './faults.js'
import type { Patience } from './patience.js'

/** What a move needs of an open schema. */
export interface MoveGround {
  readonly connections: Connections
  readonly patience: Patience
  readonly sql: (text: string) => string
}

const lockMs = 10_000

// Whatever a server or a role sets: a move may take hours, and the line is idle while the other side works.
const begin = `
  BEGIN; SET LOCAL lock_timeout = ${lockMs}; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL statement_timeout = 0;
  SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'`

/** A transaction that may take long. Every fault is one of the store. */
export class LongTransaction implements Connection {
  readonly #ground: MoveGround
  readonly #lent: Lent
  #isOver = false

  private constructor(ground: MoveGround, lent: Lent) {
    this.#ground = ground
    this.#lent = lent
  }

  /** Begins one, by locking something. Rejects with the driver's error. */
  static async begin(ground: MoveGround, lock: string): Promise<LongTransaction> {
    const lent = await ground.connections.lend()
    try {
      await lent.query(begin)
      await lent.query(lock)
      return new LongTransaction(ground, lent)
    } catch (error) {
      lent.giveBack(true) // With the line goes the transaction.
      throw error
    }
  }

  async query(sql: string, values?: readonly Value[]): Promise<Row[]> {
    try {
      return await this.#lent.query(sql, values)
    } catch (error) {
      throw this.#faultOf(error)
    }
  }

  /** Commits. Where nobody heard of it, it is looked for. */
  async commit(isStored: () => Promise<boolean>): Promise<void> {
    this.#isOver = true
    try {
      await this.#lent.query('COMMIT')
      this.#lent.giveBack(false)
    } catch (error) {
      this.#lent.giveBack(true)
      const isUnheard = sqlStateOf(error) === undefined
      if (isUnheard && (await isStored())) return
      throw this.#faultOf(error)
    }
  }

  /** Rolls back, unless it is over. */
  async end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.#lent.query('ROLLBACK').then(
      () => this.#lent.giveBack(false),
      () => this.#lent.giveBack(true),
    )
  }

  #faultOf(error: unknown): unknown {
    const { place } = this.#ground.patience
    const fault = faultOf(error, place)
    if (fault.kind === 'away') return unavailableError(place, 0, error)
    return fault.kind === 'passing' ? lockedError(place, lockMs, error) : fault.error
  }
}
