import type { ClaimId, RunFold, StoredEvent } from '../../journal/index.js'
import { ApprovalColumns } from './approvals.js'
import { Bases } from './bases.js'
import { BinaryColumns, type BinaryElement, type ColumnType } from './binary.js'
import type { Connection, Value } from './driver.js'
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

const typesOf = (names: string): readonly ColumnType[] => names.split(' ') as ColumnType[]

/** Of what types the columns of an event are, those of its data last. */
export const eventTypes = typesOf('integer text text bytea hex bigint text text hex bytea text')

const types = {
  changes: typesOf(
    'text text integer integer hex integer hex bigint text bigint text integer integer boolean boolean text bigint text text text',
  ),
  starts: typesOf(
    'text text integer text text smallint text text text text boolean text integer integer hex bigint bigint bigint',
  ),
  events: typesOf('integer').concat(eventTypes),
  deliveries: typesOf('integer text text'),
  entries: typesOf('integer integer text text'),
  lines: typesOf('text text'),
  settles: typesOf('text integer'),
}
const valueCount = Object.values(types).reduce((count, columns) => count + columns.length, 2)
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
  const changes = new BinaryColumns(types.changes)
  const starts = new BinaryColumns(types.starts)
  const rows: AddedColumns = {
    events: new BinaryColumns(types.events),
    deliveries: new BinaryColumns(types.deliveries),
    entries: new BinaryColumns(types.entries),
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
  const lines = new BinaryColumns(types.lines)
  const settles = new BinaryColumns(types.settles)
  for (const { latest, settles: settled } of works) {
    if (latest !== undefined) lines.add([latest.root, latest.run])
    if (settled !== undefined) settles.add([settled.run, settled.seq])
  }
  const columns = [changes, starts, rows.events, rows.deliveries, rows.entries, lines, settles]
  const note = session.watchers.noteOf(works.flatMap(({ touched }): readonly Touched[] => touched))
  const values = [...columns.flatMap((one) => one.arrays()), session.watchers.channel, note]
  if (!bases.isAny && !rows.approvals.isAny) return { sql: writeSql, values, places }
  const governed = [...bases.values(), ...rows.approvals.literals()]
  return { sql: writeUnderSql, values: [...governed, ...values], places }
}

interface AddedColumns {
  readonly events: BinaryColumns
  readonly deliveries: BinaryColumns
  readonly entries: BinaryColumns
  readonly approvals: ApprovalColumns
}

function addRows(columns: AddedColumns, place: number, added: Added): void {
  const { events, fold, deliveries, entries, approvals } = added
  columns.approvals.add(place, approvals)
  for (const event of events) columns.events.add([place, ...eventRow(event)])
  for (const delivery of deliveries) columns.deliveries.add([place, fold.root, delivery])
  for (const { seq, kind, target } of entries) columns.entries.add([place, seq, kind, target])
}

/** An event as a row of {@link eventTypes}. */
export function eventRow(event: StoredEvent): BinaryElement[] {
  const { seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data } = event
  return [seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data]
}

function changeRow({ run, claim, head, added, readSignalCount, isProgress, state }: RunChange): BinaryElement[] {
  const fold = added?.fold
  const guard = [run, claim?.id, claim?.epoch, head?.seq, head?.hash]
  const end = [fold?.head.seq, fold?.head.hash, fold?.head.at, fold?.outcome, fold?.endedAtMs, fold?.continuedAs]
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

function startRow(fold: RunFold): BinaryElement[] {
  const { id, flow, version, actor, key, priority, parent, root } = fold
  const { continuedAs, isCancelRequested, outcome, signalCount, head } = fold
  const line = [parent?.run, parent?.op, root === id ? undefined : root, continuedAs]
  const state = [isCancelRequested, outcome, signalCount, head.seq, head.hash, head.at]
  return [id, flow, version, actor, key, priority, ...line, ...state, fold.startedAtMs, fold.endedAtMs]
}
