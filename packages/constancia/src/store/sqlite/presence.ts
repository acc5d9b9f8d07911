import { readdirSync, rmSync, statfsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Database, loadDriver } from './driver.js'
import { isNetworkFileSystem } from './place.js'

/**
 * Who is alive, so that nobody has to wait for the leases of a process that is gone. Whoever works on a database holds a lock
 * on a small file of its own beside it, `<file>-worker-<mark>`, for as long as it lives, and its mark begins the id of each of
 * its claims. The operating system lets go of the lock when the process is gone, however it ended; not while it is slow,
 * or stopped. So who can lock the file knows that the claims with its mark are nobody's. It is the kind of lock that SQLite
 * itself relies on, and what is claimed too early is fenced by the epoch all the same. Without such a file, as after
 * an orderly end, on a network file system or on anything but Linux, the lease decides as ever.
 */
export class Presence {
  readonly #file: string
  readonly #randomBytes: (count: number) => Uint8Array
  #mark: string
  #own: Lock | undefined
  #appeared: Promise<void> | undefined

  constructor(file: string, randomBytes: (count: number) => Uint8Array) {
    this.#file = file
    this.#randomBytes = randomBytes
    this.#mark = this.#newMark()
  }

  /** What the ids of this process' claims begin with: hexadecimal digits. */
  get mark(): string {
    return this.#mark
  }

  /**
   * Appears, the first time it is called; before that, it gives the marks of those that are gone to whoever frees their runs,
   * and forgets them once that is durable. Rejects only if freeing does; then the next call tries again.
   */
  appear(free: (marks: readonly string[]) => Promise<void>): Promise<void> {
    this.#appeared ??= this.#appear(free).catch((error: unknown) => {
      this.#appeared = undefined
      throw error
    })
    return this.#appeared
  }

  /** Lets go of the lock. */
  leave(): void {
    this.#own?.remove()
    this.#own = undefined
  }

  async #appear(free: (marks: readonly string[]) => Promise<void>): Promise<void> {
    if (!canTell(this.#file)) return
    this.#lockOwn()
    const gone = this.#gone()
    try {
      if (gone.size > 0) await free([...gone.keys()])
    } catch (error) {
      for (const lock of gone.values()) lock.release()
      throw error
    }
    for (const lock of gone.values()) lock.remove()
  }

  // Somebody who looks for the dead may just have it: then another file.
  #lockOwn(): void {
    for (let tries = 0; tries < 3 && this.#own === undefined; tries++) {
      if (tries > 0) this.#mark = this.#newMark()
      this.#own = tryLock(this.#pathOf(this.#mark))
    }
  }

  #gone(): Map<string, Lock> {
    const gone = new Map<string, Lock>()
    for (const mark of this.#marks()) {
      const lock = mark === this.#mark ? undefined : tryLock(this.#pathOf(mark))
      if (lock !== undefined) gone.set(mark, lock)
    }
    return gone
  }

  #marks(): string[] {
    return marksOf(this.#file)
  }

  #pathOf(mark: string): string {
    return pathOf(this.#file, mark)
  }

  #newMark(): string {
    return Buffer.from(this.#randomBytes(markBytes)).toString('hex')
  }
}

/** Which processes have worked on a file and are alive, or gone, as far as that can be told; their claims begin with these marks. */
export function aliveMarks(file: string): { readonly alive: readonly string[]; readonly gone: readonly string[] } {
  const [alive, gone]: [string[], string[]] = [[], []]
  if (!canTell(file)) return { alive, gone }
  for (const mark of marksOf(file)) {
    const lock = tryLock(pathOf(file, mark))
    if (lock === undefined) alive.push(mark)
    else gone.push(mark)
    lock?.release()
  }
  return { alive, gone }
}

function marksOf(file: string): string[] {
  const prefix = `${basename(file)}-worker-`
  const names = namesIn(dirname(file)).filter((name) => name.startsWith(prefix))
  return names.map((name) => name.slice(prefix.length)).filter((mark) => markPattern.test(mark))
}

function pathOf(file: string, mark: string): string {
  return join(dirname(file), `${basename(file)}-worker-${mark}`)
}

const markBytes = 6
const markPattern = /^[0-9a-f]{12}$/

function canTell(file: string): boolean {
  try {
    return process.platform === 'linux' && !isNetworkFileSystem(statfsSync(dirname(file)).type)
  } catch {
    return false
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A file that is locked by this process. */
interface Lock {
  release(): void
  /** Lets go of it and deletes the file. */
  remove(): void
}

// Undefined if somebody else has it, or it cannot be had for another reason: all it costs is waiting for a lease.
function tryLock(path: string): Lock | undefined {
  let database: Database | undefined
  try {
    database = loadDriver().open(path)
    database.exec('PRAGMA busy_timeout=0; PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
  } catch {
    database?.close()
    return undefined
  }
  const locked = database
  const release = (): void => {
    locked.exec('ROLLBACK')
    locked.close()
  }
  return {
    release,
    remove: () => {
      rmSync(path, { force: true })
      release()
    },
  }
}
