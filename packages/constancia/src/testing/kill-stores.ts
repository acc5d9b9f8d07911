import { access, constants, mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreFactory } from '../store/index.js'
import { sqlite } from '../store/sqlite/index.js'

/** Stores of a kill test: every process opens them by itself, so it is told where one is, and by what it is opened. */
export interface ProcessStores {
  /**
   * URL of a module that every process loads. Its default export takes the address of a store and returns its
   * `StoreFactory`: `export default ({ url, schema }) => postgres({ url, schema })`.
   */
  readonly module: URL | string
  /** Makes an empty store for one round. */
  readonly make: () => Promise<MadeStore>
}

/** An empty store. */
export interface MadeStore {
  /** Opens it in this process, which reads every journal when no other is left. */
  readonly factory: StoreFactory
  /** Where it is: plain data, which goes to each process. */
  readonly address: unknown
  /** Deletes it. Called when its round was judged and no process is left. */
  readonly dispose: () => Promise<void>
}

const roomMin = 2 ** 30
const memoryFolder = '/dev/shm'

/**
 * Makes a temporary folder; in memory where the system has room there and `TMPDIR` names no other place. What a process wrote
 * is with the kernel when it ends by SIGKILL: a disk only makes it slower.
 */
export async function makeKillFolder(): Promise<string> {
  const isNamed = process.env['TMPDIR'] !== undefined
  const parent = !isNamed && (await hasRoom(memoryFolder)) ? memoryFolder : tmpdir()
  return mkdtemp(join(parent, 'constancia-kill-'))
}

async function hasRoom(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= roomMin
  } catch {
    return false
  }
}

/** A SQLite file in a folder that somebody else deletes. */
export function sqliteIn(folder: string): MadeStore {
  const address = join(folder, 'runs.db')
  return { address, factory: sqliteAt(address), dispose: async () => undefined }
}

/** What a process of a kill test opens unless it is told otherwise; the address is a file. */
export function sqliteAt(address: unknown): StoreFactory {
  return sqlite({ file: String(address) })
}
