import { approvalChangeOf, type OutboxEntry, type RunId, runStream, type StoredEvent } from '../../journal/index.js'
import {
  type Arrival,
  type InboxDelivery,
  JournalCheck,
  type JournalPiece,
  type Parcel,
  type PurgedJournal,
  type StoreCounts,
  StreamCheck,
  type StreamEnd,
  type StreamPiece,
  type WholeJournal,
} from '../index.js'
import { keepApprovals, type StreamChanges } from './approvals.js'
import type { Row, Value } from './driver.js'
import { countAll, endsOf } from './inventory.js'
import { arrayOf, bytesOf, Columns } from './literals.js'
import { endLog, putLog } from './log-moving.js'
import type { LongTransaction } from './long-transaction.js'
import { clearMoveState, type MovePlace, movedTables } from './move-state.js'
import { rowOf } from './rebuild.js'

/** What an arrival stands on. */
export interface ArrivalGround {
  readonly on: LongTransaction
  readonly sql: (text: string) => string
  /** Whether all of it is there and the note of the move is gone, asked anew. */
  readonly isFilled: () => Promise<boolean>
}

/** A run whose journal came whole, and the number of its stream. */
interface Numbered {
  readonly no: number
  readonly whole: WholeJournal
}

/** Fills a schema within a transaction. */
export class PostgresArrival implements Arrival {
  readonly #ground: ArrivalGround
  readonly #place: MovePlace
  readonly #check = new JournalCheck()
  readonly #streams = new StreamCheck()
  #lastStream: { readonly run: RunId; readonly no: number } | undefined

  constructor(ground: ArrivalGround) {
    this.#ground = ground
    this.#place = { on: ground.on, sql: ground.sql }
  }

  async put(parcel: Parcel): Promise<void> {
    switch (parcel.kind) {
      case 'purged':
        return this.#putPurged(parcel.items)
      case 'journals':
        return this.#putJournals(parcel.items)
      case 'deliveries':
        return this.#putDeliveries(parcel.items)
      case 'entries':
        return this.#putEntries(parcel.items)
      case 'streams':
        for (const piece of parcel.items) await this.#putStream(piece)
        return
      default:
        return putLog(this.#place, parcel)
    }
  }

  async count(): Promise<StoreCounts> {
    this.#check.end()
    return countAll(this.#place)
  }

  ends(): AsyncIterable<readonly StreamEnd[]> {
    return endsOf(this.#place)
  }

  async commit(): Promise<void> {
    this.#check.end()
    await endLog(this.#place)
    await clearMoveState(this.#place)
    // Whoever claims next finds its way at once.
    for (const table of movedTables) await this.#ask(`ANALYZE {schema}.${table}`)
    await this.#ground.on.commit(this.#ground.isFilled)
  }

  end(): Promise<void> {
    return this.#ground.on.end()
  }

  #ask(sql: string, values?: readonly Value[]): Promise<Row[]> {
    return this.#place.on.query(this.#place.sql(sql), values)
  }

  async #putJournals(pieces: readonly JournalPiece[]): Promise<void> {
    const numbers = await this.#numbersOf(pieces.map(({ row }) => row.id))
    const [events, data] = [new Columns(10), new Columns(4)]
    const done: Numbered[] = []
    const approvals: StreamChanges[] = []
    for (const piece of pieces) {
      const no = numbers.get(piece.row.id) ?? -1
      for (const event of piece.events) addEvent({ events, data }, no, event)
      const changes = piece.events.flatMap((event) => approvalChangeOf(event) ?? [])
      if (changes.length > 0) approvals.push({ no, changes })
      const whole = this.#check.take(piece)
      if (whole !== undefined) done.push({ no, whole })
    }
    await this.#ask(insertEvents, events.literals())
    await this.#ask(insertData, data.literals())
    await keepApprovals(this.#place, approvals)
    if (done.length > 0) await this.#ask(insertRuns, [JSON.stringify(done.map(recordOf))])
  }

  // The first of them may have begun before.
  async #numbersOf(runs: readonly RunId[]): Promise<Map<RunId, number>> {
    const known = this.#lastStream
    const fresh = runs.filter((run) => run !== known?.run)
    const numbers = await this.#insertStreams(fresh)
    if (known !== undefined) numbers.set(known.run, known.no)
    const last = runs.at(-1)
    if (last !== undefined) this.#lastStream = { run: last, no: numbers.get(last) ?? -1 }
    return numbers
  }

  async #insertStreams(runs: readonly RunId[]): Promise<Map<RunId, number>> {
    if (runs.length === 0) return new Map()
    const rows = await this.#ask(insertStreams, [arrayOf(runs.map(runStream))])
    return new Map(rows.map(({ run, no }) => [run as RunId, Number(no)]))
  }

  // The rule that only what has an end may be purged is about journals that are here.
  async #putPurged(items: readonly PurgedJournal[]): Promise<void> {
    const numbers = await this.#insertStreams(items.map(({ run }) => run))
    const columns = new Columns(7)
    for (const { run, head, outcome, endedAtMs, purgedAtMs, by } of items)
      columns.add([numbers.get(run), head.seq, bytesOf(head.hash), outcome, endedAtMs, purgedAtMs, by])
    await this.#ask('ALTER TABLE {schema}.purged DISABLE TRIGGER purged_only_ended')
    await this.#ask(insertPurged, columns.literals())
    await this.#ask('ALTER TABLE {schema}.purged ENABLE ALWAYS TRIGGER purged_only_ended')
  }

  async #putStream(piece: StreamPiece): Promise<void> {
    this.#streams.take(piece)
    const [known] = await this.#ask(findStream, [piece.stream])
    const [row] = known === undefined ? await this.#ask(insertStream, [piece.stream]) : [known]
    const columns = { events: new Columns(10), data: new Columns(4) }
    for (const event of piece.events) addEvent(columns, Number(row?.['no']), event)
    await this.#ask(insertEvents, columns.events.literals())
    await this.#ask(insertData, columns.data.literals())
  }

  async #putDeliveries(items: readonly InboxDelivery[]): Promise<void> {
    const values = [arrayOf(items.map(({ root }) => root)), arrayOf(items.map(({ delivery }) => delivery))]
    await this.#ask('INSERT INTO {schema}.inbox (root, delivery) SELECT * FROM unnest($1::text[], $2::text[])', values)
  }

  async #putEntries(items: readonly OutboxEntry[]): Promise<void> {
    const columns = new Columns(4)
    for (const { run, seq, kind, target } of items) columns.add([runStream(run), seq, kind, target])
    await this.#ask(insertEntries, columns.literals())
  }
}

function addEvent({ events, data }: { events: Columns; data: Columns }, no: number, event: StoredEvent): void {
  const { seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data: text } = event
  events.add([no, seq, kind, body, bodySalt, bytesOf(dataCommit), at, by, seen, bytesOf(hash)])
  if (text !== undefined) data.add([no, seq, dataSalt, text])
}

function recordOf({ no, whole }: Numbered): Record<string, unknown> {
  const { row, fold, epoch, dueAtMs, claimedHeadSeq } = whole
  const { readSignalCount, lostLeaseCount, claim, latest, stuck, waitingFor } = row
  const told = rowOf({ no, fold, epoch, readSignalCount, lostLeaseCount, parked: undefined }, { nowMs: 0, latest })
  const owner = { claim_id: claim?.id, worker: claim?.worker, progressed: claimedHeadSeq < fold.head.seq }
  const held = { held_epoch: claim && row.epoch, held_by: claim?.workerId, held_since: claim?.sinceMs }
  const rest = { waiting_for: waitingFor.length === 0 ? null : JSON.stringify(waitingFor), wake_at: row.wakeAtMs }
  const why = { stuck_code: stuck?.code, stuck_message: stuck?.message }
  return { ...told, status: row.status, due_at: dueAtMs ?? null, ...owner, ...held, ...rest, ...why }
}

const insertStreams = `
  INSERT INTO {schema}.streams (name)
  SELECT i.name FROM unnest($1::text[]) WITH ORDINALITY AS i (name, ord) ORDER BY i.ord
  RETURNING no, substr(name, 5) AS run`

const findStream = 'SELECT s.no FROM {schema}.streams AS s WHERE s.name = $1'

const insertStream = 'INSERT INTO {schema}.streams (name) VALUES ($1) RETURNING no'

const insertEvents = `
  INSERT INTO {schema}.events (stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bigint[], $8::text[],
    $9::text[], $10::bytea[])`

const insertData = `
  INSERT INTO {schema}.event_data (stream, seq, salt, text)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::text[])`

const insertRuns = 'INSERT INTO {schema}.runs SELECT * FROM json_populate_recordset(NULL::{schema}.runs, $1::json)'

const insertPurged = `
  INSERT INTO {schema}.purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::text[], $5::bigint[], $6::bigint[], $7::text[])`

const insertEntries = `
  INSERT INTO {schema}.outbox (stream, seq, kind, target)
  SELECT s.no, i.seq, i.kind, i.target
  FROM unnest($1::text[], $2::integer[], $3::text[], $4::text[]) WITH ORDINALITY AS i (stream, seq, kind, target, ord)
  JOIN {schema}.streams AS s ON s.name = i.stream ORDER BY i.ord`
