import type { Database } from './driver.js'
import { type Patience, triedFor } from './patience.js'
import { cutBack } from './wal.js'

// Others read for milliseconds.
const clearMsMax = 1_000

/**
 * Empties the write-ahead file, which holds what was erased as it was before. Where another connection reads for long an operator is told.
 */
export async function clearTraces({ database, patience, warn }: TraceParts): Promise<void> {
  if (await triedFor(patience, clearMsMax, () => cutBack(database))) return
  warn(
    `Texts were erased, but ${patience.file}-wal still holds them, because another connection is reading. It is emptied when a process or a command ` +
      'that has the database open closes it while nobody else reads.',
  )
}

/** What it takes to clear the traces of what was erased. */
export interface TraceParts {
  readonly database: Database
  readonly patience: Patience
  readonly warn: (message: string) => void
}
