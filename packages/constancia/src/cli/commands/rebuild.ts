import type { Runtime } from '../../engine/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { requireYes } from '../confirmation.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { runsOf } from '../selection.js'
import { counted, printable } from '../text.js'

/** `constancia rebuild`: computes every projection anew from the journals. */
export const rebuildCommand: Command = {
  name: 'rebuild',
  summary: 'compute lists and inboxes anew from the journals',
  details:
    'For a database whose lists are in doubt. Journals are only read. Open runs become ready, and workers look at each of them again. ' +
    'Stop all workers first; it refuses while one holds a run.',
  options: [
    { flags: '-y, --yes', about: 'do not ask' },
    { flags: '--force', about: 'although workers hold runs' },
  ],
  act: async (call) => {
    await call.withRuntime(lookOnly, async (runtime) => {
      if (!call.options.flag('force')) await requireNoWorkers(call, runtime)
      await requireYes(call, 'Compute all lists anew?')
      const { runCount, eventCount } = await runtime.rebuild()
      if (call.isJson) return call.terminal.tell(JSON.stringify({ runCount, eventCount }))
      return call.terminal.tell(`Rebuilt ${counted(runCount, 'run')} from ${counted(eventCount, 'event')}.`)
    })
    return exitCodes.done
  },
}

async function requireNoWorkers(call: Call, runtime: Runtime): Promise<void> {
  const workers = new Set<string>()
  for await (const row of runsOf(runtime, { statuses: ['running'] })) {
    if (row.claim !== undefined && row.claim.leaseUntilMs > call.now()) workers.add(printable(row.claim.worker))
  }
  if (workers.size === 0) return
  const names = [...workers].sort().slice(0, 5).join(', ')
  throw cliError(
    'workers_up',
    `${counted(workers.size, 'worker')} hold runs (${names}). Nothing was done. Stop them first; if they are dead, wait until their ` +
      'leases have run out, or pass --force.',
  )
}
