import type { RunId } from '../../journal/index.js'
import type { Change, Clock } from '../index.js'
import { Bell } from './bell.js'
import type { Database, Statement } from './driver.js'

/** What watching needs. */
export interface WatchParts {
  readonly database: Database
  /** Path of the database. */
  readonly file: string
  readonly clock: Clock
  /** Milliseconds between two looks at what other connections did; 0 for never. */
  readonly pollMs: number
  readonly warn: (message: string) => void
}

// Whoever has the run has nothing to read for it.
const nothingYet = -1

// Where others ring, a look that nobody asked for is only a precaution.
const pollsBetween = 10

/**
 * Tells listeners what changed: runs of this process by name after their commit, other connections by a look at SQLite's
 * `data_version`, which moves when they commit. The look is taken when they ring, and now and then, but only while somebody
 * listens. Whoever commits without ringing is looked for more often.
 */
export class Watchers {
  readonly #parts: WatchParts
  readonly #dataVersion: Statement
  readonly #listeners = new Set<(change: Change) => void>()
  #touched = new Map<RunId, Change & { readonly run: RunId }>()
  readonly #bell: Bell
  /** Whether the last change that was found was told of. */
  #isTold = true
  #seenVersion: unknown
  #disarm: (() => void) | undefined

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#dataVersion = parts.database.prepare('PRAGMA data_version')
    this.#bell = new Bell({ file: parts.file, clock: parts.clock, look: () => this.#look(true) })
  }

  /** Adds a listener; returns what removes it. */
  add(listener: (change: Change) => void): () => void {
    // A function of its own: the same listener may be added twice.
    const own = (change: Change): void => listener(change)
    this.#listeners.add(own)
    if (this.#disarm === undefined) {
      this.#seenVersion = this.#version()
      this.#arm()
    }
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.#stopPolling()
    }
  }

  /**
   * Tells the listeners that a run may become due with the next transaction: whoever asks for runs now is answered by that one, where
   * it would else have to wait for one more.
   */
  expect(run: RunId): void {
    this.#call({ run, headSeq: nothingYet, due: true, outbox: false })
  }

  /** Notes what the transaction under way changes. */
  touch(change: Change & { readonly run: RunId }): void {
    if (this.#listeners.size === 0) return
    const before = this.#touched.get(change.run)
    this.#touched.set(change.run, before === undefined ? change : both(before, change))
  }

  /** Notes that the transaction under way gives a run to somebody: for nobody else it is due. */
  took(run: RunId, headSeq: number): void {
    this.touch({ run, headSeq, due: false, outbox: false })
    const noted = this.#touched.get(run)
    if (noted !== undefined) this.#touched.set(run, { ...noted, due: false })
  }

  /** Tells the listeners what was noted. A change that was rolled back is told of as well: it is a hint. */
  tell(): void {
    if (this.#touched.size === 0) return
    const touched = this.#touched
    this.#touched = new Map()
    for (const change of touched.values()) this.#call(change)
  }

  /** Removes every listener. */
  close(): void {
    this.#listeners.clear()
    this.#stopPolling()
  }

  #arm(): void {
    const { clock, pollMs } = this.#parts
    if (pollMs <= 0) return
    const isTold = this.#bell.renew() && this.#isTold
    this.#disarm = clock.after(isTold ? pollMs * pollsBetween : pollMs, this.#poll)
  }

  #stopPolling(): void {
    this.#disarm?.()
    this.#disarm = undefined
    this.#bell.stop()
  }

  readonly #poll = (): void => {
    this.#look(false)
    this.#arm()
  }

  #look(isTold: boolean): boolean {
    const version = this.#version()
    if (version === undefined || version === this.#seenVersion) return false
    this.#seenVersion = version
    this.#isTold = isTold
    this.#call({ run: undefined, headSeq: undefined, due: true, outbox: true })
    return true
  }

  // Undefined where it cannot be read just now: the next look will tell, or the next write will fail.
  #version(): unknown {
    try {
      return (this.#dataVersion.get() as { data_version: unknown }).data_version
    } catch {
      return undefined
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

function both(before: Change, change: Change & { readonly run: RunId }): Change & { readonly run: RunId } {
  return { ...change, due: before.due || change.due, outbox: before.outbox || change.outbox }
}
