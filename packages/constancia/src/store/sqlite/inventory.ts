import type { RunId } from '../../journal/index.js'
import type { RunEnd, StoreCounts } from '../index.js'
import type { Database } from './driver.js'

const pageSize = 1000
const prefixLength = 'run/'.length

/** How much is in a file. */
export function countAll(database: Database): StoreCounts {
  const countOf = (table: string): number =>
    (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
  return {
    runCount: countOf('runs'),
    eventCount: countOf('events'),
    purgedCount: countOf('purged'),
    deliveryCount: countOf('inbox'),
    entryCount: countOf('outbox'),
  }
}

/** The ends of all journals, oldest run first, in pages. */
export async function* endsOf(database: Database): AsyncGenerator<readonly RunEnd[]> {
  const select = database.prepare(`
    SELECT s.no, s.name, e.seq, lower(hex(e.hash)) AS hash FROM streams AS s
    JOIN events AS e ON e.stream = s.no AND e.seq = (SELECT max(seq) FROM events WHERE stream = s.no)
    WHERE s.no > ? ORDER BY s.no LIMIT ?`)
  for (let last = 0; ; ) {
    const rows = select.all(last, pageSize) as { no: number; name: string; seq: number; hash: string }[]
    if (rows.length === 0) return
    yield rows.map(({ name, seq, hash }) => ({ run: name.slice(prefixLength) as RunId, seq, hash }))
    last = rows.at(-1)?.no ?? last
  }
}
