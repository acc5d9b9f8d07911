import type { Runtime } from '../../engine/index.js'
import type { RunRow } from '../../store/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { type Filter, filterOf, filterOptions, openStatuses, runsOf } from '../selection.js'
import { counted, printable, wrap } from '../text.js'

/** `constancia check`: would the code at hand go on with every run in flight? */
export const checkCommand: Command = {
  name: 'check',
  summary: 'replay every open run against the code at hand, before a deploy',
  details:
    'Nothing is executed and nothing is written. Runs that would be stranded are listed by reason, and the exit code is 6. ' +
    'Run it where the new code is, on the database of the old one.',
  options: [...filterOptions.slice(0, 2), { flags: '--ignore-stuck', about: 'leave out runs that are stuck already' }],
  act: (call) =>
    call.withRuntime(lookOnly, async (runtime) => {
      const checked = await rehearseAll(call, runtime)
      if (call.isJson) await call.terminal.print(JSON.stringify(checked))
      else await printText(call, checked)
      return checked.stranded.length > 0 ? exitCodes.stranded : exitCodes.done
    }),
}

interface Stranded {
  readonly run: string
  readonly flow: string
  readonly version: number
  readonly status: string
  /** `nondeterminism`, `no_code`… */
  readonly code: string
  /** What diverges: both sides. */
  readonly message: string
}

interface Checked {
  readonly checkedCount: number
  readonly replaysCount: number
  /** Of those that replay: stuck now, and waiting for a retry. */
  readonly stuckReplaysCount: number
  /** Ended between the listing and the look. */
  readonly endedCount: number
  readonly stranded: readonly Stranded[]
}

async function rehearseAll(call: Call, runtime: Runtime): Promise<Checked> {
  const filter = filterOf(call)
  const wanted = call.options.flag('ignoreStuck') ? openStatuses.filter((status) => status !== 'stuck') : openStatuses
  const statuses = wanted.filter((status) => filter.statuses.length === 0 || filter.statuses.includes(status))
  // None left to look at would mean all of them.
  const rows = statuses.length === 0 ? new Map<string, RunRow>() : await listed(call, runtime, { ...filter, statuses })
  const stranded: Stranded[] = []
  const counts = { checkedCount: 0, replaysCount: 0, stuckReplaysCount: 0, endedCount: 0 }
  const progress = call.terminal.progress('Replaying run', rows.size)
  for (const row of rows.values()) {
    call.terminal.interrupts.check()
    const found = await rehearse(runtime, row)
    counts.checkedCount += 1
    if (found === 'replays') {
      counts.replaysCount += 1
      if (row.status === 'stuck') counts.stuckReplaysCount += 1
    } else if (found === 'ended') counts.endedCount += 1
    else stranded.push(found)
    progress.add()
  }
  progress.end()
  return { ...counts, stranded }
}

// By id: a run whose status changes meanwhile may be listed twice.
async function listed(call: Call, runtime: Runtime, filter: Partial<Filter>): Promise<Map<string, RunRow>> {
  const rows = new Map<string, RunRow>()
  for await (const row of runsOf(runtime, filter)) {
    call.terminal.interrupts.check()
    rows.set(row.id, row)
  }
  return rows
}

async function rehearse(runtime: Runtime, row: RunRow): Promise<'replays' | 'ended' | Stranded> {
  const { id: run, flow, version, status } = row
  const rehearsal = await runtime.rehearse(run)
  switch (rehearsal.kind) {
    case 'replays':
    case 'ended':
      return rehearsal.kind
    case 'diverges':
      return { run, flow, version, status, code: rehearsal.code, message: rehearsal.message }
    case 'no_code':
      return {
        run,
        flow,
        version,
        status,
        code: 'no_code',
        message: `The configuration has no flow ${flow}@${version}.`,
      }
  }
}

async function printText(call: Call, checked: Checked): Promise<void> {
  const { print, paint, width } = {
    print: (text: string) => call.terminal.print(text),
    paint: call.terminal.paint,
    width: call.terminal.width,
  }
  const { checkedCount, replaysCount, endedCount, stranded } = checked
  const ended = endedCount > 0 ? `, ${endedCount.toLocaleString('en-US')} ended meanwhile` : ''
  const verdict =
    stranded.length === 0
      ? paint.good('none would be stranded')
      : paint.bad(`${counted(stranded.length, 'run')} would be stranded`)
  await print(
    `${counted(checkedCount, 'open run')}: ${replaysCount.toLocaleString('en-US')} replay${ended}, ${verdict}.`,
  )
  if (checked.stuckReplaysCount > 0) await print(stuckText(checked.stuckReplaysCount))
  for (const { code, message, runs } of groupsOf(stranded)) {
    await print('')
    await print(
      `${paint.bad(code)}  ${counted(runs.length, 'run')} of ${[...new Set(runs.map((run) => `${run.flow}@${run.version}`))].join(', ')}`,
    )
    await print(`  ${wrap(printable(message), width - 2, '  ')}`)
    for (const run of runs) await print(`  ${paint.strong(run.run)}  ${run.status}`)
  }
  if (stranded.length > 0) await print(`\n${wrap(remedy, width)}`)
}

function stuckText(count: number): string {
  return count === 1
    ? 'One that replays is stuck now; constancia retry lets it try.'
    : `${counted(count, 'run')} that replay are stuck now; constancia retry lets them try.`
}

const remedy =
  'They would be parked as stuck, and nothing would be lost. Before you deploy: keep the old version of a flow beside the new one and give ' +
  'the new one a higher version, or guard what is new with ctx.patched, or let these runs end first.'

interface Group {
  readonly code: string
  readonly message: string
  readonly runs: readonly Stranded[]
}

// One change of code strands many runs in the same way: it is told once.
function groupsOf(stranded: readonly Stranded[]): Group[] {
  const groups = new Map<string, Stranded[]>()
  for (const one of stranded) {
    const key = `${one.code}\n${one.flow}\n${one.version}\n${one.message.replaceAll(one.run, '')}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const all = [...groups.values()].map((runs) => ({ code: runs[0]?.code ?? '', message: runs[0]?.message ?? '', runs }))
  return all.sort((a, b) => b.runs.length - a.runs.length)
}
