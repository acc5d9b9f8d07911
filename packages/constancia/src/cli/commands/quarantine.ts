import type { Loss } from '../../store/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { requireYes } from '../confirmation.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { countsText } from '../rows.js'
import { openStatuses, runsOf } from '../selection.js'
import { counted, printable } from '../text.js'

/** `constancia quarantine`: accepts a database that lost its newest part. */
export const quarantineCommand: Command = {
  name: 'quarantine',
  summary:
    'after a restore or a failover that lost something: park every open run, and go on with the database as it is',
  details:
    'Look for a newer copy of the database first; this gives up what is missing. Every open run becomes stuck with rolled_back, in one ' +
    'transaction; runs that are gone altogether may be started again by whoever started them. Then look what each run did, and let it go on: ' +
    'constancia retry RUN, or all of them: constancia retry --code rolled_back.',
  options: [
    { flags: '-y, --yes', about: 'do not ask' },
    { flags: '--dry-run', about: 'only tell what is missing and what would be parked' },
    { flags: '--force', about: 'although nothing is known to be missing, because you restored a backup' },
  ],
  act: async (call) => {
    await call.withRuntime(lookOnly, async (runtime) => {
      const loss = await runtime.loss()
      if (loss === undefined && !call.options.flag('force')) throw nothingLost()
      const open: { readonly status: (typeof openStatuses)[number] }[] = []
      for await (const { status } of runsOf(runtime, { statuses: openStatuses })) open.push({ status })
      tellPlan(call, { loss, open })
      if (call.options.flag('dryRun')) return
      await requireYes(call, 'Give up what is missing and park them?')
      const { parkedCount } = await runtime.quarantine()
      if (call.isJson) return call.terminal.tell(JSON.stringify({ parkedCount, ...factsOf(loss) }))
      return call.terminal.tell(
        `Parked ${counted(parkedCount, 'run')}. Workers go on; these runs once they are retried.`,
      )
    })
    return exitCodes.done
  },
}

interface Plan {
  readonly loss: Loss | undefined
  readonly open: readonly { readonly status: (typeof openStatuses)[number] }[]
}

function tellPlan({ terminal, options }: Call, { loss, open }: Plan): void {
  terminal.say(printable(loss?.message ?? 'Nothing is known to be missing.'))
  const counts = open.length === 0 ? '' : ` (${countsText(open)})`
  const verb = options.flag('dryRun') ? 'Would park' : 'About to park'
  const rest = options.flag('dryRun') ? ' Nothing was done (--dry-run).' : ''
  terminal.say(`${verb} ${counted(open.length, 'open run')}${counts}.${rest}`)
}

function factsOf(loss: Loss | undefined): Readonly<Record<string, unknown>> {
  if (loss === undefined) return { loss: null }
  return { loss: { kind: loss.kind, wholeUntilMs: loss.wholeUntilMs ?? null, missing: loss.missing } }
}

function nothingLost(): Error {
  return cliError(
    'nothing_lost',
    'Nothing is known to be missing from the database, so no run was parked. Where you restored a backup all the same (no mark was kept, or ' +
      'the mark was restored with it), add --force.',
  )
}
