import type { Runtime } from '../../engine/index.js'
import type { RunId } from '../../journal/index.js'
import type { RunRow } from '../../store/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { confirm, confirmOptions } from '../confirmation.js'
import { cliError } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { filterOptions, select, statuses } from '../selection.js'
import { counted } from '../text.js'
import { nothingToDo } from './cancel.js'

const endedStatuses = statuses.slice(5)
// So many are deleted in one transaction: others write in between.
const batchSize = 100

/** `constancia purge`: deletes journals of runs that have ended. */
export const purgeCommand: Command = {
  name: 'purge',
  summary: 'delete the journals of runs that have ended, for good',
  details:
    'Runs are named, or picked by filters. Their ids remain, so that none is ever started again; everything else is gone. Export them ' +
    'first if anybody may ask.\n\nExample:  constancia purge --status completed --older-than 90d --yes',
  arguments: [{ name: '[run...]', about: 'ids, or beginnings of ids' }],
  options: [
    ...filterOptions,
    ...confirmOptions,
    { flags: '--by <principal>', about: 'who wants it; operator unless set' },
  ],
  act: (call) =>
    call.withRuntime(lookOnly, async (runtime) => {
      const { runs, isNamed } = await select(runtime, call, endedStatuses)
      if (isNamed) requireEnded(runs)
      if (runs.length === 0) return nothingToDo(call)
      if (!(await confirm(call, { verb: 'delete the journals of', runs, isPlain: false }))) return exitCodes.done
      return purgeAll(call, runtime, runs)
    }),
}

function requireEnded(runs: readonly RunRow[]): void {
  const open = runs.filter((row) => row.outcome === 'open')
  if (open.length === 0) return
  const lines = open.map((row) => `  ${row.id}  ${row.flow}@${row.version}  ${row.status}`)
  const what = open.length === 1 ? 'This run has not ended' : 'These runs have not ended'
  throw cliError(
    'run_open',
    [`${what}; only runs that have ended can be purged. Nothing was done; cancel them first.`, ...lines].join('\n'),
  )
}

async function purgeAll(call: Call, runtime: Runtime, runs: readonly RunRow[]): Promise<ExitCode> {
  const { terminal, isJson } = call
  const by = call.options.text('by') ?? 'operator'
  const progress = terminal.progress('Purging', runs.length)
  terminal.announceStop()
  let [purgedCount, reached] = [0, 0]
  for (; reached < runs.length && !terminal.interrupts.isInterrupted; ) {
    const ids = runs.slice(reached, reached + batchSize).map((row) => row.id)
    const purged = new Set<RunId>(await runtime.purge(ids, { by }))
    purgedCount += purged.size
    reached += ids.length
    if (isJson)
      for (const run of ids)
        await terminal.tell(JSON.stringify({ run, outcome: purged.has(run) ? 'purged' : 'skipped' }))
    progress.add(ids.length)
  }
  progress.end()
  const skipped = reached - purgedCount
  const parts = [`Purged ${counted(purgedCount, 'run')}`]
  if (skipped > 0)
    parts.push(
      `${counted(skipped, 'run')} skipped, which still ${skipped === 1 ? 'has' : 'have'} something to tell another run; try again`,
    )
  if (reached < runs.length) parts.push(`${counted(runs.length - reached, 'run')} not reached`)
  const isWhole = reached === runs.length
  if (isJson || !isWhole) terminal.say(`${parts.join('; ')}.`)
  else await terminal.tell(`${parts.join('; ')}.`)
  if (isWhole) return skipped > 0 ? exitCodes.refused : exitCodes.done
  terminal.say('Stopped. Give the same command again to do the rest.')
  return exitCodes.interrupted
}
