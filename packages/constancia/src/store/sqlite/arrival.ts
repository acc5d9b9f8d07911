import { assert, type RunId, runStream, type StreamId } from '../../journal/index.js'
import {
  type Arrival,
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
import { type ApprovalTable, approvalTable } from './approvals.js'
import type { Database } from './driver.js'
import { EventWriter } from './event-writer.js'
import { type EventTable, eventTable } from './events.js'
import { type InboxTable, inboxTable } from './inbox.js'
import { countAll, endsOf } from './inventory.js'
import { LogArrival } from './log-moving.js'
import { clearMoveState } from './move-state.js'
import { type OutboxTable, outboxTable } from './outbox.js'
import { type RunTable, runTable } from './runs.js'

/** Fills a file within a transaction that has begun. */
export class SqliteArrival implements Arrival {
  readonly #database: Database
  readonly #check = new JournalCheck()
  readonly #streams = new StreamCheck()
  readonly #writer: EventWriter
  readonly #events: EventTable
  readonly #runs: RunTable
  readonly #inbox: InboxTable
  readonly #outbox: OutboxTable
  readonly #approvals: ApprovalTable
  readonly #log: LogArrival
  #lastStream: { readonly run: RunId; readonly no: number } | undefined

  constructor(database: Database) {
    this.#database = database
    this.#writer = new EventWriter(database)
    this.#events = eventTable(database, this.#writer)
    this.#runs = runTable(database, this.#writer)
    this.#inbox = inboxTable(database)
    this.#outbox = outboxTable(database)
    this.#approvals = approvalTable(database)
    this.#log = new LogArrival(database)
  }

  async put(parcel: Parcel): Promise<void> {
    switch (parcel.kind) {
      case 'purged':
        return this.#putPurged(parcel.items)
      case 'journals':
        for (const piece of parcel.items) this.#putPiece(piece)
        return this.#writer.flush()
      case 'deliveries':
        for (const { root, delivery } of parcel.items) this.#inbox.insert(this.#streamNo(root), delivery)
        return
      case 'entries':
        for (const entry of parcel.items) this.#outbox.insert(this.#streamNo(entry.run), entry)
        return
      case 'streams':
        for (const piece of parcel.items) this.#putStream(piece)
        return this.#writer.flush()
      default:
        return this.#log.put(parcel, (stream) => this.#events.streamNo(stream))
    }
  }

  async count(): Promise<StoreCounts> {
    this.#check.end()
    return countAll(this.#database)
  }

  ends(): AsyncIterable<readonly StreamEnd[]> {
    return endsOf(this.#database)
  }

  async commit(): Promise<void> {
    this.#check.end()
    clearMoveState(this.#database)
    this.#log.end()
    this.#database.exec('COMMIT')
  }

  async end(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
  }

  #putPiece(piece: JournalPiece): void {
    const run = piece.row.id
    if (this.#lastStream?.run !== run) this.#lastStream = { run, no: this.#events.insertStream(runStream(run)) }
    const { no } = this.#lastStream
    this.#writer.add(no, piece.events)
    this.#approvals.keep(no, run, piece.events)
    const whole = this.#check.take(piece)
    if (whole !== undefined) this.#putRun(no, whole)
  }

  #putStream(piece: StreamPiece): void {
    const { stream, events } = piece
    this.#streams.take(piece)
    this.#writer.add(this.#events.streamNo(stream) ?? this.#events.insertStream(stream), events)
  }

  #putRun(no: number, { row, fold, epoch, dueAtMs, claimedHeadSeq }: WholeJournal): void {
    const { readSignalCount, lostLeaseCount, claim, stuck, waitingFor } = row
    this.#runs.insert(no, fold, { epoch, readSignalCount, lostLeaseCount, nowMs: dueAtMs ?? 0 })
    const state = [row.status, dueAtMs ?? null, row.wakeAtMs ?? null, row.latest ?? null]
    const owner = [claim?.id ?? null, claim?.worker ?? null, claimedHeadSeq]
    const held = [claim === undefined ? null : row.epoch, claim?.workerId ?? null, claim?.sinceMs ?? null]
    const rest = [
      waitingFor.length === 0 ? null : JSON.stringify(waitingFor),
      stuck?.code ?? null,
      stuck?.message ?? null,
    ]
    this.#database.prepare(updateScheduled).run(...state, ...owner, ...held, ...rest, no)
  }

  // The rule that only what has an end may be purged is about journals that are here.
  #putPurged(items: readonly PurgedJournal[]): void {
    const rule = this.#database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'purged_only_ended'").get()
    this.#database.exec('DROP TRIGGER purged_only_ended')
    const insert = this.#database.prepare(`
      INSERT INTO purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by) VALUES (?, ?, unhex(?), ?, ?, ?, ?)`)
    for (const { run, head, outcome, endedAtMs, purgedAtMs, by } of items) {
      const no = this.#events.insertStream(runStream(run))
      insert.run(no, head.seq, head.hash, outcome, endedAtMs, purgedAtMs, by)
    }
    this.#database.exec((rule as { sql: string }).sql)
  }

  #streamNo(run: RunId): number {
    const stream: StreamId = runStream(run)
    const no = this.#events.streamNo(stream)
    assert(no !== undefined, `run ${run} was to be moved before what it says to others`)
    return no
  }
}

const updateScheduled = `
  UPDATE runs SET status = ?, due_at = ?, wake_at = ?, latest = ?, claim_id = ?, worker = ?, claimed_head_seq = ?,
    held_epoch = ?, held_by = ?, held_since = ?, waiting_for = ?, stuck_code = ?, stuck_message = ? WHERE stream = ?`
