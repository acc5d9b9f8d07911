import type { Fleet, FleetWorker, HeldRuns } from '../../engine/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { ageText, durationText } from '../durations.js'
import { exitCodes } from '../exit-codes.js'
import type { Paint } from '../paint.js'
import { unservedText } from '../rows.js'
import { tableLines } from '../table.js'
import { counted, printable, wrap } from '../text.js'

/** `constancia workers`: who is alive, what each holds, and what nobody works on. */
export const workersCommand: Command = {
  name: 'workers',
  summary: 'show who works, what each holds, and which flows nobody works on',
  details:
    'A worker that drains claims nothing more. One that is silent announces nothing, but its leases run: it is blocked, or of a version ' +
    'before. One that is gone is shown for an hour. Below stand the flows of open runs that no living worker claims. ' +
    'With --json: one document with workers and unserved.',
  act: async (call) => {
    await call.withRuntime(lookOnly, async (runtime) => {
      const fleet = await runtime.fleet()
      if (call.isJson) await call.terminal.print(JSON.stringify(fleet))
      else await printText(call, fleet)
    })
    return exitCodes.done
  },
}

const columns = ['WORKER', 'STATE', 'RUNS', 'UP', 'HOST', 'PID', 'HAS'].map((title) => ({ title }))

async function printText(call: Call, { workers, unserved }: Fleet): Promise<void> {
  const { terminal } = call
  const { paint, width } = terminal
  if (workers.length === 0) terminal.say('No workers.')
  const nowMs = call.now()
  const rows = workers.map((worker) => cellsOf(worker, nowMs, paint))
  const [title = '', ...lines] = tableLines({ columns, rows, width, title: paint.faint })
  if (workers.length > 0) await terminal.print(title)
  for (const [index, worker] of workers.entries()) {
    await terminal.print(lines[index] ?? '')
    if (worker.held.length > 0)
      await terminal.print(`  ${wrap(`holds ${heldText(worker.held, nowMs)}`, width - 2, '    ')}`)
  }
  if (workers.length > 0 && unserved.length > 0) await terminal.print('')
  for (const one of unserved) await terminal.print(`${paint.bad('✗')} ${wrap(unservedText(one), width - 2, '  ')}`)
}

function cellsOf({ name, state, announced, runCount }: FleetWorker, nowMs: number, paint: Paint): string[] {
  const flows = announced?.flows.map(({ flow, version }) => printable(`${flow}@${version}`)).sort()
  return [
    printable(name),
    stateText(state, paint),
    String(runCount),
    announced === undefined ? '' : ageText(nowMs - announced.sinceMs),
    printable(announced?.host ?? ''),
    String(announced?.pid ?? ''),
    flows?.join(', ') ?? '?',
  ]
}

function stateText(state: FleetWorker['state'], paint: Paint): string {
  if (state === 'working') return paint.good(state)
  return state === 'draining' ? paint.warn(state) : paint.bad(state)
}

const heldMax = 5

function heldText(held: readonly HeldRuns[], nowMs: number): string {
  const parts = held.slice(0, heldMax).map(({ flow, version, runCount, oldestRun, sinceMs }) => {
    const since = sinceMs === undefined ? '' : ` for ${durationText(nowMs - sinceMs)}`
    return `${runCount.toLocaleString('en-US')} of ${printable(`${flow}@${version}`)}, ${oldestRun}${since}`
  })
  const more = held.length > heldMax ? `; and ${counted(held.length - heldMax, 'other flow')}` : ''
  return parts.join('; ') + more
}
