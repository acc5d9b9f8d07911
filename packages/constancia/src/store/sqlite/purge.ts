import type { RunId } from '../../journal/index.js'
import type { Purge } from '../index.js'
import { foldOf, type RunRecord } from './run-record.js'
import type { Session } from './session.js'

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
      session.approvals.remove(record.stream)
      session.outbox.remove(record.stream)
      session.tips.forget(run)
      session.watchers.touch({ run, headSeq: undefined, due: false, outbox: false })
      purged.push(run)
    }
    return { purged }
  })
}

// Runs of a line take over from each other as they end: it is over with the last of them. A root that is gone had such a line.
/** Whether a run, and the line that it is of, has ended and has nothing to tell another. */
export function isOver(session: Session, record: RunRecord): boolean {
  if (record.outcome === 'open' || session.outbox.has(record.stream)) return false
  const { latest } = (record.root === null ? record : session.runs.record(record.root)) ?? { latest: null }
  return latest === null || session.runs.record(latest)?.outcome !== 'open'
}
