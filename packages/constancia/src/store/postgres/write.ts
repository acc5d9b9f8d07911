import type { ClaimId, RunFold, StoredEvent } from '../../journal/index.js'
import { ApprovalColumns } from './approvals.js'
import { Bases } from './bases.js'
import type { Connection, Value } from './driver.js'
import { arrayOf, bytesOf, Columns, type Element } from './literals.js'
import type { Session } from './session.js'
import type { Touched } from './touched.js'
import type { Unfit } from './unfit.js'
import type { Added, RunChange, Work } from './work.js'

interface UnfitRecord {
  readonly unfit_ord: number
  readonly unfit_kind: Unfit['kind']
  readonly unfit_seq: number
  readonly unfit_hash: string
  readonly unfit_at: number
  readonly unfit_claim: ClaimId | null
  readonly unfit_epoch: number
}

const widths = { changes: 20, starts: 18, events: 12, deliveries: 3, entries: 4 }
const valueCount = 20 + 18 + 12 + 3 + 4 + 2 + 2 + 2
const placesUpTo = (count: number): string => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')
const writeSql = `SELECT * FROM {schema}.write(${placesUpTo(valueCount)})`
const writeUnderSql = `SELECT * FROM {schema}.write_under(${placesUpTo(4 + 6 + valueCount)})`

/**
 * Writes works in one round trip and one transaction; each is stored whole or, where it does not fit, not at all. Answers
 * what did not fit, by the place of the work. A work with a change and a start is to be alone in its transaction, which is to
 * be rolled back unless both fit. Its statement is sent before this returns, so that a commit may follow at once. Rejects with
 * the driver's error; then nothing is stored, or nobody knows.
 */
export async function write(session: Session, on: Connection, works: readonly Work[]): Promise<Map<number, Unfit>> {
  const { sql, values, places } = encode(session, works)
  const records = (await on.query(session.sql(sql), values)) as unknown as UnfitRecord[]
  const unfit = new Map<number, Unfit>()
  for (const record of records) unfit.set(places[record.unfit_ord - 1] ?? -1, unfitOf(record))
  return unfit
}

function unfitOf(record: UnfitRecord): Unfit {
  return {
    kind: record.unfit_kind,
    head: { seq: record.unfit_seq, hash: record.unfit_hash, at: record.unfit_at },
    claimId: record.unfit_claim,
    epoch: record.unfit_epoch,
  }
}

interface Encoded {
  readonly sql: string
  readonly values: Value[]
  /** Which work is at each place. */
  readonly places: readonly number[]
}

function encode(session: Session, works: readonly Work[]): Encoded {
  const bases = new Bases()
  const changes = new Columns(widths.changes)
  const starts = new Columns(widths.starts)
  const rows: AddedColumns = {
    events: new Columns(widths.events),
    deliveries: new Columns(widths.deliveries),
    entries: new Columns(widths.entries),
    approvals: new ApprovalColumns(),
  }
  const places: number[] = []
  for (const [index, { change }] of works.entries()) {
    if (change === undefined) continue
    changes.add(changeRow(change))
    bases.add(change.basis)
    places.push(index)
    if (change.added !== undefined) addRows(rows, places.length, change.added)
  }
  for (const [index, { start }] of works.entries()) {
    if (start === undefined) continue
    starts.add(startRow(start.added.fold))
    places.push(index)
    addRows(rows, places.length, start.added)
  }
  const latest = works.flatMap((work) => work.latest ?? [])
  const settles = works.flatMap((work) => work.settles ?? [])
  const columns = [changes, starts, rows.events, rows.deliveries, rows.entries].flatMap((one) => one.literals())
  const lines = [arrayOf(latest.map(({ root }) => root)), arrayOf(latest.map(({ run }) => run))]
  const settled = [arrayOf(settles.map(({ run }) => run)), arrayOf(settles.map(({ seq }) => seq))]
  const note = session.watchers.noteOf(works.flatMap(({ touched }): readonly Touched[] => touched))
  const values = [...columns, ...lines, ...settled, session.watchers.channel, note]
  if (!bases.isAny && !rows.approvals.isAny) return { sql: writeSql, values, places }
  const governed = [...bases.values(), ...rows.approvals.literals()]
  return { sql: writeUnderSql, values: [...governed, ...values], places }
}

interface AddedColumns {
  readonly events: Columns
  readonly deliveries: Columns
  readonly entries: Columns
  readonly approvals: ApprovalColumns
}

function addRows(columns: AddedColumns, place: number, added: Added): void {
  const { events, fold, deliveries, entries, approvals } = added
  columns.approvals.add(place, approvals)
  for (const event of events) columns.events.add(eventRow(place, event))
  for (const delivery of deliveries) columns.deliveries.add([place, fold.root, delivery])
  for (const { seq, kind, target } of entries) columns.entries.add([place, seq, kind, target])
}

function eventRow(place: number, event: StoredEvent): Element[] {
  const { seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data } = event
  return [place, seq, kind, body, bodySalt, bytesOf(dataCommit), at, by, seen, bytesOf(hash), dataSalt, data]
}

function changeRow({ run, claim, head, added, readSignalCount, isProgress, state }: RunChange): Element[] {
  const fold = added?.fold
  const guard = [run, claim?.id, claim?.epoch, head?.seq, bytesOf(head?.hash)]
  const end = [
    fold?.head.seq,
    bytesOf(fold?.head.hash),
    fold?.head.at,
    fold?.outcome,
    fold?.endedAtMs,
    fold?.continuedAs,
  ]
  const counts = [fold?.signalCount, readSignalCount, fold?.isCancelRequested, isProgress]
  const ended: { status?: string } = fold === undefined || fold.outcome === 'open' ? {} : { status: fold.outcome }
  const { status, wakeAtMs, waitingFor, stuck } = {
    wakeAtMs: undefined,
    waitingFor: undefined,
    stuck: undefined,
    ...state,
    ...ended,
  }
  return [
    ...guard,
    ...end,
    ...counts,
    status,
    ended.status === undefined ? wakeAtMs : null,
    waitingFor,
    stuck?.code,
    stuck?.message,
  ]
}

function startRow(fold: RunFold): Element[] {
  const { id, flow, version, actor, key, priority, parent, root } = fold
  const { continuedAs, isCancelRequested, outcome, signalCount, head } = fold
  const line = [parent?.run, parent?.op, root === id ? undefined : root, continuedAs]
  const state = [isCancelRequested, outcome, signalCount, head.seq, bytesOf(head.hash), head.at]
  return [id, flow, version, actor, key, priority, ...line, ...state, fold.startedAtMs, fold.endedAtMs]
}
