import type { OutboxEntry, RunId, StoredEvent } from '../../journal/index.js'
import {
  type Departure,
  type InboxDelivery,
  type JournalPiece,
  type MoveState,
  PageSize,
  type Parcel,
  type PurgedJournal,
  type StoreCounts,
  type StreamEnd,
  type StreamPiece,
} from '../index.js'
import type { Database } from './driver.js'
import { type StreamEvent, streamEvents } from './events.js'
import { countAll, endsOf, isOfNoRun } from './inventory.js'
import { logParcels } from './log-moving.js'
import { setMoveState } from './move-state.js'
import { type RunRecord, rowOf, selectRecords } from './run-record.js'

const pageSize = 500

/** Reads a file while its lock is held: nobody else writes. */
export class SqliteDeparture implements Departure {
  readonly #database: Database
  readonly owners: readonly string[]
  readonly #nowMs: number

  constructor(database: Database, { owners, nowMs }: { readonly owners: readonly string[]; readonly nowMs: number }) {
    this.#database = database
    this.owners = owners
    this.#nowMs = nowMs
  }

  async count(): Promise<StoreCounts> {
    return countAll(this.#database)
  }

  ends(): AsyncIterable<readonly StreamEnd[]> {
    return endsOf(this.#database)
  }

  async *parcels(): AsyncGenerator<Parcel> {
    for (const items of this.#pages(selectPurged, purgedOf)) yield { kind: 'purged', items }
    for (const items of this.#pieces()) yield { kind: 'journals', items }
    for (const items of this.#deliveries()) yield { kind: 'deliveries', items }
    for (const items of this.#pages(selectEntries, entryOf)) yield { kind: 'entries', items }
    for (const item of this.#streams()) yield { kind: 'streams', items: [item] }
    yield* logParcels(this.#database)
  }

  async seal(state: MoveState): Promise<void> {
    setMoveState(this.#database, state)
    this.#database.exec('COMMIT')
  }

  async end(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
  }

  // Rows above a number, in its order.
  *#pages<R extends { readonly no: number }, T>(sql: string, itemOf: (record: R) => T): Generator<readonly T[]> {
    const select = this.#database.prepare(sql)
    for (let last = 0; ; ) {
      const rows = select.all(last, pageSize) as R[]
      if (rows.length === 0) return
      yield rows.map(itemOf)
      last = rows.at(-1)?.no ?? last
    }
  }

  *#pieces(): Generator<readonly JournalPiece[]> {
    const size = new PageSize()
    for (const records of this.#pages<RunRecord & { no: number }, RunRecord>(selectRuns, (record) => record)) {
      const byStream = new Map(records.map((record) => [record.stream, record]))
      const [first = 0, last = 0] = [records[0]?.stream, records.at(-1)?.stream]
      let after = { streamNo: first, seq: -1 }
      for (;;) {
        const page = streamEvents(this.#database, { after, lastNo: last, limit: size.count })
        const end = page.at(-1)
        if (end === undefined) break
        yield piecesOf(page, byStream, this.#nowMs)
        size.learn(page.map(({ event }) => event))
        after = { streamNo: end.streamNo, seq: end.event.seq }
      }
    }
  }

  *#streams(): Generator<StreamPiece> {
    const streams = this.#database.prepare(`SELECT s.no FROM streams AS s WHERE ${isOfNoRun} ORDER BY s.name`)
    for (const { no } of streams.all() as { no: number }[]) {
      const size = new PageSize()
      for (let seq = -1; ; ) {
        const events = streamEvents(this.#database, { after: { streamNo: no, seq }, lastNo: no, limit: size.count })
        const last = events.at(-1)?.event
        if (last === undefined) break
        yield { stream: last.stream, events: events.map(({ event }) => event) }
        size.learn(events.map(({ event }) => event))
        seq = last.seq
      }
    }
  }

  *#deliveries(): Generator<readonly InboxDelivery[]> {
    const select = this.#database.prepare(`
      SELECT i.stream AS no, substr(s.name, 5) AS root, i.delivery FROM inbox AS i JOIN streams AS s ON s.no = i.stream
      WHERE (i.stream, i.delivery) > (?, ?) ORDER BY i.stream, i.delivery LIMIT ?`)
    for (let last = { no: 0, delivery: '' }; ; ) {
      const rows = select.all(last.no, last.delivery, pageSize) as { no: number; root: RunId; delivery: string }[]
      if (rows.length === 0) return
      yield rows.map(({ root, delivery }) => ({ root, delivery }))
      last = rows.at(-1) ?? last
    }
  }
}

// Events of one run that follow each other.
function piecesOf(
  page: readonly StreamEvent[],
  records: ReadonlyMap<number, RunRecord>,
  nowMs: number,
): JournalPiece[] {
  const pieces: { no: number; record: RunRecord; events: StoredEvent[] }[] = []
  for (const { streamNo, event } of page) {
    const last = pieces.at(-1)
    const record = records.get(streamNo)
    if (last?.no === streamNo) last.events.push(event)
    else if (record !== undefined) pieces.push({ no: streamNo, record, events: [event] })
  }
  return pieces.map(({ record, events }) => ({ row: rowOf(record), dueAtMs: dueOf(record, nowMs), events }))
}

// Whoever had it is gone: its lease has run out, whatever is left of it.
function dueOf({ due_at: dueAtMs, claim_id: claimId }: RunRecord, nowMs: number): number | undefined {
  if (dueAtMs === null) return undefined
  return claimId === null ? dueAtMs : Math.min(dueAtMs, nowMs)
}

const selectRuns = `${selectRecords.replace('SELECT r.stream', 'SELECT r.stream AS no, r.stream')} WHERE r.stream > ? ORDER BY r.stream LIMIT ?`

const selectPurged = `
  SELECT p.stream AS no, substr(s.name, 5) AS run, p.head_seq, lower(hex(p.head_hash)) AS head_hash, p.outcome, p.ended_at,
    p.purged_at, p.by
  FROM purged AS p JOIN streams AS s ON s.no = p.stream WHERE p.stream > ? ORDER BY p.stream LIMIT ?`

interface PurgedRecord {
  readonly no: number
  readonly run: RunId
  readonly head_seq: number
  readonly head_hash: string
  readonly outcome: PurgedJournal['outcome']
  readonly ended_at: number
  readonly purged_at: number
  readonly by: string
}

function purgedOf({ run, head_seq: seq, head_hash: hash, outcome, by, ...at }: PurgedRecord): PurgedJournal {
  return { run, head: { seq, hash }, outcome, endedAtMs: at.ended_at, purgedAtMs: at.purged_at, by }
}

const selectEntries = `
  SELECT o.id AS no, substr(s.name, 5) AS run, o.seq, o.kind, o.target
  FROM outbox AS o JOIN streams AS s ON s.no = o.stream WHERE o.id > ? ORDER BY o.id LIMIT ?`

function entryOf({ run, seq, kind, target }: OutboxEntry & { readonly no: number }): OutboxEntry {
  return { run, seq, kind, target }
}
