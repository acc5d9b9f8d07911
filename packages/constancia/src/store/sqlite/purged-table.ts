import type { RunFold } from '../../journal/index.js'
import type { Database } from './driver.js'

/** Which journals were deleted; nothing else is left of them. */
export interface PurgedTable {
  has(streamNo: number): boolean
  /** Notes the end of a journal, and deletes its events. Refused by the database unless the journal has an end. */
  purge(streamNo: number, purging: Purging): void
}

/** What remains of a journal. */
export interface Purging {
  readonly fold: RunFold
  readonly nowMs: number
  readonly by: string
}

/** Prepares the statements that delete journals. */
export function purgedTable(database: Database): PurgedTable {
  const select = database.prepare('SELECT 1 FROM purged WHERE stream = ?')
  const insert = database.prepare(`
    INSERT INTO purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by) VALUES (?, ?, unhex(?), ?, ?, ?, ?)`)
  // Data first: that it may go is known by its event.
  const removeData = database.prepare('DELETE FROM event_data WHERE event IN (SELECT id FROM events WHERE stream = ?)')
  const removeEvents = database.prepare('DELETE FROM events WHERE stream = ?')
  return {
    has: (streamNo) => select.get(streamNo) !== undefined,
    purge: (streamNo, { fold: { head, outcome, endedAtMs }, nowMs, by }) => {
      insert.run(streamNo, head.seq, head.hash, outcome, endedAtMs ?? head.at, nowMs, by)
      removeData.run(streamNo)
      removeEvents.run(streamNo)
    },
  }
}
