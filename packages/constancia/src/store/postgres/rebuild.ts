import {
  approvalChangeOf,
  deliveryOf,
  foldRun,
  type Head,
  type OutboxEntry,
  outboxEntryOf,
  type RunFold,
  type RunId,
  runStream,
} from '../../journal/index.js'
import { rolledBackCode } from '../index.js'
import { keepApprovals } from './approvals.js'
import type { Connection } from './driver.js'
import { readEvents } from './events.js'
import { arrayOf } from './literals.js'
import { isDone, type Known, type KnownRun, latestOf } from './rebuild-lines.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'

const pageEvents = 1000
const pageRows = 500
const prefix = 'run/'

/**
 * Computes `runs`, `inbox`, `outbox` and `approvals` anew from the journals; see `Store.rebuild`. One transaction, in which nobody else
 * writes. What was purged stays purged. It holds what each run is in memory: some hundred bytes a run.
 */
export async function rebuild(session: Session): Promise<{ runCount: number; eventCount: number }> {
  // What is remembered of runs stays true: a fold follows from the journal up to its head.
  return session.patiently(() =>
    inTransaction(session, async (on) => {
      await on.query(
        session.sql('LOCK TABLE {schema}.runs, {schema}.inbox, {schema}.outbox, {schema}.approvals IN EXCLUSIVE MODE'),
      )
      const known = await readAll(session, on)
      await writeAll(session, on, known)
      return on.commit(Promise.resolve({ runCount: known.runs.size, eventCount: known.eventCount }))
    }),
  )
}

interface Kept {
  readonly epoch: number
  readonly read: number
  readonly lost: number
  readonly code: string | null
  readonly message: string | null
}

async function readAll(session: Session, on: Connection): Promise<Known> {
  const select = `SELECT stream, epoch, read_signal_count AS read, lost_leases AS lost, stuck_code AS code, stuck_message AS message
    FROM {schema}.runs`
  const kept = new Map(
    (await on.query(session.sql(select))).map((row) => [Number(row['stream']), row as unknown as Kept]),
  )
  const known: Known = { runs: new Map(), purged: new Set(), inbox: new Set(), said: [], approvals: [], eventCount: 0 }
  const streams = 'SELECT s.no, s.name FROM {schema}.streams AS s WHERE s.no > $1 ORDER BY s.no LIMIT $2'
  for (let last = 0; ; ) {
    const page = await on.query(session.sql(streams), [last, pageEvents])
    for (const { no, name } of page) {
      last = Number(no)
      const id = String(name).slice(prefix.length) as RunId
      if (String(name).startsWith(prefix)) await readRun({ session, on, known }, { no: last, id, kept: kept.get(last) })
    }
    if (page.length < pageEvents) return known
  }
}

interface Reading {
  readonly session: Session
  readonly on: Connection
  readonly known: Known
}

interface Journal {
  readonly no: number
  readonly id: RunId
  readonly kept: Kept | undefined
}

async function readRun({ session, on, known }: Reading, { no, id, kept }: Journal): Promise<void> {
  let fold: RunFold | undefined
  // An epoch never goes back: a claim that was lost must not hold again.
  let epoch = kept?.epoch ?? 0
  const deliveries: string[] = []
  for (let fromSeq = 0; ; fromSeq += pageEvents) {
    const events = await readEvents(session, on, { stream: runStream(id), range: { fromSeq, limit: pageEvents } })
    for (const event of events) {
      fold = foldRun(id, fold, event)
      epoch = Math.max(epoch, Number(/^claim:.*@(\d+)$/.exec(event.by)?.[1] ?? 0))
      const delivery = deliveryOf(event)
      if (delivery !== undefined) deliveries.push(delivery)
      const entry = outboxEntryOf(fold, event)
      if (entry !== undefined) known.said.push({ no, atMs: event.at, entry, parent: fold.parent })
      const approval = approvalChangeOf(event)
      if (approval !== undefined) known.approvals.push({ no, changes: [approval] })
    }
    if (events.length < pageEvents) break
  }
  if (fold === undefined) {
    known.purged.add(id)
    return
  }
  for (const delivery of deliveries) known.inbox.add(`${fold.root} ${delivery}`)
  known.eventCount += fold.head.seq + 1
  const parked = kept?.code === rolledBackCode ? (kept.message ?? '') : undefined
  known.runs.set(id, { no, fold, epoch, readSignalCount: kept?.read ?? 0, lostLeaseCount: kept?.lost ?? 0, parked })
}

async function writeAll(session: Session, on: Connection, known: Known): Promise<void> {
  for (const table of ['runs', 'inbox', 'approvals']) await on.query(session.sql(`DELETE FROM {schema}.${table}`))
  await on.query(session.sql(`DELETE FROM {schema}.outbox WHERE kind <> 'notice'`))
  const [clock] = await on.query(session.sql('SELECT {schema}.now_ms() AS now_ms'))
  const nowMs = Number(clock?.['now_ms'])
  const rows = [...known.runs.values()].map((one) => rowOf(one, { nowMs, latest: latestOf(known, one.fold) }))
  const insert = 'INSERT INTO {schema}.runs SELECT * FROM json_populate_recordset(NULL::{schema}.runs, $1::json)'
  for (let from = 0; from < rows.length; from += pageRows)
    await on.query(session.sql(insert), [JSON.stringify(rows.slice(from, from + pageRows))])
  // A line whose root was purged has no inbox.
  const inbox = [...known.inbox].map((one) => one.split(' ')).filter(([root]) => !known.purged.has(root as RunId))
  const insertInbox = 'INSERT INTO {schema}.inbox SELECT * FROM unnest($1::text[], $2::text[])'
  await on.query(session.sql(insertInbox), [arrayOf(inbox.map(([root]) => root)), arrayOf(inbox.map(([, one]) => one))])
  await writeOutbox(session, on, known)
  await keepApprovals({ on, sql: session.sql }, known.approvals)
}

// In the order in which they were said, as far as clocks tell.
async function writeOutbox(session: Session, on: Connection, known: Known): Promise<void> {
  const open = known.said.filter((one) => !isDone(known, one))
  open.sort((a, b) => a.atMs - b.atMs || a.no - b.no || a.entry.seq - b.entry.seq)
  const insert = `INSERT INTO {schema}.outbox (stream, seq, kind, target)
    SELECT i.stream, i.seq, i.kind, i.target
    FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[]) WITH ORDINALITY AS i (stream, seq, kind, target, place)
    ORDER BY i.place`
  const column = (of: (entry: OutboxEntry) => string | number): string => arrayOf(open.map(({ entry }) => of(entry)))
  const streams = arrayOf(open.map(({ no }) => no))
  const values = [column(({ seq }) => seq), column(({ kind }) => kind), column(({ target }) => target)]
  await on.query(session.sql(insert), [streams, ...values])
}

/** A row of `runs` as a journal tells it; an open run is ready, unless it was parked. */
export function rowOf(
  { no, fold, epoch, readSignalCount, lostLeaseCount, parked }: KnownRun,
  { nowMs, latest }: { readonly nowMs: number; readonly latest: RunId | undefined },
): Record<string, unknown> {
  const { id, flow, version, actor, key, priority, parent, root, continuedAs, outcome, head, signalCount } = fold
  const isOpen = outcome === 'open'
  const identity = { stream: no, id, flow, version, actor, key, priority }
  const line = {
    parent_run: parent?.run,
    parent_op: parent?.op,
    root: root === id ? null : root,
    latest,
    continued_as: continuedAs,
  }
  const counts = { signal_count: signalCount, read_signal_count: readSignalCount, epoch, lost_leases: lostLeaseCount }
  const isParked = isOpen && parked !== undefined
  const stuck = isParked ? { status: 'stuck', stuck_code: rolledBackCode, stuck_message: parked } : {}
  const due = isOpen && !isParked ? nowMs : null
  const state = { outcome, status: isOpen ? 'ready' : outcome, due_at: due, progressed: false, ...stuck }
  const ends = { cancel_requested: fold.isCancelRequested, started_at: fold.startedAtMs, ended_at: fold.endedAtMs }
  return { ...identity, ...line, ...counts, ...state, ...ends, ...headOf(head) }
}

function headOf({ seq, hash, at }: Head): Record<string, unknown> {
  return { head_seq: seq, head_hash: `\\x${hash}`, head_at: at }
}
