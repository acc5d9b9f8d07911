import type { UnservedFlow } from '../engine/index.js'
import type { RunRow, RunStatus, WaitingFor } from '../store/index.js'
import { durationText, fromNowText, momentText } from './durations.js'
import type { Paint } from './paint.js'
import { statuses } from './selection.js'
import { counted, hardSpace, printable } from './text.js'

/** `3 waiting, 1 stuck`: how many runs there are of each status. */
export function countsText(rows: readonly { readonly status: RunStatus }[]): string {
  const counts = new Map<RunStatus, number>()
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1)
  const parts = statuses
    .filter((status) => counts.has(status))
    .map((status) => `${counts.get(status)?.toLocaleString('en-US')} ${status}`)
  return parts.join(', ')
}

/** What a run does now, in a few words: what it waits for, why it is stuck, how it ended. */
export function stateText(row: RunRow, nowMs: number): string {
  if (row.stuck !== undefined) return `${row.stuck.code}: ${printable(row.stuck.message)}`
  if (row.continuedAs !== undefined) return `went on as ${shortened(row.continuedAs, row.root)}`
  if (row.endedAtMs !== undefined) return `after ${durationText(row.endedAtMs - row.startedAtMs)}`
  const cancel = row.isCancelRequested ? 'to be cancelled; ' : ''
  if (row.claim !== undefined) return `${cancel}on ${printable(row.claim.worker)}`
  const [first, ...rest] = row.waitingFor
  if (first === undefined) return cancel.replace('; ', '')
  return `${cancel}${waitText(first, nowMs)}${rest.length === 0 ? '' : ` and ${rest.length} more`}`
}

// The runs of a line differ at the end alone.
function shortened(id: string, root: string): string {
  return id.startsWith(root) ? `…${id.slice(root.length)}` : id
}

/** One thing that a run waits for: `signal "approved" until in 3 d`. */
export function waitText({ kind, name, untilMs }: WaitingFor, nowMs: number): string {
  const until = untilMs === undefined ? '' : `, ${dueText(untilMs, nowMs)}`
  if (kind === 'worker') return printable(name)
  if (kind === 'timer') return `a sleep${until}`
  if (kind === 'statement') return `somebody to say what came of ${quoted(name)}${until}`
  if (kind === 'retry') return `the next attempt of ${quoted(name)}${until}`
  return `${kind} ${quoted(name)}${until}`
}

function dueText(untilMs: number, nowMs: number): string {
  return untilMs <= nowMs ? 'due now' : fromNowText(untilMs, nowMs)
}

/** A name between quotes, harmless to a terminal. */
export function quoted(name: string): string {
  return printable(JSON.stringify(name))
}

/** A status in its colour. */
export function statusText(status: RunStatus, paint: Paint): string {
  if (status === 'stuck' || status === 'failed') return paint.bad(status)
  if (status === 'completed') return paint.good(status)
  return status === 'cancelled' ? paint.warn(status) : paint.accent(status)
}

/** A moment, and how far away it is. Its spaces are such that no line breaks there; `wrap` makes them plain. */
export function whenText(atMs: number, nowMs: number): string {
  return `${momentText(atMs)} (${fromNowText(atMs, nowMs)})`.replaceAll(' ', hardSpace)
}

/** What is to be known of open runs that no living worker claims. */
export function unservedText({ flow, version, runCount, draining }: UnservedFlow): string {
  const drains =
    draining.length === 0
      ? ''
      : `; ${draining.map(printable).join(', ')} ${draining.length === 1 ? 'has it, but drains' : 'have it, but drain'}`
  return `No living worker claims ${printable(`${flow}@${version}`)}, which has ${counted(runCount, 'open run')}${drains}`
}
