import {
  assertExactTexts,
  chainDrafts,
  emptyHead,
  type Head,
  type StoredEvent,
  type StreamId,
} from '../../journal/index.js'
import { assertRecordable, type ErasedTexts, erasedBy, type Recorded, type RecordRequest } from '../index.js'
import type { Connection } from './driver.js'
import { erase, notErasable } from './erasure.js'
import { arrayOf, bytesOf, Columns } from './literals.js'
import { Wait } from './patience.js'
import type { Session } from './session.js'
import { inTransaction, type Transaction } from './transaction.js'

const lock = `
  SELECT head_seq, encode(head_hash, 'hex') AS head_hash, head_at, head_now_ms FROM {schema}.lock_stream($1)`

const find = `
  SELECT 1 FROM {schema}.events AS e WHERE e.stream = (SELECT s.no FROM {schema}.streams AS s WHERE s.name = $1)
    AND e.seq = $2 AND e.hash = $3`

const width = 11
const insert = `SELECT {schema}.add_to_stream(${Array.from({ length: width + 1 }, (_, index) => `$${index + 1}`).join(', ')})`

const selectHeads = `
  SELECT head_stream, head_seq, encode(head_hash, 'hex') AS head_hash, head_at FROM {schema}.stream_heads($1)`

interface HeadRecord {
  readonly head_stream: StreamId
  readonly head_seq: number | null
  readonly head_hash: string
  readonly head_at: number
}

// Of each session, what was asked for last: whoever waits for the lock of a stream keeps a connection from all others, so it is one.
const lines = new WeakMap<Session, Promise<unknown>>()

/**
 * Adds to a stream that belongs to no run; see `Store.record`. Two round trips in one transaction. One whose commit nobody heard
 * of is looked for, once the lock is there again, before it is made again.
 */
export async function record(session: Session, request: RecordRequest): Promise<Recorded> {
  assertRecordable(request)
  assertExactTexts(request.drafts)
  const turn = (lines.get(session) ?? Promise.resolve()).then(() => recordInTurn(session, request))
  lines.set(
    session,
    turn.catch(() => undefined),
  )
  return turn
}

async function recordInTurn(session: Session, request: RecordRequest): Promise<Recorded> {
  const wait = new Wait(session.patience)
  let sent: readonly StoredEvent[] = []
  const send = (events: readonly StoredEvent[]): void => {
    sent = events
  }
  for (;;) {
    try {
      const recorded = await inTransaction(session, (on) => recordNow({ session, on }, request, { sent, send }))
      session.patience.report(false)
      return recorded
    } catch (error) {
      await wait.bear(error)
    }
  }
}

interface Ground {
  readonly session: Session
  readonly on: Transaction
}

interface Sending {
  /** What was sent by a transaction of before. */
  readonly sent: readonly StoredEvent[]
  /** Notes what is about to be sent. */
  readonly send: (events: readonly StoredEvent[]) => void
}

async function recordNow(ground: Ground, request: RecordRequest, { sent, send }: Sending): Promise<Recorded> {
  const { session, on } = ground
  const { stream, drafts, by, seen } = request
  const texts = erasedBy(request)
  const [found] = (await on.query(session.sql(lock), [stream])) as unknown as (HeadRecord & { head_now_ms: number })[]
  if (await isStored(ground, sent)) return { kind: 'recorded', events: sent }
  const head = headOf(stream, found)
  const isAsKnown = request.head === undefined || (request.head.seq === head.seq && request.head.hash === head.hash)
  if (!isAsKnown) return { kind: 'head_conflict', head }
  const kept = await notErasable(ground, texts)
  if (kept.length > 0) return { kind: 'not_erasable', streams: kept }
  const nowMs = found?.head_now_ms ?? 0
  const events = chainDrafts(head, drafts, {
    stream,
    nowMs,
    by,
    seen: session.known.complete(seen),
    salt: session.salt,
  })
  send(events)
  const written = on.query(session.sql(insert), [stream, ...columnsOf(events)])
  await on.commit<unknown>(texts.length === 0 ? written : eraseAfter(ground, written, texts))
  return { kind: 'recorded', events }
}

// What was erased has to be named before it goes.
async function eraseAfter(ground: Ground, written: Promise<unknown>, texts: readonly ErasedTexts[]): Promise<void> {
  written.catch(() => undefined)
  await Promise.all([written, erase(ground, texts)])
}

async function isStored({ session, on }: Ground, sent: readonly StoredEvent[]): Promise<boolean> {
  const last = sent.at(-1)
  if (last === undefined) return false
  return (await on.query(session.sql(find), [last.stream, last.seq, bytesOf(last.hash)])).length > 0
}

function columnsOf(events: readonly StoredEvent[]): string[] {
  const columns = new Columns(width)
  for (const { seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data } of events)
    columns.add([seq, kind, body, bodySalt, bytesOf(dataCommit), at, by, seen, bytesOf(hash), dataSalt, data])
  return columns.literals()
}

/**
 * Where streams end that decisions depend on. Nothing is added to them until the transaction ends. To be sent before rows are locked;
 * it is sent before this returns.
 */
export async function headsOf(session: Session, on: Connection, streams: readonly StreamId[]): Promise<Heads> {
  if (streams.length === 0) return new Map()
  const records = await on.query(session.sql(selectHeads), [arrayOf(streams)])
  return new Map((records as unknown as HeadRecord[]).map((one) => [one.head_stream, headOf(one.head_stream, one)]))
}

/** Ends of streams. */
export type Heads = ReadonlyMap<StreamId, Head>

function headOf(stream: StreamId, record: Omit<HeadRecord, 'head_stream'> | undefined): Head {
  if (record === undefined || record.head_seq === null) return emptyHead(stream)
  return { seq: record.head_seq, hash: record.head_hash, at: record.head_at }
}
