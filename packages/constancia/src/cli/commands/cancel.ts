import type { RunRow } from '../../store/index.js'
import { actOnAll } from '../bulk.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { confirm, confirmOptions } from '../confirmation.js'
import { cliError } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { latestOf } from '../run-ids.js'
import { filterOptions, openStatuses, select } from '../selection.js'
import { counted } from '../text.js'

/** `constancia cancel`: asks runs to end. */
export const cancelCommand: Command = {
  name: 'cancel',
  summary: 'ask runs to clean up and end',
  details:
    'Runs are named, or picked by filters. The flow of each gets run_cancelled at its next await, cleans up, and ends as cancelled, ' +
    'with its children. --force ends a run at once, without its flow; its clean-up does not run.\n\n' +
    'Example:  constancia cancel --flow pay --status waiting --reason "rolled back" --yes',
  arguments: [{ name: '[run...]', about: 'ids, or beginnings of ids' }],
  options: [
    ...filterOptions,
    ...confirmOptions,
    { flags: '--reason <text>', about: 'kept in the journal' },
    { flags: '--by <principal>', about: 'who wants it' },
    { flags: '--force', about: 'end at once, without the flow and its clean-up' },
  ],
  act: (call) =>
    call.withRuntime(lookOnly, async (runtime) => {
      const selected = await select(runtime, call, openStatuses)
      const selection = { ...selected, runs: await latestOf(runtime, selected.runs) }
      const isForced = call.options.flag('force')
      if (selection.isNamed) requireOpen(selection.runs)
      const runs = selection.isNamed || isForced ? selection.runs : await leaveOutAsked(call, selection.runs)
      if (runs.length === 0) return nothingToDo(call)
      const verb = isForced ? 'cancel by force' : 'cancel'
      if (!(await confirm(call, { verb, runs, isPlain: selection.isNamed && runs.length === 1 }))) return exitCodes.done
      const options = cancelOptions(call)
      return actOnAll(call, {
        doing: 'Cancelling',
        summary: (count) =>
          isForced ? `Cancelled ${counted(count, 'run')} by force` : `Asked ${counted(count, 'run')} to cancel`,
        runs,
        act: async (run) => {
          const outcome = await runtime.run(run.id).cancel(options)
          if (outcome === 'duplicate')
            return { outcome, isDone: false, said: 'was asked to cancel before; nothing was added' }
          return { outcome, isDone: true, said: isForced ? 'was cancelled by force' : 'was asked to cancel' }
        },
      })
    }),
}

function cancelOptions(call: Call): { reason?: string; by?: string; force?: true } {
  const [reason, by] = [call.options.text('reason'), call.options.text('by')]
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
    ...(call.options.flag('force') ? { force: true } : {}),
  }
}

function requireOpen(runs: readonly RunRow[]): void {
  const ended = runs.filter((row) => row.outcome !== 'open')
  if (ended.length === 0) return
  const lines = ended.map((row) => `  ${row.id}  ${row.flow}@${row.version}  ${row.status}`)
  const what = ended.length === 1 ? 'This run has ended already' : 'These runs have ended already'
  throw cliError('run_ended', [`${what}; there is nothing to cancel. Nothing was done.`, ...lines].join('\n'))
}

// What was asked before is on its way: giving the command again after Ctrl-C does the rest.
async function leaveOutAsked(call: Call, runs: readonly RunRow[]): Promise<RunRow[]> {
  const rest = runs.filter((row) => !row.isCancelRequested)
  const askedCount = runs.length - rest.length
  if (askedCount > 0)
    call.terminal.say(`${counted(askedCount, 'run')} asked before ${askedCount === 1 ? 'is' : 'are'} left out.`)
  return rest
}

/** No run fits the filters. */
export function nothingToDo(call: Call): ExitCode {
  call.terminal.say('No run fits. Nothing was done.')
  return exitCodes.done
}
