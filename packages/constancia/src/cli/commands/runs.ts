import type { RunRow } from '../../store/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { ageText } from '../durations.js'
import { exitCodes } from '../exit-codes.js'
import { stateText, statusText } from '../rows.js'
import { filterOf, filterOptions, runsOf } from '../selection.js'
import { tableLines } from '../table.js'

const limitUsual = 50

/** `constancia runs`: a list, newest first. */
export const runsCommand: Command = {
  name: 'runs',
  summary: 'list runs, newest first',
  details: 'With --json: one line of JSON for each run, with the fields of RunRow.',
  options: [
    ...filterOptions,
    { flags: '-n, --limit <count>', about: `at most so many; ${limitUsual} unless set` },
    { flags: '--all', about: 'as many as there are' },
  ],
  act: async (call) => {
    const filter = filterOf(call)
    const limit = call.options.flag('all') ? Number.POSITIVE_INFINITY : (call.options.count('limit') ?? limitUsual)
    await call.withRuntime(lookOnly, async (runtime) => {
      const rows: RunRow[] = []
      let hasMore = false
      for await (const row of runsOf(runtime, filter)) {
        call.terminal.interrupts.check()
        hasMore = rows.length >= limit
        if (hasMore) break
        // Programs get each at once; a table needs all of them to be straight.
        if (call.isJson) await call.terminal.print(JSON.stringify(row))
        rows.push(row)
      }
      if (!call.isJson && rows.length > 0) await printTable(call, rows)
      if (rows.length === 0) call.terminal.say('No runs.')
      if (hasMore) call.terminal.say(`There are more; --limit or --all shows them.`)
    })
    return exitCodes.done
  },
}

const priorityColumn = { title: 'PRIORITY' }
const columns = [{ title: 'RUN', whole: true }, { title: 'FLOW' }, { title: 'STATUS' }, { title: 'AGE' }, { title: '' }]

async function printTable(call: Call, rows: readonly RunRow[]): Promise<void> {
  const { paint, width } = call.terminal
  const nowMs = call.now()
  // Where none has a priority of its own, a column of zeros would tell nothing.
  const hasPriority = rows.some(({ priority }) => priority !== 0)
  const cells = rows.map((row) => [
    row.id,
    `${row.flow}@${row.version}`,
    ...(hasPriority ? [String(row.priority)] : []),
    statusText(row.status, paint),
    ageText(nowMs - row.startedAtMs),
    stateText(row, nowMs),
  ])
  const titles = columns.toSpliced(2, 0, ...(hasPriority ? [priorityColumn] : []))
  for (const line of tableLines({ columns: titles, rows: cells, width, title: paint.faint }))
    await call.terminal.print(line)
}
