import type { Runtime } from '../../engine/index.js'
import type { StoredEvent } from '../../journal/index.js'
import type { RunRow } from '../../store/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { follow } from '../follow.js'
import { headerLines } from '../header.js'
import { findRun } from '../run-ids.js'
import { runsOf } from '../selection.js'
import { counted } from '../text.js'
import { claimOf, timelineOf } from '../timeline.js'
import { type Drawing, timelineLines } from '../timeline-lines.js'
import { dataText } from '../values.js'

/** `constancia show`: who a run is, what it waits for, and what happened. */
export const showCommand: Command = {
  name: 'show',
  summary: 'show a run and its timeline',
  details:
    'The timeline has a line for each event: its number, the time since the start, the op, what happened and what came of it. ' +
    'Lines across tell where another claim took over: it re-reads what is above and executes what is below. ' +
    'With --json: one document with run, children and timeline.',
  arguments: [{ name: '<run>', about: 'its id, or the beginning of it' }],
  options: [
    { flags: '--full', about: 'all that each event carries' },
    { flags: '--last <count>', about: 'only the last events' },
    { flags: '-f, --follow', about: 'go on until the run has ended' },
  ],
  act: async (call) => {
    await call.withRuntime(lookOnly, async (runtime) => {
      const row = await findRun(runtime, call.words[0] ?? '')
      const events = await runtime.run(row.id).events()
      const children = await childrenOf(runtime, row)
      if (call.isJson) await call.terminal.print(documentOf(row, children, events))
      else await showText(call, { row, children, events })
      if (call.options.flag('follow')) await followText(call, runtime, { row, children, events })
    })
    return exitCodes.done
  },
}

interface Shown {
  readonly row: RunRow
  readonly children: readonly RunRow[]
  readonly events: readonly StoredEvent[]
}

async function childrenOf(runtime: Runtime, row: RunRow): Promise<RunRow[]> {
  const children: RunRow[] = []
  for await (const child of runsOf(runtime, { parent: row.id })) children.push(child)
  return children
}

function documentOf(row: RunRow, children: readonly RunRow[], events: readonly StoredEvent[]): string {
  return JSON.stringify({ run: row, children, timeline: timelineOf(events, row) })
}

async function showText(call: Call, shown: Shown): Promise<void> {
  const { terminal } = call
  const { row, children, events } = shown
  const { paint, width } = terminal
  for (const line of headerLines({ row, children, nowMs: call.now(), width, paint })) await terminal.print(line)
  await terminal.print('')
  const skipped = Math.max(0, events.length - (call.options.count('last') ?? events.length))
  if (skipped > 0) await terminal.print(paint.faint(`       ${counted(skipped, 'event')} before`))
  await printFrom(call, shown, skipped)
}

async function printFrom(call: Call, { row, children, events }: Shown, fromSeq: number): Promise<void> {
  const { paint, width } = call.terminal
  const childStatus = new Map(children.map((child) => [child.id as string, child.status]))
  const full = call.options.flag('full')
    ? ({ seq }: { readonly seq: number }): string | undefined => {
        const event = events[seq]
        return event === undefined ? undefined : dataText(event, width - 8)
      }
    : undefined
  const drawing: Drawing = { width, paint, full, childStatus }
  const before = events.slice(0, fromSeq).findLast((event) => claimOf(event) !== undefined)
  const lastClaim = before === undefined ? undefined : claimOf(before)
  const entries = timelineOf(events, row).slice(fromSeq)
  for (const line of timelineLines(entries, drawing, lastClaim)) await call.terminal.print(line)
}

async function followText(call: Call, runtime: Runtime, { row, events }: Shown): Promise<void> {
  await follow(call, { runtime, row, knownCount: events.length }, async (now, all, fromSeq) => {
    const children = await childrenOf(runtime, now)
    if (!call.isJson) return printFrom(call, { row: now, children, events: all }, fromSeq)
    for (const entry of timelineOf(all, now).slice(fromSeq)) await call.terminal.print(JSON.stringify(entry))
  })
}
