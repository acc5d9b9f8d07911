import type { StreamId } from '../../journal/index.js'
import type { StoreCounts, StreamEnd } from '../index.js'
import type { MovePlace } from './move-state.js'

const pageSize = 1000

/** How much is in a schema. */
export async function countAll({ on, sql }: MovePlace): Promise<StoreCounts> {
  const countOf = async (table: string): Promise<number> =>
    Number((await on.query(sql(`SELECT count(*) AS count FROM {schema}.${table}`)))[0]?.['count'])
  return {
    runCount: await countOf('runs'),
    eventCount: await countOf('events'),
    purgedCount: await countOf('purged'),
    deliveryCount: await countOf('inbox'),
    entryCount: await countOf('outbox'),
    leafCount: await countOf('log_leaves'),
    checkpointCount: await countOf('log_checkpoints'),
    attestationCount: await countOf('log_attestations'),
  }
}

/** Streams that belong to no run. */
export const isOfNoRun = "(s.name < 'run/' OR s.name >= 'run0')"

const select = `
  SELECT s.no, s.name, e.seq, encode(e.hash, 'hex') AS hash FROM {schema}.streams AS s
  CROSS JOIN LATERAL (SELECT l.seq, l.hash FROM {schema}.events AS l WHERE l.stream = s.no ORDER BY l.seq DESC LIMIT 1) AS e`

const ofRuns = `${select} WHERE NOT ${isOfNoRun} AND s.no > $1 ORDER BY s.no LIMIT $2`
const others = `${select} WHERE ${isOfNoRun} AND s.name > $1 ORDER BY s.name LIMIT $2`

/** The ends of all journals, oldest run first, then those of other streams by their names; in pages. */
export async function* endsOf({ on, sql }: MovePlace): AsyncGenerator<readonly StreamEnd[]> {
  for (const [text, key, first] of [[ofRuns, 'no', 0] as const, [others, 'name', ''] as const]) {
    for (let last: string | number = first; ; ) {
      const rows = await on.query(sql(text), [last, pageSize])
      if (rows.length === 0) break
      yield rows.map(({ name, seq, hash }) => ({ stream: name as StreamId, seq: Number(seq), hash: String(hash) }))
      last = rows.at(-1)?.[key] as string | number
    }
  }
}
