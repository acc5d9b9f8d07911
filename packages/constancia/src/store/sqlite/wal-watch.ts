import { type FSWatcher, statSync, watch } from 'node:fs'
import type { Clock } from '../index.js'

/** What watching the write-ahead file needs. */
export interface WalWatchParts {
  /** Path of the database. */
  readonly file: string
  readonly clock: Clock
  /** Looks for what other connections committed, and tells of it. Returns whether there was anything. */
  readonly look: () => boolean
}

// A write is seen before its commit can be read, for the disk is waited for in between: a slow one for as long as all of
// these together. After that the poll finds it.
const pausesMs = [1, 1, 1, 1, 2, 2, 4, 4, 8, 16, 32]
// Whoever commits all the time is not told of each commit.
const restMs = 3

/**
 * Has the system tell of writes to the write-ahead file, for which other processes would otherwise have to be asked again and
 * again. It tells of own commits as well, and it may be unable to tell of any: a hint, and never more. There is one chain of
 * looks at a time, however much is written.
 */
export class WalWatch {
  readonly #parts: WalWatchParts
  readonly #path: string
  #watcher: FSWatcher | undefined
  #inode: number | undefined
  #disarm: (() => void) | undefined
  #wasWritten = false

  constructor(parts: WalWatchParts) {
    this.#parts = parts
    this.#path = `${parts.file}-wal`
  }

  /** Watches the file that is there now, if there is one and the system can. Returns whether it is watched. */
  renew(): boolean {
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino
    if (this.#watcher !== undefined && inode === this.#inode) return true
    this.#drop()
    if (inode === undefined) return false
    try {
      const watcher = watch(this.#path, { persistent: false }, () => this.#notice())
      watcher.on('error', () => this.#drop())
      this.#watcher = watcher
      this.#inode = inode
    } catch {
      return false // Some systems cannot, and all have a limit. The poll goes on.
    }
    return true
  }

  /** Stops watching. */
  stop(): void {
    this.#drop()
    this.#disarm?.()
    this.#disarm = undefined
  }

  #drop(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #notice(): void {
    if (this.#disarm !== undefined) this.#wasWritten = true
    else this.#look(0)
  }

  #look(step: number): void {
    const found = this.#parts.look()
    const pauseMs = found ? restMs : pausesMs[step]
    if (pauseMs === undefined) this.#disarm = undefined
    else this.#disarm = this.#parts.clock.after(pauseMs, () => this.#lookAgain(found ? undefined : step + 1))
  }

  // After a rest only if something was written meanwhile; and what was written within a chain begins it anew.
  #lookAgain(step: number | undefined): void {
    this.#disarm = undefined
    const wasWritten = this.#wasWritten
    this.#wasWritten = false
    if (wasWritten) this.#look(0)
    else if (step !== undefined) this.#look(step)
  }
}
