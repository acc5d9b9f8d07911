import type { StreamId } from '../../journal/index.js'
import { type Grown, type GrownHead, sealedLast } from '../index.js'
import type { Connection, Value } from './driver.js'
import { arrayOf } from './literals.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'

/**
 * How far events were looked at: all that a snapshot saw. While `last` is set, streams are looked at one after the other instead, from the one after
 * `stream` up to that: at first, after a move, and where more has grown than is sealed at once.
 */
interface Cursor {
  /** PostgreSQL's text of a snapshot, `xmin:xmax:xip,…`. */
  readonly snapshot: string
  readonly stream: number
  readonly last: number | undefined
}

const ends = `
  SELECT g.no, s.name, h.seq, encode(h.hash, 'hex') AS hash, coalesce(l.seq, -1) AS sealed
  FROM grown AS g JOIN {schema}.streams AS s ON s.no = g.no
  LEFT JOIN LATERAL (
    (SELECT e.seq, e.hash FROM {schema}.events AS e WHERE e.stream = g.no ORDER BY e.seq DESC LIMIT 1)
    UNION ALL SELECT o.seq, o.hash FROM {schema}.log_owed AS o WHERE o.stream = g.no
    ORDER BY seq DESC LIMIT 1) AS h ON true
  LEFT JOIN LATERAL (
    SELECT l.seq FROM {schema}.log_leaves AS l WHERE l.stream = g.no ORDER BY l.no DESC LIMIT 1) AS l ON true`

// Transactions of another life of the schema, in a server that has not come so far yet, are not ahead of every snapshot.
const byTransaction = `
  WITH touched AS MATERIALIZED (
    SELECT DISTINCT e.stream AS no FROM {schema}.events AS e
    WHERE (e.xid >= $1 AND e.xid < pg_snapshot_xmax(pg_current_snapshot())::text::bigint) OR e.xid = ANY ($2::bigint[])),
  grown AS MATERIALIZED (SELECT t.no FROM touched AS t UNION SELECT o.stream FROM {schema}.log_owed AS o LIMIT $3)
  ${ends}`

const byStream = `
  WITH grown AS MATERIALIZED (
    SELECT s.no FROM {schema}.streams AS s WHERE s.no > $1 AND s.no <= $2 ORDER BY s.no LIMIT $3)
  ${ends} ORDER BY g.no`

const governance = `
  WITH grown AS MATERIALIZED (SELECT s.no FROM {schema}.streams AS s WHERE s.name = '${sealedLast}')
  ${ends}`

const begin = `
  SELECT l.size, l.cursor, pg_current_snapshot()::text AS snapshot, (SELECT coalesce(max(s.no), 0) FROM {schema}.streams AS s) AS last_stream
  FROM {schema}.log AS l`

/**
 * What has grown; see `Log.grown`. Each statement sees more than the one before: what is committed before the first is found, and
 * `governance` is read last. What a snapshot did not see is read by the transactions that it did not see.
 */
export function grown(session: Session, limit: number): Promise<Grown> {
  return inTransaction(session, async (on) => {
    await on.query('SET LOCAL enable_seqscan = off')
    const [row] = await on.query(session.sql(begin))
    const now = { snapshot: String(row?.['snapshot']), lastStream: Number(row?.['last_stream']) }
    const found = await look({ session, on, limit, now }, cursorOf(String(row?.['cursor']), now))
    const [last] = await askEnds(on, session.sql(governance), [])
    const heads = found.rows.filter((row) => row.name !== sealedLast && isGrown(row)).map(headOf)
    return {
      size: Number(row?.['size']),
      heads,
      governance: last?.seq == null ? undefined : headOf(last),
      hasGovernanceGrown: last !== undefined && isGrown(last),
      hasMore: found.cursor.last !== undefined,
      cursor: JSON.stringify(found.cursor),
    }
  })
}

interface Now {
  readonly snapshot: string
  readonly lastStream: number
}

interface Looking {
  readonly session: Session
  readonly on: Connection
  readonly limit: number
  readonly now: Now
}

interface Found {
  readonly rows: readonly EndRow[]
  readonly cursor: Cursor
}

interface EndRow {
  readonly no: number
  readonly name: StreamId
  /** Null where nothing is left of the stream. */
  readonly seq: number | null
  readonly hash: string
  readonly sealed: number
}

async function askEnds(on: Connection, sql: string, values: readonly Value[]): Promise<readonly EndRow[]> {
  return (await on.query(sql, values)) as unknown as readonly EndRow[]
}

function isGrown({ seq, sealed }: EndRow): boolean {
  return seq !== null && seq > sealed
}

async function look(looking: Looking, cursor: Cursor): Promise<Found> {
  const { session, on, limit, now } = looking
  if (cursor.last !== undefined) return lookAtStreams(looking, cursor, cursor.last)
  const { xmax, open } = partsOf(cursor.snapshot)
  const rows = await askEnds(on, session.sql(byTransaction), [xmax, arrayOf(open), limit + 1])
  const whole = { snapshot: now.snapshot, stream: 0, last: undefined }
  if (rows.length <= limit) return { rows, cursor: whole }
  return lookAtStreams(looking, whole, now.lastStream)
}

async function lookAtStreams({ session, on, limit }: Looking, cursor: Cursor, last: number): Promise<Found> {
  const rows = await askEnds(on, session.sql(byStream), [cursor.stream, last, limit])
  const end = rows.at(-1)?.no
  const isOver = rows.length < limit || end === undefined || end >= last
  if (!isOver) return { rows, cursor: { ...cursor, stream: end, last } }
  return { rows, cursor: { snapshot: cursor.snapshot, stream: 0, last: undefined } }
}

// A server that has not come as far as the snapshot is another one: the schema was dumped and put there.
function cursorOf(text: string, { snapshot, lastStream }: Now): Cursor {
  const anew = { snapshot, stream: 0, last: lastStream }
  if (text === '') return anew
  const cursor = JSON.parse(text) as Cursor
  return partsOf(snapshot).xmax < partsOf(cursor.snapshot).xmax ? anew : cursor
}

function partsOf(snapshot: string): { readonly xmax: number; readonly open: readonly number[] } {
  const [, xmax = '0', open = ''] = snapshot.split(':')
  return { xmax: Number(xmax), open: open === '' ? [] : open.split(',').map(Number) }
}

function headOf({ no, name, seq, hash }: EndRow): GrownHead {
  return { stream: name, seq: seq ?? -1, hash, place: no }
}
