import { type FSWatcher, statSync, utimesSync, watch } from 'node:fs'
import type { Clock } from '../index.js'

/**
 * How a process tells others on the same file that it has committed: it sets the times of the file of shared memory (`-shm`),
 * and the others have the system watch that file. SQLite writes to it in memory only, so nobody is woken by anything else, and
 * whoever is woken finds the commit there. The write-ahead file would not do: it is written to hundreds of times a commit,
 * before the commit can be seen, and to be watched costs the writer at each. The file is never opened here, for to close it
 * would make the system drop the locks that SQLite holds on it.
 */
function bellOf(file: string): string {
  return `${file}-shm`
}

/** Returns what rings the bell, once after each commit. Where that cannot be done nothing happens: others look by themselves. */
export function ringer(file: string): () => void {
  const path = bellOf(file)
  return () => {
    try {
      utimesSync(path, 0, 0)
    } catch {
      // It may belong to another user.
    }
  }
}

/** What listening to the bell needs. */
export interface BellParts {
  /** Path of the database. */
  readonly file: string
  readonly clock: Clock
  /** Looks for what other connections committed, and tells of it. Returns whether there was anything. */
  readonly look: () => boolean
}

// Whoever hears of a commit is left alone for so long: others may commit a thousand times a second.
const restMs = 3

/** Hears the bell. It rings for own commits as well, and may never ring: a hint, and never more. */
export class Bell {
  readonly #parts: BellParts
  readonly #path: string
  #watcher: FSWatcher | undefined
  #inode: number | undefined
  #disarm: (() => void) | undefined
  #rangMeanwhile = false

  constructor(parts: BellParts) {
    this.#parts = parts
    this.#path = bellOf(parts.file)
  }

  /** Listens to the file that is there now, if there is one and the system can. Returns whether it does. */
  renew(): boolean {
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino
    if (this.#watcher !== undefined && inode === this.#inode) return true
    this.#drop()
    if (inode === undefined) return false
    try {
      const watcher = watch(this.#path, { persistent: false }, () => this.#hear())
      watcher.on('error', () => this.#drop())
      this.#watcher = watcher
      this.#inode = inode
    } catch {
      return false // Some systems cannot, and all have a limit.
    }
    return true
  }

  /** Stops listening. */
  stop(): void {
    this.#drop()
    this.#disarm?.()
    this.#disarm = undefined
  }

  #drop(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #hear(): void {
    if (this.#disarm !== undefined) this.#rangMeanwhile = true
    else if (this.#parts.look()) this.#disarm = this.#parts.clock.after(restMs, () => this.#wake())
  }

  #wake(): void {
    this.#disarm = undefined
    const rang = this.#rangMeanwhile
    this.#rangMeanwhile = false
    if (rang) this.#hear()
  }
}
