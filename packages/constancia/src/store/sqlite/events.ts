import type { StoredEvent, StreamId } from '../../journal/index.js'
import type { Database } from './driver.js'
import type { EventWriter } from './event-writer.js'

/** The journal's tables. */
export interface EventTable {
  /** Events from a place on, in order; empty for a stream that is unknown. */
  read(stream: StreamId, fromSeq: number, limit: number): StoredEvent[]
  /** The number of a stream, or undefined if it has none. */
  streamNo(stream: StreamId): number | undefined
  /** Gives a stream its number. */
  insertStream(stream: StreamId): number
  /** Where an event stands among all events of the store. */
  eventId(streamNo: number, seq: number): number
  /** Streams with a number above this, in order. */
  streams(afterNo: number, limit: number): { readonly no: number; readonly name: string }[]
}

// Salts come as hex: a text costs the driver a third of what bytes do. No data has no commit, no salt and no text.
type EventRow = readonly [
  seq: number,
  kind: string,
  body: string,
  bodySalt: string,
  dataCommit: string,
  at: number,
  by: string,
  seen: string,
  hash: string,
  dataSalt: string,
  data: string | null,
]

const eventColumns = `e.seq, e.kind, e.body, hex(e.body_salt), lower(hex(e.data_commit)), e.at, e.by, e.seen,
    lower(hex(e.hash)), hex(d.salt), d.text`

const selectEvents = `
  SELECT ${eventColumns}
  FROM events AS e LEFT JOIN event_data AS d ON d.event = e.id
  WHERE e.stream = (SELECT no FROM streams WHERE name = ?) AND e.seq >= ?
  ORDER BY e.seq LIMIT ?`

/** Prepares the statements of the journal's tables. */
export function eventTable(database: Database, writer: EventWriter): EventTable {
  const select = database.prepare(selectEvents)
  // Rows without names take half the time, and a replay reads thousands.
  select.setReturnArrays(true)
  const selectNo = database.prepare('SELECT no FROM streams WHERE name = ?')
  const insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)')
  const selectId = database.prepare('SELECT id FROM events WHERE stream = ? AND seq = ?')
  const selectStreams = database.prepare('SELECT no, name FROM streams WHERE no > ? ORDER BY no LIMIT ?')

  return {
    read: (stream, fromSeq, limit) => {
      writer.flush()
      return (select.all(stream, fromSeq, limit) as EventRow[]).map((row) => eventOf(stream, row))
    },
    streamNo: (stream) => (selectNo.get(stream) as { no: number } | undefined)?.no,
    insertStream: (stream) => Number(insertStream.run(stream).lastInsertRowid),
    eventId: (streamNo, seq) => (selectId.get(streamNo, seq) as { id: number }).id,
    streams: (afterNo, limit) => selectStreams.all(afterNo, limit) as { no: number; name: string }[],
  }
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

/** Events of many streams, stream after stream. Reads what is committed, or written by this connection. */
export function streamEvents(database: Database, { after, lastNo, limit }: StreamRange): StreamEvent[] {
  const select = database.prepare(`
    SELECT s.no, s.name, ${eventColumns}
    FROM events AS e JOIN streams AS s ON s.no = e.stream LEFT JOIN event_data AS d ON d.event = e.id
    WHERE (e.stream, e.seq) > (?, ?) AND e.stream <= ? ORDER BY e.stream, e.seq LIMIT ?`)
  select.setReturnArrays(true)
  const rows = select.all(after.streamNo, after.seq, lastNo, limit) as [number, StreamId, ...EventRow][]
  return rows.map(([streamNo, name, ...row]) => ({ streamNo, event: eventOf(name, row) }))
}

function eventOf(stream: StreamId, row: EventRow): StoredEvent {
  const [seq, kind, body, bodySaltHex, dataCommitHex, at, by, seen, hash, dataSaltHex, text] = row
  const bodySalt = bytesOf(bodySaltHex)
  const dataCommit = dataCommitHex === '' ? undefined : dataCommitHex
  const dataSalt = dataSaltHex === '' ? undefined : bytesOf(dataSaltHex)
  const data = text ?? undefined
  return { stream, seq, kind, body, bodySalt, data, dataSalt, dataCommit, at, by, seen, hash }
}

function bytesOf(hex: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(hex, 'hex')
  return new Uint8Array(buffer, byteOffset, length)
}
