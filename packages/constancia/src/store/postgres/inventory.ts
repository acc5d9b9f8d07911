import type { RunId } from '../../journal/index.js'
import type { RunEnd, StoreCounts } from '../index.js'
import type { MovePlace } from './move-state.js'

const pageSize = 1000
const prefixLength = 'run/'.length

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
  }
}

const select = `
  SELECT s.no, s.name, e.seq, encode(e.hash, 'hex') AS hash FROM {schema}.streams AS s
  CROSS JOIN LATERAL (SELECT l.seq, l.hash FROM {schema}.events AS l WHERE l.stream = s.no ORDER BY l.seq DESC LIMIT 1) AS e
  WHERE s.no > $1 ORDER BY s.no LIMIT $2`

/** The ends of all journals, oldest run first, in pages. */
export async function* endsOf({ on, sql }: MovePlace): AsyncGenerator<readonly RunEnd[]> {
  for (let last = 0; ; ) {
    const rows = await on.query(sql(select), [last, pageSize])
    if (rows.length === 0) return
    yield rows.map(({ name, seq, hash }) => {
      return { run: String(name).slice(prefixLength) as RunId, seq: Number(seq), hash: String(hash) }
    })
    last = Number(rows.at(-1)?.['no'])
  }
}
