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

const select = `
  SELECT e.seq, e.kind, e.body, e.body_salt, encode(e.data_commit, 'hex') AS data_commit, e.at, e.by, e.seen,
    encode(e.hash, 'hex') AS hash, d.salt, d.text
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
