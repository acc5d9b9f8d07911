import { type AnyFlow, type Drained, days, type Runtime } from '../engine/index.js'
import type { Call, OpenHow } from './command.js'
import { durationText } from './durations.js'
import { pause } from './follow.js'
import { counted, printable } from './text.js'

/** How a worker process serves, and what it is called when it says something. */
export interface Serving {
  /** Begins each line: `dev`, `worker`. */
  readonly label: string
  readonly how: OpenHow
  /** Says what it is, in the first line: `worker 4711`. */
  readonly nameOf: (runtime: Runtime) => string
  /** Takes what a program wants to know. */
  readonly tell: (word: ServingWord) => Promise<void>
}

/** What a worker process tells programs, in this order. */
export type ServingWord =
  | {
      readonly kind: 'up'
      readonly name: string
      readonly pid: number
      readonly flows: readonly string[]
      readonly store: string
      readonly concurrency: number
      readonly leaseMs: number
    }
  | { readonly kind: 'draining'; readonly graceMs: number }
  | ({ readonly kind: 'drained' } & Drained)

/**
 * Works on runs until somebody wants it to end, then drains: claims nothing more, lets attempts under way end within the grace, and
 * gives everything back. Resolves with what was given back. A second request ends the process at once.
 */
export function serve(call: Call, { label, how, nameOf, tell }: Serving): Promise<Drained> {
  const { terminal } = call
  const { interrupts } = terminal
  const say = (text: string): void => terminal.say(`${label}: ${text}`)
  return call.withRuntime(how, async (runtime) => {
    const flows = flowNames(runtime.flows)
    const { name = '', concurrency = 0, leaseMs = 0, graceMs = 0 } = runtime.worker ?? {}
    say(`${nameOf(runtime)} is up with ${counted(flows.length, 'flow')}: ${flows.join(', ')}; ${runtime.describe()}`)
    await tell({ kind: 'up', name, pid: process.pid, flows, store: runtime.describe(), concurrency, leaseMs })
    while (!interrupts.isInterrupted) await pause(days(1), interrupts.signal)
    const grace = graceMs === 0 ? 'are cut off' : `may end within ${durationText(graceMs)}`
    say(`giving runs back; it claims nothing more, and attempts under way ${grace}. A second signal ends at once.`)
    await tell({ kind: 'draining', graceMs })
    const drained = await runtime.drain()
    for (const line of drainedLines(drained)) say(line)
    await tell({ kind: 'drained', ...drained })
    return drained
  })
}

/** Names and versions of flows, in order. */
export function flowNames(flows: readonly AnyFlow[]): string[] {
  return flows.map((flow) => `${flow.name}@${flow.version}`).sort()
}

const namedMax = 10

function drainedLines({ givenBack, cutOff, notGivenBack }: Drained): string[] {
  if (givenBack.length + cutOff.length + notGivenBack.length === 0) return ['drained; there was nothing to give back']
  const lines: string[] = []
  if (givenBack.length > 0) lines.push(`gave back ${runsText(givenBack)}; others go on with them at once`)
  if (cutOff.length > 0)
    lines.push(`the grace was over: cut off and gave back ${runsText(cutOff)}; the steps under way are executed again`)
  if (notGivenBack.length > 0)
    lines.push(`the store did not answer: ${runsText(notGivenBack)} go on once their leases have run out`)
  return lines
}

function runsText(runs: readonly string[]): string {
  const more = runs.length > namedMax ? ` and ${runs.length - namedMax} more` : ''
  return `${counted(runs.length, 'run')} (${runs.slice(0, namedMax).map(printable).join(', ')}${more})`
}
