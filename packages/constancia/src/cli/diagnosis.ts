import { statSync } from 'node:fs'
import type { Fleet, Runtime } from '../engine/index.js'
import { emptyHead, type OutboxEntry, runStream, verifyChain } from '../journal/index.js'
import type { Loss, Page, RunRow } from '../store/index.js'
import { sqlitePlace } from '../store/sqlite/index.js'
import type { Call } from './command.js'
import type { FoundConfig } from './config.js'
import { durationText } from './durations.js'
import { codeOf, isGone, messageOf } from './errors.js'
import { remedyOf } from './header.js'
import { countsText, unservedText } from './rows.js'
import { runsOf } from './selection.js'
import { flowNames } from './serving.js'
import { counted, cut, printable } from './text.js'

/** Something that was noticed. */
export interface Finding {
  /** For programs: `stuck`, `no_code`, `journal_damaged`… */
  readonly code: string
  /** False where it is only worth knowing. */
  readonly needsAttention: boolean
  readonly what: string
  readonly todo: string
}

/** What a look at a store came to. */
export interface Diagnosis {
  readonly facts: readonly (readonly [label: string, text: string])[]
  readonly findings: readonly Finding[]
}

const journalsUsual = 100
// The whole of it is in constancia show.
const exampleWidth = 160
const dueLongMs = 60_000
const walLargeBytes = 64 * 2 ** 20

/** Looks at everything. Throws `interrupted`, and faults of the store. */
export async function diagnose(call: Call, runtime: Runtime, { file, config }: FoundConfig): Promise<Diagnosis> {
  const census = await takeCensus(call, runtime)
  const journals = await checkJournals(call, runtime, census.ids)
  const outbox = await runtime.outbox()
  const notices = await runtime.outbox({ to: 'caller' })
  const fleet = await runtime.fleet()
  const place = sqlitePlace(config.store)
  const sizes = place === undefined ? undefined : sizesOf(place.file)
  const flows = flowNames(runtime.flows)
  const facts: [string, string][] = [
    ['config', file],
    ['store', runtime.describe()],
    ...(place === undefined ? [] : ([['schema', `${place.schema}, up to date`]] as [string, string][])),
    ...(sizes === undefined
      ? []
      : ([['size', `${bytesText(sizes.main)}; write-ahead file ${bytesText(sizes.wal)}`]] as [string, string][])),
    ['flows', flows.length === 0 ? 'none' : flows.join(', ')],
    ['runs', census.ids.length === 0 ? 'none' : `${counted(census.ids.length, 'run')}: ${census.counts}`],
    ['workers', workersText(fleet)],
    ['outbox', outboxText(outbox)],
    // Only projects that tell callers anything need to read of it.
    ...(notices.items.length === 0 ? [] : ([['notices', outboxText(notices)]] as [string, string][])),
    ['journals', `${counted(journals.eventCount, 'event')} of ${counted(journals.runCount, 'run')} checked`],
  ]
  const losses = config.mark === undefined ? [] : lossFindings(await runtime.loss())
  return {
    facts,
    findings: [
      ...losses,
      ...journals.findings,
      ...census.findings,
      ...unservedFindings(fleet),
      ...walFindings(sizes?.wal ?? 0),
    ],
  }
}

function workersText({ workers }: Fleet): string {
  const states = ['working', 'draining', 'silent', 'gone'] as const
  const counts = states.map((state) => [workers.filter((one) => one.state === state).length, state] as const)
  const there = counts.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`)
  return there.length === 0 ? 'none' : there.join(', ')
}

// Where nobody works at all, that is what is to be told, and runs that are due tell it.
function unservedFindings({ workers, unserved }: Fleet): Finding[] {
  if (!workers.some(({ state }) => state === 'working' || state === 'draining')) return []
  return unserved.map((one) => ({
    code: 'no_worker',
    needsAttention: true,
    what: unservedText(one),
    todo: 'Start a worker that has it: constancia worker. Those that drain end when they have given back what they hold.',
  }))
}

interface Census {
  readonly ids: readonly string[]
  readonly counts: string
  readonly findings: readonly Finding[]
}

async function takeCensus(call: Call, runtime: Runtime): Promise<Census> {
  const rows: Pick<RunRow, 'id' | 'status'>[] = []
  const stuck = new Map<string, RunRow[]>()
  const orphans = new Map<string, number>()
  let late: RunRow | undefined
  const has = new Set([...runtime.flows].map((flow) => `${flow.name}@${flow.version}`))
  const progress = call.terminal.progress('Looking at run')
  for await (const row of runsOf(runtime, {})) {
    call.terminal.interrupts.check()
    rows.push({ id: row.id, status: row.status })
    progress.add()
    const key = `${row.flow}@${row.version}`
    if (row.stuck !== undefined) stuck.set(row.stuck.code, [...(stuck.get(row.stuck.code) ?? []), row])
    if (row.outcome === 'open' && !has.has(key)) orphans.set(key, (orphans.get(key) ?? 0) + 1)
    else if ((dueSinceMs(row) ?? Infinity) < ((late && dueSinceMs(late)) ?? Infinity)) late = row
  }
  progress.end()
  const findings = [
    ...[...stuck].map(([code, runs]) => stuckFinding(code, runs)),
    ...[...orphans].map(([key, count]) => orphanFinding(key, count)),
    ...dueFindings(late, call.now()),
  ]
  return { ids: rows.map((row) => row.id), counts: countsText(rows), findings }
}

function stuckFinding(code: string, runs: readonly RunRow[]): Finding {
  const [first] = runs
  const example =
    first === undefined ? '' : `, for instance ${first.id}: ${cut(printable(first.stuck?.message ?? ''), exampleWidth)}`
  return {
    code: 'stuck',
    needsAttention: true,
    what: `${counted(runs.length, 'run')} stuck with ${code}${example}`,
    todo: `${remedyOf(code)} Then: constancia retry --code ${code}`,
  }
}

function orphanFinding(key: string, count: number): Finding {
  return {
    code: 'no_code',
    needsAttention: true,
    what: `${counted(count, 'open run')} of ${key}, which the configuration does not have`,
    todo: `Add that version to flows, or cancel them: constancia cancel --flow ${key} --force`,
  }
}

// Since when somebody could have taken it, as far as its row tells.
function dueSinceMs(row: RunRow): number | undefined {
  if (row.claim !== undefined) return row.claim.leaseUntilMs
  return row.status === 'ready' ? row.head.at : row.wakeAtMs
}

function dueFindings(late: RunRow | undefined, nowMs: number): Finding[] {
  const sinceMs = late === undefined ? undefined : dueSinceMs(late)
  if (late === undefined || sinceMs === undefined || nowMs - sinceMs < dueLongMs) return []
  return [
    {
      code: 'not_taken',
      needsAttention: true,
      what: `Run ${late.id} of ${late.flow}@${late.version} is due, and no worker has taken it for ${durationText(nowMs - sinceMs)}`,
      todo: 'See that a worker is up which has this flow, and that no limit on its concurrency holds it back.',
    },
  ]
}

function walFindings(walBytes: number): Finding[] {
  if (walBytes <= walLargeBytes) return []
  return [
    {
      code: 'wal_large',
      needsAttention: true,
      what: `The write-ahead file has ${bytesText(walBytes)}: somebody keeps reading an old state of the database`,
      todo: 'Find the process that has the file open (fuser, lsof) and end its read.',
    },
  ]
}

function lossFindings(loss: Loss | undefined): Finding[] {
  if (loss === undefined) return []
  const todo = 'Connect to the right database, or accept this one with constancia quarantine.'
  return [{ code: 'rolled_back', needsAttention: true, what: printable(loss.message), todo }]
}

interface Journals {
  readonly runCount: number
  readonly eventCount: number
  readonly findings: readonly Finding[]
}

async function checkJournals(call: Call, runtime: Runtime, ids: readonly string[]): Promise<Journals> {
  const wanted = call.options.flag('all') ? ids : ids.slice(0, call.options.count('journals') ?? journalsUsual)
  const progress = call.terminal.progress('Checking journal', wanted.length)
  const findings: Finding[] = []
  let eventCount = 0
  for (const id of wanted) {
    call.terminal.interrupts.check()
    try {
      const run = runtime.run(id)
      const events = await run.events()
      const stream = runStream(run.id)
      verifyChain(stream, emptyHead(stream), events)
      eventCount += events.length
    } catch (error) {
      if (!isGone(error)) findings.push(damageFinding(id, error))
    }
    progress.add()
  }
  progress.end()
  return { runCount: wanted.length, eventCount, findings }
}

function damageFinding(id: string, error: unknown): Finding {
  if (codeOf(error) !== 'journal_damaged') throw error
  return {
    code: 'journal_damaged',
    needsAttention: true,
    what: `The journal of run ${id} is damaged. ${printable(messageOf(error))}`,
    todo: 'Stop the workers, keep a copy of the database for examination, and restore the last backup.',
  }
}

// SQLite has the file open: asking for its size disturbs none of its locks, opening and closing it would.
function sizesOf(file: string): { readonly main: number; readonly wal: number } {
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return { main: sizeOf(file), wal: sizeOf(`${file}-wal`) }
}

function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`
  const kib = bytes / 1_024
  return kib < 1_024 ? `${kib.toFixed(0)} KiB` : `${(kib / 1_024).toFixed(1)} MiB`
}

function outboxText({ items, next }: Page<OutboxEntry>): string {
  return items.length === 0 ? 'empty' : `${items.length}${next === undefined ? '' : ' or more'} to deliver`
}
