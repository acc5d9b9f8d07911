import type { Runtime } from '../../engine/index.js'
import { readErasures, readRefusals } from '../../governance/index.js'
import type { StoredEvent } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import { type AuditQuestion, type AuditRow, auditRows, erasureRows, questions, refusalRow } from '../audit-rows.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { csvLine } from '../csv.js'
import { ageText, momentText, parsePast } from '../durations.js'
import { cliError, isGone } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { withGovernance } from '../governing.js'
import { type NotedRow, printNoted } from '../noted-table.js'
import { filterOf, runsOf } from '../selection.js'
import { printable } from '../text.js'

const limitUsual = 50

/** `constancia audit`: questions over all journals. */
export const auditCommand: Command = {
  name: 'audit',
  summary:
    'answer who approved what, by which role, after how long; what was done, what went on, what was refused and erased',
  details:
    `Questions: ${questions.join(', ')}; all of them unless named. decisions: votes, withdrawals, resolutions and stated outcomes. actions: each authorization, denial and end of an effect. resumes: which ` +
    'runs went on after a pause, and as whom. refusals: what did not count. erasures: whose data was deleted, by whom and why. The newest run first, each in the order of its journal. --csv and --json print every column; times in JSON are UTC milliseconds since 1970.\n\n' +
    'Example:  constancia audit decisions --role treasurer --since 30d --csv > decisions.csv',
  arguments: [{ name: '[question...]', about: questions.join(', ') }],
  options: [
    { flags: '--flow <flow>', about: 'in runs of this flow, or of one version of it: pay or pay@2' },
    { flags: '--principal <principal>', about: 'decided, done or tried by this one' },
    { flags: '--role <role>', about: 'by this role' },
    { flags: '--since <moment>', about: 'from then on: a day, a time of UTC, or so long ago: 30d' },
    { flags: '--until <moment>', about: 'before then, likewise' },
    { flags: '--csv', about: 'comma-separated values, with a line of titles' },
    { flags: '-n, --limit <count>', about: `at most so many in a table; ${limitUsual} unless set` },
    { flags: '--all', about: 'as many as there are; --csv and --json always print all' },
  ],
  act: async (call) => {
    const wanted = wantedBy(call)
    if (call.isJson && call.options.flag('csv'))
      throw cliError('usage', 'Either --csv or --json: one output has one form. Nothing was done.')
    const printer = call.isJson ? jsonPrinter(call) : call.options.flag('csv') ? csvPrinter(call) : tablePrinter(call)
    await withGovernance(call, ({ store }) =>
      call.withRuntime(lookOnly, async (runtime) => {
        for await (const row of answers(call, { runtime, store }, wanted)) {
          call.terminal.interrupts.check()
          if (!(await printer.add(row))) break
        }
      }),
    )
    await printer.end()
    return exitCodes.done
  },
}

interface Place {
  readonly runtime: Runtime
  readonly store: Pick<Store, 'read'>
}

interface Wanted {
  readonly questions: ReadonlySet<AuditQuestion>
  readonly principal: string | undefined
  readonly role: string | undefined
  readonly sinceMs: number
  readonly untilMs: number
}

function wantedBy({ list, options, now }: Call): Wanted {
  const unknown = list.find((word) => !questions.some((question) => question === word))
  if (unknown !== undefined) {
    throw cliError(
      'usage',
      `There is no question ${JSON.stringify(unknown)}; there are: ${questions.join(', ')}. Nothing was done.`,
    )
  }
  const moment = (name: string, usual: number): number => {
    const text = options.text(name)
    return text === undefined ? usual : parsePast(text, `--${name}`, now())
  }
  return {
    questions: new Set(list.length === 0 ? questions : (list as readonly AuditQuestion[])),
    principal: options.text('principal'),
    role: options.text('role'),
    sinceMs: moment('since', Number.NEGATIVE_INFINITY),
    untilMs: moment('until', Number.POSITIVE_INFINITY),
  }
}

async function* answers(call: Call, { runtime, store }: Place, wanted: Wanted): AsyncGenerator<AuditRow> {
  const isAboutRuns = questions.some((question) => !besideRuns.has(question) && wanted.questions.has(question))
  if (isAboutRuns) yield* fitting(rowsOfRuns(call, runtime), wanted)
  // What is beside runs names no flow: whoever asks about one asks for nothing else.
  if (call.options.text('flow') !== undefined) return
  if (wanted.questions.has('refusals')) yield* fitting(rowsOfRefusals(store), wanted)
  if (wanted.questions.has('erasures')) yield* fitting(rowsOfErasures(store), wanted)
}

const besideRuns: ReadonlySet<AuditQuestion> = new Set(['refusals', 'erasures'])

async function* fitting(rows: AsyncIterable<AuditRow>, wanted: Wanted): AsyncGenerator<AuditRow> {
  for await (const row of rows) {
    if (!wanted.questions.has(row.question)) continue
    if (row.atMs < wanted.sinceMs || row.atMs >= wanted.untilMs) continue
    if (wanted.principal !== undefined && row.by !== wanted.principal) continue
    if (wanted.role !== undefined && !row.roles.includes(wanted.role)) continue
    yield row
  }
}

async function* rowsOfRuns(call: Call, runtime: Runtime): AsyncGenerator<AuditRow> {
  const { flow, version } = filterOf(call)
  for await (const run of runsOf(runtime, { flow, version })) {
    call.terminal.interrupts.check()
    yield* auditRows(run, await eventsOf(runtime, run.id))
  }
}

async function* rowsOfRefusals(store: Place['store']): AsyncGenerator<AuditRow> {
  for await (const refusal of readRefusals(store)) yield refusalRow(refusal)
}

async function* rowsOfErasures(store: Place['store']): AsyncGenerator<AuditRow> {
  for await (const erasure of readErasures(store)) yield* erasureRows(erasure)
}

// It may have been purged since it was listed.
async function eventsOf(runtime: Runtime, id: string): Promise<readonly StoredEvent[]> {
  try {
    return await runtime.run(id).events()
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

interface Printer {
  /** False once no more rows are wanted. */
  readonly add: (row: AuditRow) => Promise<boolean>
  readonly end: () => Promise<void>
}

function jsonPrinter({ terminal }: Call): Printer {
  return {
    add: async (row) => {
      await terminal.print(JSON.stringify({ ...row, waitedMs: row.waitedMs ?? null }))
      return true
    },
    end: async () => undefined,
  }
}

const csvTitles = ['question', 'at', 'run', 'flow', 'op', 'subject', 'by', 'roles', 'outcome', 'waited_ms', 'note']

function csvPrinter({ terminal }: Call): Printer {
  let isBegun = false
  const begin = async (): Promise<void> => {
    if (!isBegun) await terminal.print(csvLine(csvTitles))
    isBegun = true
  }
  return {
    add: async (row) => {
      await begin()
      const { question, atMs, run, flow, op, subject, by, roles, outcome, waitedMs, note } = row
      const waited = waitedMs === undefined ? '' : String(waitedMs)
      const fields = [question, new Date(atMs).toISOString(), run, flow, op, subject, by, roles.join(' '), outcome]
      await terminal.print(csvLine([...fields, waited, note]))
      return true
    },
    end: begin,
  }
}

const titles = ['WHEN', 'RUN', 'WHO', 'AS', 'OUTCOME', 'AFTER']

function tablePrinter(call: Call): Printer {
  const { options, terminal } = call
  const limit = options.flag('all') ? Number.POSITIVE_INFINITY : (options.count('limit') ?? limitUsual)
  const rows: AuditRow[] = []
  let hasMore = false
  return {
    add: async (row) => {
      hasMore = rows.length >= limit
      if (!hasMore) rows.push(row)
      return !hasMore
    },
    end: async () => {
      if (rows.length === 0) terminal.say('The journals have no answer to that.')
      else await printNoted(call, titles, rows.map(notedRow))
      if (hasMore) terminal.say('There are more; --limit or --all shows them.')
    },
  }
}

function notedRow({ atMs, run, op, by, roles, outcome, waitedMs, subject, note }: AuditRow): NotedRow {
  const after = waitedMs === undefined ? '' : ageText(waitedMs)
  const about = op === '' || op === '-' ? subject : `${subject}, op ${op}`
  const words = note === '' ? about : `${about}: ${note}`
  return {
    cells: [momentText(atMs), ...[run, by, roles.join(', '), outcome].map(printable), after],
    note: printable(words),
  }
}
