import type { RunRow } from '../../store/index.js'
import { actOnAll } from '../bulk.js'
import { type Command, lookOnly } from '../command.js'
import { confirm, confirmOptions } from '../confirmation.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { stateText } from '../rows.js'
import { latestOf } from '../run-ids.js'
import { filterOptions, select } from '../selection.js'
import { counted } from '../text.js'
import { nothingToDo } from './cancel.js'

/** `constancia retry`: lets stuck runs try again. */
export const retryCommand: Command = {
  name: 'retry',
  summary: 'let stuck runs try again with the code as it is now',
  details:
    'Runs are named, or picked by filters; filters pick stuck runs only. Deploy the repaired code first, and see with ' +
    'constancia check that it replays.\n\nExample:  constancia retry --flow pay --code nondeterminism --note "fixed in 2.1.3" --yes',
  arguments: [{ name: '[run...]', about: 'ids, or beginnings of ids' }],
  options: [
    ...filterOptions,
    { flags: '--code <code>', about: 'runs that are stuck for this reason: nondeterminism, foreign_await, poison…' },
    ...confirmOptions,
    { flags: '--note <text>', about: 'kept in the journal' },
  ],
  act: (call) =>
    call.withRuntime(lookOnly, async (runtime) => {
      const selection = await select(runtime, call, ['stuck'])
      const code = call.options.text('code')
      const runs = (await latestOf(runtime, selection.runs)).filter(
        (row) => code === undefined || row.stuck?.code === code,
      )
      if (selection.isNamed) requireStuck(runs, call.now())
      if (runs.length === 0) return nothingToDo(call)
      if (!(await confirm(call, { verb: 'retry', runs, isPlain: selection.isNamed && runs.length === 1 })))
        return exitCodes.done
      const note = call.options.text('note') ?? ''
      return actOnAll(call, {
        doing: 'Retrying',
        summary: (count) => `Made ${counted(count, 'run')} try again`,
        runs,
        act: async (run) => {
          await runtime.run(run.id).retry(note)
          return { outcome: 'retried', isDone: true, said: 'is to be tried again' }
        },
      })
    }),
}

function requireStuck(runs: readonly RunRow[], nowMs: number): void {
  const others = runs.filter((row) => row.stuck === undefined)
  if (others.length === 0) return
  const lines = others.map((row) =>
    `  ${row.id}  ${row.flow}@${row.version}  ${row.status}  ${stateText(row, nowMs)}`.trimEnd(),
  )
  const what = others.length === 1 ? 'This run is not stuck' : 'These runs are not stuck'
  throw cliError('not_stuck', [`${what}; there is nothing to retry. Nothing was done.`, ...lines].join('\n'))
}
