import { statSync } from 'node:fs'
import { systemClock } from '../index.js'
import type { Database } from './driver.js'

/** What keeping the write-ahead file small needs. */
export interface WalParts {
  readonly database: Database
  readonly file: string
  /** Bytes from which the file is cut back. */
  readonly bytesMax: number
  readonly warn: (message: string) => void
}

// Between two looks at the file's size, and between two warnings.
const commitsBetween = 64
const warnEveryMs = 60_000

/**
 * Returns what is called after each commit and keeps the write-ahead file below `bytesMax`. SQLite itself writes pages
 * back every 1,000 pages, but the file only begins anew when nobody reads an old state; a reader that stands still makes
 * it grow. Then the file cannot be cut back, and an operator is told, at most once a minute.
 */
export function walKeeper(parts: WalParts): () => void {
  let commitCount = 0
  let warnedAtMs: number | undefined
  return () => {
    if (++commitCount % commitsBetween !== 0) return
    const bytes = sizeOf(`${parts.file}-wal`)
    if (bytes <= parts.bytesMax || cutBack(parts.database)) return
    const nowMs = systemClock.monotonic()
    if (warnedAtMs !== undefined && nowMs - warnedAtMs < warnEveryMs) return
    warnedAtMs = nowMs
    parts.warn(
      `${parts.file}-wal has grown to ${Math.round(bytes / 2 ** 20)} MiB, because another connection keeps reading an old state of the ` +
        'database or is stopped. Runs go on, but the disk fills. Find the process that has the file open (fuser, lsof) and end its read.',
    )
  }
}

/**
 * Writes everything back into the database file and empties the write-ahead file. False if a reader or a writer is in
 * the way; nothing is lost then.
 */
export function cutBack(database: Database): boolean {
  try {
    const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
    return row.busy === 0
  } catch {
    return false
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
