import type { StoreCounts, StreamEnd } from '../index.js'
import type { Database } from './driver.js'

const pageSize = 1000

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
    leafCount: countOf('log_leaves'),
    checkpointCount: countOf('log_checkpoints'),
    attestationCount: countOf('log_attestations'),
  }
}

/** Streams that belong to no run. */
export const isOfNoRun = "(s.name < 'run/' OR s.name >= 'run0')"

const ends = `
  SELECT s.no, s.name AS stream, e.seq, lower(hex(e.hash)) AS hash FROM streams AS s
  JOIN events AS e ON e.stream = s.no AND e.seq = (SELECT max(seq) FROM events WHERE stream = s.no)`

type EndRow = StreamEnd & { readonly no: number }

/** The ends of all journals, oldest run first, then those of other streams by their names; in pages. */
export async function* endsOf(database: Database): AsyncGenerator<readonly StreamEnd[]> {
  const ofRuns = database.prepare(`${ends} WHERE NOT ${isOfNoRun} AND s.no > ? ORDER BY s.no LIMIT ?`)
  const others = database.prepare(`${ends} WHERE ${isOfNoRun} AND s.name > ? ORDER BY s.name LIMIT ?`)
  yield* pagesFrom(
    0,
    (last) => ofRuns.all(last, pageSize) as unknown as EndRow[],
    ({ no }) => no,
  )
  yield* pagesFrom(
    '' as string,
    (last) => others.all(last, pageSize) as unknown as EndRow[],
    ({ stream }) => stream,
  )
}

function* pagesFrom<L>(first: L, read: (last: L) => EndRow[], lastOf: (row: EndRow) => L): Generator<StreamEnd[]> {
  for (let rows = read(first); rows.length > 0; ) {
    yield rows.map(({ stream, seq, hash }) => ({ stream, seq, hash }))
    const last = rows.at(-1)
    rows = last === undefined ? [] : read(lastOf(last))
  }
}
