import { statSync } from 'node:fs'
import type { Arrival, Departure, MoveState, Moving, StoreParts } from '../index.js'
import { SqliteArrival } from './arrival.js'
import { SqliteDeparture } from './departure.js'
import { clearMoveState, moveStateOf, setMoveState } from './move-state.js'
import { type Opened, openToMove, type SqliteOptions } from './open.js'
import { type Patience, patiently } from './patience.js'
import { aliveMarks } from './presence.js'

/** Opens a file to be moved, also where it is marked. */
export async function openMoving(options: SqliteOptions, patience: Patience, parts: StoreParts): Promise<Moving> {
  return new SqliteMoving(await openToMove(options, patience), patience, parts)
}

class SqliteMoving implements Moving {
  readonly #opened: Opened
  readonly #patience: Patience
  readonly #parts: StoreParts
  readonly identity: string

  constructor(opened: Opened, patience: Patience, parts: StoreParts) {
    this.#opened = opened
    this.#patience = patience
    this.#parts = parts
    const { dev, ino } = statSync(opened.file)
    this.identity = `file ${dev} ${ino}`
  }

  describe(): string {
    return this.#opened.file
  }

  state(): Promise<MoveState | undefined> {
    return patiently(this.#patience, () => moveStateOf(this.#opened.database))
  }

  isEmpty(): Promise<boolean> {
    return patiently(this.#patience, () => this.#isEmptyNow())
  }

  expect(state: MoveState): Promise<boolean> {
    return this.#inTransaction(() => {
      if (!this.#isEmptyNow()) return false
      setMoveState(this.#opened.database, state)
      return true
    })
  }

  release(): Promise<void> {
    return this.#inTransaction(() => clearMoveState(this.#opened.database))
  }

  async depart(): Promise<Departure> {
    const { database, file } = this.#opened
    await this.#begin()
    const nowMs = this.#parts.clock.now()
    return new SqliteDeparture(database, { owners: ownersOf(this.#opened, aliveMarks(file), nowMs), nowMs })
  }

  async arrive(id: string): Promise<Arrival | undefined> {
    const { database } = this.#opened
    await this.#begin()
    if (this.#isEmptyNow() && moveStateOf(database)?.id === id) return new SqliteArrival(database)
    database.exec('ROLLBACK')
    return undefined
  }

  async close(): Promise<void> {
    this.#opened.database.close()
  }

  #isEmptyNow(): boolean {
    return this.#opened.database.prepare('SELECT 1 FROM streams LIMIT 1').get() === undefined
  }

  #begin(): Promise<void> {
    return patiently(this.#patience, () => this.#opened.database.exec('BEGIN IMMEDIATE'))
  }

  async #inTransaction<T>(change: () => T): Promise<T> {
    const { database } = this.#opened
    await this.#begin()
    try {
      const result = change()
      database.exec('COMMIT')
      return result
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK')
    }
  }
}

// A claim without a mark of a process that is alive may still be of one that is, as long as its lease lasts, unless it can be told
// that its process is gone. Whoever is alive and has no claim is somebody as well.
function ownersOf({ database }: Opened, alive: Alive, nowMs: number): readonly string[] {
  const claimed = database
    .prepare("SELECT claim_id AS id, worker FROM runs WHERE status = 'running' AND due_at > ?")
    .all(nowMs) as { id: string; worker: string }[]
  const owners = new Set<string>()
  for (const { id, worker } of claimed) if (!alive.gone.some((mark) => id.startsWith(mark))) owners.add(worker)
  const idle = alive.alive.filter((mark) => !claimed.some(({ id }) => id.startsWith(mark)))
  for (const mark of idle) owners.add(`a worker without runs (${mark})`)
  return [...owners].sort()
}

type Alive = ReturnType<typeof aliveMarks>
