import type { RunRow } from '../store/index.js'
import { durationText } from './durations.js'
import type { Paint } from './paint.js'
import { countsText, statusText, waitText, whenText } from './rows.js'
import { counted, padEnd, printable, wrap } from './text.js'

/** What the header of a run is drawn from. */
export interface HeaderInput {
  readonly row: RunRow
  readonly children: readonly RunRow[]
  readonly nowMs: number
  readonly width: number
  readonly paint: Paint
}

const labelWidth = 12

/** Who a run is and what it does: a line for each thing that there is to say. */
export function headerLines({ row, children, nowMs, width, paint }: HeaderInput): string[] {
  const fields = [...identity(row, nowMs), ...family(row, children), ...situation(row, nowMs)]
  const title = `${paint.strong(row.id)}  ${row.flow}@${row.version}  ${statusText(row.status, paint)}`
  const indent = ' '.repeat(labelWidth)
  const lines = fields.map(([label, text]) => paint.faint(padEnd(label, labelWidth)) + wrapField(text, width, indent))
  return [title, ...lines]
}

function wrapField(text: string, width: number, indent: string): string {
  return wrap(text, width - labelWidth)
    .split('\n')
    .join(`\n${indent}`)
}

type Field = readonly [label: string, text: string]

function identity(row: RunRow, nowMs: number): Field[] {
  const fields: Field[] = [
    ['started', `${whenText(row.startedAtMs, nowMs)}${row.actor === undefined ? '' : ` as ${printable(row.actor)}`}`],
  ]
  if (row.endedAtMs === undefined) fields.push(['last event', whenText(row.head.at, nowMs)])
  else
    fields.push(['ended', `${whenText(row.endedAtMs, nowMs)}, after ${durationText(row.endedAtMs - row.startedAtMs)}`])
  const lost = row.lostLeaseCount > 0 ? `; its lease ran out ${counted(row.lostLeaseCount, 'time')} in a row` : ''
  fields.push(['journal', `${counted(row.head.seq + 1, 'event')}; ${claimsText(row)}${lost}`])
  if (row.key !== undefined) fields.push(['key', printable(row.key)])
  if (row.priority !== 0) fields.push(['priority', String(row.priority)])
  return fields
}

function claimsText(row: RunRow): string {
  return row.epoch === 0 ? 'never claimed' : `claimed ${counted(row.epoch, 'time')}`
}

function family(row: RunRow, children: readonly RunRow[]): Field[] {
  const fields: Field[] = []
  if (row.parent !== undefined) fields.push(['called by', `${row.parent.run}, op ${row.parent.op}`])
  if (children.length > 0) fields.push(['children', `${children.length} (${countsText(children)})`])
  if (row.root !== row.id) fields.push(['began as', row.root])
  if (row.continuedAs !== undefined) fields.push(['went on as', row.continuedAs])
  if (row.latest !== undefined && row.latest !== row.continuedAs) fields.push(['now', row.latest])
  return fields
}

function situation(row: RunRow, nowMs: number): Field[] {
  const fields: Field[] = []
  const unread = row.signalCount - row.readSignalCount
  if (row.signalCount > 0)
    fields.push(['signals', `${row.signalCount}${unread > 0 ? `, ${unread} of them unread` : ', all read'}`])
  if (row.endedAtMs !== undefined) return fields
  if (row.isCancelRequested) fields.push(['cancelling', 'was asked for; the run still cleans up'])
  if (row.claim !== undefined)
    fields.push(['worker', `${printable(row.claim.worker)}, lease until ${whenText(row.claim.leaseUntilMs, nowMs)}`])
  for (const [index, waiting] of row.waitingFor.entries()) {
    const op = waiting.kind === 'worker' ? '' : ` (op ${waiting.op})`
    const until = waiting.untilMs === undefined ? '' : `, until ${whenText(waiting.untilMs, nowMs)}`
    fields.push([
      index === 0 ? 'waits for' : '',
      `${waitText({ kind: waiting.kind, op: waiting.op, name: waiting.name }, nowMs)}${op}${until}`,
    ])
  }
  fields.push(...remedyFields(row))
  if (row.stuck !== undefined) {
    fields.push(['stuck', `${row.stuck.code}: ${printable(row.stuck.message)}`])
    fields.push(['to do', `${remedyOf(row.stuck.code)} Then: constancia retry ${row.id}`])
  }
  return fields
}

// What people can do about what it waits for.
function remedyFields({ id, waitingFor, stuck }: RunRow): Field[] {
  if (stuck !== undefined) return []
  return waitingFor.flatMap(({ kind, op }): Field[] => {
    if (kind === 'approval') return [['to do', `constancia approval ${id} ${op}`]]
    return kind === 'statement' ? [['to do', `constancia outcome ${id} ${op} done, not-done or failed`]] : []
  })
}

const remedies: Readonly<Record<string, string>> = {
  nondeterminism: 'Bring back the code that this run started with, or repair it.',
  foreign_await: 'Wrap in ctx.step what the flow awaits.',
  poison: 'Find out why its worker dies with it (memory, a loop without end, a crash).',
  rolled_back:
    'Look what the run did after the database lost its newest part: it is done again where the journal does not know of it.',
  journal_damaged: 'Restore the database from a backup.',
  history_too_long: 'Raise the limit on the number of events, or let the flow continue as new.',
}

/** What to do about a run that is stuck for this reason. */
export function remedyOf(code: string): string {
  return Object.hasOwn(remedies, code) ? (remedies[code] ?? '') : 'Mend the cause.'
}
