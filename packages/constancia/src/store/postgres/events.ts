import type { StoredEvent, StreamId } from '../../journal/index.js'
import type { Connection } from './driver.js'
import type { Session } from './session.js'

/** Which events of a stream. */
export interface Range {
  readonly fromSeq: number
  /** Undefined for all of them. */
  readonly limit: number | undefined
}

interface EventRecord {
  readonly seq: number
  readonly kind: string
  readonly body: string
  readonly body_salt: Uint8Array
  readonly data_commit: string | null
  readonly at: number
  readonly by: string
  readonly seen: string
  readonly hash: string
  readonly salt: Uint8Array | null
  readonly text: string | null
}

const columns = `e.seq, e.kind, e.body, e.body_salt, encode(e.data_commit, 'hex') AS data_commit, e.at, e.by, e.seen,
    encode(e.hash, 'hex') AS hash, d.salt, d.text`

const select = `
  SELECT ${columns}
  FROM {schema}.events AS e LEFT JOIN {schema}.event_data AS d ON d.stream = e.stream AND d.seq = e.seq
  WHERE e.stream = (SELECT no FROM {schema}.streams WHERE name = $1) AND e.seq >= $2
  ORDER BY e.seq LIMIT $3`

/** Events from a place on, in order; empty for a stream that is unknown. */
export async function readEvents(
  session: Session,
  on: Connection,
  { stream, range }: { readonly stream: StreamId; readonly range: Range },
): Promise<StoredEvent[]> {
  const records = await on.query(session.sql(select), [stream, range.fromSeq, range.limit ?? null])
  return (records as unknown as EventRecord[]).map((record) => eventOf(stream, record))
}

/** An event and the number of its stream. */
export interface StreamEvent {
  readonly streamNo: number
  readonly event: StoredEvent
}

/** Which events of many streams. */
export interface StreamRange {
  /** The last one that is known. */
  readonly after: { readonly streamNo: number; readonly seq: number }
  /** The last stream. */
  readonly lastNo: number
  readonly limit: number
}

const selectMany = `
  SELECT s.no, s.name, ${columns}
  FROM {schema}.events AS e JOIN {schema}.streams AS s ON s.no = e.stream
  LEFT JOIN {schema}.event_data AS d ON d.stream = e.stream AND d.seq = e.seq
  WHERE (e.stream, e.seq) > ($1, $2) AND e.stream <= $3 ORDER BY e.stream, e.seq LIMIT $4`

/** Events of many streams, stream after stream. */
export async function streamEvents(
  { on, sql }: { readonly on: Connection; readonly sql: (text: string) => string },
  { after, lastNo, limit }: StreamRange,
): Promise<StreamEvent[]> {
  const rows = await on.query(sql(selectMany), [after.streamNo, after.seq, lastNo, limit])
  const records = rows as unknown as (EventRecord & { readonly no: number; readonly name: StreamId })[]
  return records.map((record) => ({ streamNo: record.no, event: eventOf(record.name, record) }))
}

function eventOf(stream: StreamId, record: EventRecord): StoredEvent {
  const { seq, kind, body, body_salt: bodySalt, data_commit: dataCommit, at, by, seen, hash, salt, text } = record
  return {
    stream,
    seq,
    kind,
    body,
    bodySalt: new Uint8Array(bodySalt),
    data: text ?? undefined,
    dataSalt: salt === null ? undefined : new Uint8Array(salt),
    dataCommit: dataCommit ?? undefined,
    at,
    by,
    seen,
    hash,
  }
}
