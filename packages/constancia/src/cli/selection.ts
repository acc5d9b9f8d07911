import type { Runtime } from '../engine/index.js'
import { parseRunId } from '../journal/index.js'
import type { RunQuery, RunRow, RunStatus } from '../store/index.js'
import type { Call, Option } from './command.js'
import { parseAge } from './durations.js'
import { cliError } from './errors.js'
import { findRun, findRuns } from './run-ids.js'

/** Every status that a run can have, those of open runs first. */
export const statuses: readonly RunStatus[] = [
  'ready',
  'running',
  'waiting',
  'paused',
  'stuck',
  'completed',
  'failed',
  'cancelled',
]

/** Statuses of runs that have not ended. */
export const openStatuses = statuses.slice(0, 5)

const pageSize = 1_000

/** Options that pick runs by what they are. */
export const filterOptions: readonly Option[] = [
  { flags: '--flow <flow>', about: 'runs of this flow, or of one version of it: pay or pay@2' },
  {
    flags: '--status <status>',
    about: `runs that are ${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}; may be repeated`,
    many: true,
  },
  { flags: '--older-than <age>', about: 'ended longer ago, or started longer ago if open: 90s, 15m, 12h, 30d, 2w' },
  { flags: '--parent <run>', about: 'children of this run' },
]

/** Which runs are wanted. */
export interface Filter {
  readonly flow: string | undefined
  readonly version: number | undefined
  readonly statuses: readonly RunStatus[]
  /** They ended before, or, where they are open, were started before. UTC milliseconds since 1970. */
  readonly beforeMs: number | undefined
  readonly parent: string | undefined
}

/** Whether any filter was given. */
export function hasFilter(call: Call): boolean {
  const { options } = call
  return (
    options.texts('status').length > 0 ||
    ['flow', 'olderThan', 'parent', 'code'].some((name) => options.text(name) !== undefined)
  )
}

/** Reads the filters of a call. Throws `usage`. */
export function filterOf(call: Call): Filter {
  const { options } = call
  const [flow, version] = flowAndVersion(options.text('flow'))
  const age = options.text('olderThan')
  return {
    flow,
    version,
    statuses: options
      .texts('status')
      .flatMap((text) => text.split(','))
      .map(parseStatus),
    beforeMs: age === undefined ? undefined : call.now() - parseAge(age, '--older-than'),
    parent: options.text('parent'),
  }
}

/** Reads `pay` or `pay@2`. Throws `usage`. */
export function flowAndVersion(
  text: string | undefined,
): readonly [name: string | undefined, version: number | undefined] {
  if (text === undefined) return [undefined, undefined]
  const [, name, version] = /^([^@]+)(?:@([1-9]\d{0,8}))?$/.exec(text) ?? []
  if (name !== undefined) return [name, version === undefined ? undefined : Number(version)]
  throw cliError('usage', `A flow is named like pay or pay@2, but it was ${JSON.stringify(text)}. Nothing was done.`)
}

function parseStatus(text: string): RunStatus {
  const status = statuses.find((candidate) => candidate === text)
  if (status !== undefined) return status
  throw cliError(
    'usage',
    `${JSON.stringify(text)} is no status of a run; there are: ${statuses.join(', ')}. Nothing was done.`,
  )
}

/** Walks over all runs that a filter fits, newest first within each status, a page at a time. */
export async function* runsOf(runtime: Runtime, filter: Partial<Filter>): AsyncGenerator<RunRow> {
  const wanted = filter.statuses?.length ? [...new Set(filter.statuses)] : [undefined]
  const parent = filter.parent === undefined ? undefined : (await findRun(runtime, filter.parent)).id
  for (const status of wanted) {
    let after: string | undefined
    do {
      const page = await runtime.runs(queryOf({ ...filter, parent }, status, after))
      for (const row of page.items) if (fits(row, filter)) yield row
      after = page.next
    } while (after !== undefined)
  }
}

// What a store does not look for itself.
function fits(row: RunRow, { version, beforeMs }: Partial<Filter>): boolean {
  if (version !== undefined && row.version !== version) return false
  return beforeMs === undefined || (row.endedAtMs ?? row.startedAtMs) < beforeMs
}

function queryOf(filter: Partial<Filter>, status: RunStatus | undefined, after: string | undefined): RunQuery {
  const { flow, beforeMs, parent } = filter
  const isEnded = status !== undefined && !openStatuses.includes(status)
  return {
    limit: pageSize,
    ...(flow === undefined ? {} : { flow }),
    ...(beforeMs === undefined || !isEnded ? {} : { endedBeforeMs: beforeMs }),
    ...(parent === undefined ? {} : { parent: parseRunId(parent) }),
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { after }),
  }
}

/** What a command that acts on runs was told to act on. */
export interface Selection {
  readonly runs: readonly RunRow[]
  /** Whether they were named one by one. */
  readonly isNamed: boolean
}

/**
 * The runs that a call names, or those that its filters fit among the statuses on which the command can act. Throws `usage`
 * for a call that says neither, or both.
 */
export async function select(runtime: Runtime, call: Call, actable: readonly RunStatus[]): Promise<Selection> {
  const isFiltered = hasFilter(call) || call.options.flag('all')
  if (call.list.length > 0 && isFiltered) {
    throw cliError('usage', 'Runs were named and picked by filters at once. Nothing was done; do one or the other.')
  }
  if (call.list.length > 0) return { runs: await findRuns(runtime, call.list), isNamed: true }
  if (!isFiltered)
    throw cliError(
      'usage',
      'Which runs? Name them, or pick them with --flow, --status, --older-than, --parent or --all.',
    )
  const filter = filterOf(call)
  const useless = filter.statuses.filter((status) => !actable.includes(status))
  if (useless.length > 0) {
    throw cliError(
      'usage',
      `There is nothing to do for runs that are ${useless.join(' or ')}; this is for: ${actable.join(', ')}. Nothing was done.`,
    )
  }
  const runs: RunRow[] = []
  const chosen = filter.statuses.length > 0 ? filter.statuses : actable
  for await (const row of runsOf(runtime, { ...filter, statuses: chosen })) {
    call.terminal.interrupts.check()
    runs.push(row)
  }
  return { runs, isNamed: false }
}
