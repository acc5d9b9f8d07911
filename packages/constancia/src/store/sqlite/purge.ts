import type { RunFold, RunId } from '../../journal/index.js'
import type { Purge } from '../index.js'
import type { Database } from './driver.js'
import { foldOf, type RunRecord } from './run-record.js'
import type { Session } from './session.js'

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

/** Deletes journals of runs that have ended; see `Store.purge`. One transaction; it blocks the event loop. */
export function purge(session: Session, { runs, by }: Purge): Promise<{ purged: RunId[] }> {
  return session.write(() => {
    const nowMs = session.clock.now()
    const purged: RunId[] = []
    for (const run of runs) {
      const record = session.runs.record(run)
      if (record === undefined || !isOver(session, record)) continue
      session.purged.purge(record.stream, { fold: foldOf(record), nowMs, by })
      session.runs.remove(record.stream)
      session.inbox.remove(record.stream)
      session.tips.forget(run)
      session.watchers.touch({ run, headSeq: undefined, due: false, outbox: false })
      purged.push(run)
    }
    return { purged }
  })
}

// Runs of a line take over from each other as they end: it is over with the last of them. A root that is gone had such a line.
function isOver(session: Session, record: RunRecord): boolean {
  if (record.outcome === 'open' || session.outbox.has(record.stream)) return false
  const { latest } = (record.root === null ? record : session.runs.record(record.root)) ?? { latest: null }
  return latest === null || session.runs.record(latest)?.outcome !== 'open'
}
