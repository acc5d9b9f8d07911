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
import type { Row, Value } from './driver.js'
import { type StreamEvent, streamEvents } from './events.js'
import { countAll, endsOf, isOfNoRun } from './inventory.js'
import { logParcels } from './log-moving.js'
import type { LongTransaction } from './long-transaction.js'
import { type MovePlace, setMoveState } from './move-state.js'
import { type RunRecord, recordColumns, rowOf } from './run-record.js'

const pageSize = 500

/** What a departure stands on. */
export interface DepartureGround {
  readonly on: LongTransaction
  readonly sql: (text: string) => string
  readonly owners: readonly string[]
  /** Whether this is noted, asked anew. */
  readonly hasState: (state: MoveState) => Promise<boolean>
}

/** Reads a schema while its tables are locked: nobody else writes. */
export class PostgresDeparture implements Departure {
  readonly #ground: DepartureGround
  readonly #place: MovePlace
  readonly owners: readonly string[]

  constructor(ground: DepartureGround) {
    this.#ground = ground
    this.#place = { on: ground.on, sql: ground.sql }
    this.owners = ground.owners
  }

  count(): Promise<StoreCounts> {
    return countAll(this.#place)
  }

  ends(): AsyncIterable<readonly StreamEnd[]> {
    return endsOf(this.#place)
  }

  async *parcels(): AsyncGenerator<Parcel> {
    for await (const page of this.#pages(selectPurged)) yield { kind: 'purged', items: page.map(purgedOf) }
    for await (const items of this.#pieces()) yield { kind: 'journals', items }
    for await (const items of this.#deliveries()) yield { kind: 'deliveries', items }
    for await (const page of this.#pages(selectEntries)) yield { kind: 'entries', items: page.map(entryOf) }
    for await (const item of this.#streams()) yield { kind: 'streams', items: [item] }
    yield* logParcels(this.#place)
  }

  async seal(state: MoveState): Promise<void> {
    await setMoveState(this.#place, state)
    await this.#ground.on.commit(() => this.#ground.hasState(state))
  }

  end(): Promise<void> {
    return this.#ground.on.end()
  }

  #ask(sql: string, values: readonly Value[]): Promise<Row[]> {
    return this.#place.on.query(this.#place.sql(sql), values)
  }

  // Rows above a number, in its order.
  async *#pages(sql: string): AsyncGenerator<readonly Row[]> {
    for (let last = 0; ; ) {
      const rows = await this.#ask(sql, [last, pageSize])
      if (rows.length === 0) return
      yield rows
      last = Number(rows.at(-1)?.['no'])
    }
  }

  async *#pieces(): AsyncGenerator<readonly JournalPiece[]> {
    const size = new PageSize()
    for await (const rows of this.#pages(selectRuns)) {
      const records = rows as unknown as readonly RunRecord[]
      const byStream = new Map(records.map((record) => [record.stream, record]))
      const [first = 0, last = 0] = [records[0]?.stream, records.at(-1)?.stream]
      let after = { streamNo: first, seq: -1 }
      for (;;) {
        const page = await streamEvents(this.#place, { after, lastNo: last, limit: size.count })
        const end = page.at(-1)
        if (end === undefined) break
        yield piecesOf(page, byStream)
        size.learn(page.map(({ event }) => event))
        after = { streamNo: end.streamNo, seq: end.event.seq }
      }
    }
  }

  async *#streams(): AsyncGenerator<StreamPiece> {
    for (const row of await this.#ask(selectStreams, [])) {
      const no = Number(row['no'])
      const size = new PageSize()
      for (let seq = -1; ; ) {
        const events = await streamEvents(this.#place, { after: { streamNo: no, seq }, lastNo: no, limit: size.count })
        const last = events.at(-1)?.event
        if (last === undefined) break
        yield { stream: last.stream, events: events.map(({ event }) => event) }
        size.learn(events.map(({ event }) => event))
        seq = last.seq
      }
    }
  }

  async *#deliveries(): AsyncGenerator<readonly InboxDelivery[]> {
    for (let last: InboxDelivery = { root: '' as RunId, delivery: '' }; ; ) {
      const rows = await this.#ask(selectDeliveries, [last.root, last.delivery, pageSize])
      if (rows.length === 0) return
      const items = rows.map(({ root, delivery }) => ({ root: root as RunId, delivery: String(delivery) }))
      yield items
      last = items.at(-1) ?? last
    }
  }
}

// Events of one run that follow each other.
function piecesOf(page: readonly StreamEvent[], records: ReadonlyMap<number, RunRecord>): JournalPiece[] {
  const pieces: { no: number; record: RunRecord; events: StoredEvent[] }[] = []
  for (const { streamNo, event } of page) {
    const last = pieces.at(-1)
    const record = records.get(streamNo)
    if (last?.no === streamNo) last.events.push(event)
    else if (record !== undefined) pieces.push({ no: streamNo, record, events: [event] })
  }
  return pieces.map(({ record, events }) => {
    return { row: rowOf(record), dueAtMs: record.due_at ?? undefined, events }
  })
}

const selectRuns = `
  SELECT r.stream AS no, ${recordColumns} FROM {schema}.runs AS r WHERE r.stream > $1 ORDER BY r.stream LIMIT $2`

const selectStreams = `SELECT s.no FROM {schema}.streams AS s WHERE ${isOfNoRun} ORDER BY s.name`

const selectDeliveries = `
  SELECT i.root, i.delivery FROM {schema}.inbox AS i WHERE (i.root, i.delivery) > ($1, $2)
  ORDER BY i.root, i.delivery LIMIT $3`

const selectPurged = `
  SELECT p.stream AS no, substr(s.name, 5) AS run, p.head_seq, encode(p.head_hash, 'hex') AS head_hash, p.outcome, p.ended_at,
    p.purged_at, p.by
  FROM {schema}.purged AS p JOIN {schema}.streams AS s ON s.no = p.stream WHERE p.stream > $1 ORDER BY p.stream LIMIT $2`

function purgedOf(row: Row): PurgedJournal {
  return {
    run: row['run'] as RunId,
    head: { seq: Number(row['head_seq']), hash: String(row['head_hash']) },
    outcome: row['outcome'] as PurgedJournal['outcome'],
    endedAtMs: Number(row['ended_at']),
    purgedAtMs: Number(row['purged_at']),
    by: String(row['by']),
  }
}

const selectEntries = `
  SELECT o.id AS no, substr(s.name, 5) AS run, o.seq, o.kind, o.target
  FROM {schema}.outbox AS o JOIN {schema}.streams AS s ON s.no = o.stream WHERE o.id > $1 ORDER BY o.id LIMIT $2`

function entryOf(row: Row): OutboxEntry {
  const { run, seq, kind, target } = row as unknown as OutboxEntry
  return { run, seq, kind, target }
}
