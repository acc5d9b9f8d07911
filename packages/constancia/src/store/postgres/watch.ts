import type { RunId } from '../../journal/index.js'
import { type Change, systemClock } from '../index.js'
import { type ConnectionOptions, connect, type OwnConnection } from './driver.js'
import type { Touched } from './touched.js'

/** What watching needs. */
export interface WatchParts {
  /** Where to listen; undefined for not at all: then only what this process changes is told, and polls find the rest. */
  readonly listening: ConnectionOptions | undefined
  readonly schema: string
  /** Names this handle among others. */
  readonly handle: string
  readonly warn: (message: string) => void
}

// A line that is silently dead is noticed within the sum of these.
const pingEveryMs = 5_000
const pongMsMax = 5_000
const againAfterMs = 500
const runsMax = 20
const unknown: Change = { run: undefined, headSeq: undefined, due: true, outbox: true }

/**
 * Tells listeners what changed: runs of this process by name after their commit, those of others by LISTEN, on a connection of
 * its own. What is sent there is `<handle> <due><outbox><by owners><ended> <run>/<head> …`, without runs where they are many;
 * versions before know two or three of the flags. A hint only: what is sent while the connection is down is lost, so whenever it is up again everything may have changed.
 */
export class Watchers {
  readonly channel: string
  readonly #parts: WatchParts
  readonly #listeners = new Set<(change: Change) => void>()
  #connection: OwnConnection | undefined
  #connecting: Promise<void> | undefined
  #disarm: (() => void) | undefined
  #isClosed = false

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.channel = `constancia/${parts.schema}`.slice(0, 60)
  }

  /** Adds a listener; returns what removes it. */
  add(listener: (change: Change) => void): () => void {
    // A function of its own: the same listener may be added twice.
    const own = (change: Change): void => listener(change)
    this.#listeners.add(own)
    this.#listen()
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) void this.#stop()
    }
  }

  /** Tells the listeners of this process. */
  tell(changes: readonly Touched[]): void {
    if (this.#listeners.size === 0) return
    for (const { run, headSeq, due, outbox } of changes) this.#call({ run, headSeq, due, outbox })
  }

  /** What other processes are told; null for nothing. */
  noteOf(changes: readonly Touched[]): string | null {
    const loud = changes.filter(({ isLoud }) => isLoud)
    if (loud.length === 0) return null
    const told = [
      loud.some(({ due }) => due),
      loud.some(({ outbox }) => outbox),
      loud.every(({ byOwner }) => byOwner === true),
      loud.some(({ ended }) => ended === true),
    ]
    const flags = told.map((flag) => (flag ? 1 : 0)).join('')
    const runs = loud.length > runsMax ? [] : loud.map(({ run, headSeq }) => `${run}/${headSeq ?? ''}`)
    return [this.#parts.handle, flags, ...runs].join(' ')
  }

  /** Removes every listener, and lets go of the connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    await this.#stop()
  }

  get #isWanted(): boolean {
    return !this.#isClosed && this.#listeners.size > 0
  }

  #listen(): void {
    const { listening } = this.#parts
    if (listening === undefined || this.#connecting !== undefined || this.#connection !== undefined) return
    this.#connecting = this.#connect(listening)
      .catch(() => this.#arm(againAfterMs))
      .finally(() => {
        this.#connecting = undefined
      })
  }

  async #connect(listening: ConnectionOptions): Promise<void> {
    const connection = await connect(listening, { answerMsMax: pongMsMax })
    connection.onNotification(this.#hear)
    connection.onEnd(() => this.#lose(connection))
    try {
      await connection.query(`LISTEN "${this.channel.replaceAll('"', '""')}"`)
    } catch (error) {
      connection.close().catch(() => undefined)
      throw error
    }
    if (!this.#isWanted) return connection.close()
    this.#connection = connection
    this.#arm(pingEveryMs)
    this.#call(unknown)
  }

  // In real time, whatever a simulated clock shows: asks whether the line still works, or connects again.
  #arm(delayMs: number): void {
    this.#disarm?.()
    this.#disarm = this.#isWanted ? systemClock.after(delayMs, this.#look) : undefined
  }

  readonly #look = (): void => {
    this.#disarm = undefined
    const connection = this.#connection
    if (connection === undefined) return this.#listen()
    this.#arm(pingEveryMs)
    connection.query('SELECT 1').catch(() => this.#lose(connection))
  }

  #lose(connection: OwnConnection): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    connection.close().catch(() => undefined)
    this.#arm(againAfterMs)
  }

  async #stop(): Promise<void> {
    this.#disarm?.()
    this.#disarm = undefined
    await this.#connecting
    const connection = this.#connection
    this.#connection = undefined
    await connection?.close().catch(() => undefined)
  }

  readonly #hear = (text: string): void => {
    const [handle, flags = '11', ...runs] = text.split(' ')
    if (handle === this.#parts.handle) return
    const ended = flags[3] !== '0'
    const change = { due: flags[0] === '1', outbox: flags[1] === '1', byOwner: flags[2] === '1', ended }
    if (runs.length === 0) this.#call({ run: undefined, headSeq: undefined, ...change })
    for (const run of runs) {
      const [id, seq] = run.split('/')
      this.#call({ run: id as RunId, headSeq: seq === '' ? undefined : Number(seq), ...change })
    }
  }

  #call(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#parts.warn(
          `A listener of the store threw (${String(error)}). The change is stored; only the hint was lost. Correct the listener.`,
        )
      }
    }
  }
}
