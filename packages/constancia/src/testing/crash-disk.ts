import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreFactory } from '../store/index.js'
import { memory, memoryDisk } from '../store/memory/index.js'
import { sqlite } from '../store/sqlite/index.js'

/** What survives a crash: the lives of one trial open it one after the other. */
export interface CrashDisk {
  /** Opens a new handle. */
  readonly factory: StoreFactory
  dispose(): Promise<void>
}

/** Makes an empty disk for one trial. */
export type NewCrashDisk = () => Promise<CrashDisk>

/** Journals in memory: quick, and the same rules. */
export const memoryCrashDisk: NewCrashDisk = async () => ({
  factory: memory(memoryDisk()),
  dispose: async () => undefined,
})

/** Journals in an SQLite file of its own, in the folder for temporary files. */
export const sqliteCrashDisk: NewCrashDisk = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'constancia-crash-'))
  const factory = sqlite({ file: join(folder, 'runs.db'), watchPollMs: 0 })
  return { factory, dispose: () => rm(folder, { recursive: true, force: true }) }
}
