import { type RefusalBodies, readRefusals, type ToldRefusal } from '../../governance/index.js'
import type { Call, Command } from '../command.js'
import { momentText } from '../durations.js'
import { exitCodes } from '../exit-codes.js'
import { withGovernance } from '../governing.js'
import { printNoted } from '../noted-table.js'
import { writerText } from '../principals.js'
import { printable } from '../text.js'

const limitUsual = 50

/** `constancia refusals`: what somebody tried who may not. */
export const refusalsCommand: Command = {
  name: 'refusals',
  summary: 'show what was refused: to whom, and why',
  details:
    'Votes, statements, changes of roles and of the contract that did not count. The newest last. With --json: one line for each, with kind, body, by and reason.',
  options: [
    { flags: '--run <run>', about: 'about this run; its whole id' },
    { flags: '--principal <principal>', about: 'to this principal' },
    { flags: '--code <code>', about: 'for this reason: role_missing, own_request, not_permitted…' },
    { flags: '-n, --limit <count>', about: `the last so many; ${limitUsual} unless set` },
    { flags: '--all', about: 'as many as there are' },
  ],
  act: async (call) => {
    const limit = call.options.flag('all') ? Number.POSITIVE_INFINITY : (call.options.count('limit') ?? limitUsual)
    const found: ToldRefusal[] = []
    await withGovernance(call, async ({ store }) => {
      for await (const refusal of readRefusals(store)) {
        call.terminal.interrupts.check()
        if (!fits(call, refusal)) continue
        found.push(refusal)
        if (found.length > limit) found.shift()
      }
    })
    if (call.isJson) for (const refusal of found) await call.terminal.print(JSON.stringify(refusal))
    else if (found.length > 0) await printList(call, found)
    if (found.length === 0) call.terminal.say('Nothing was refused.')
    return exitCodes.done
  },
}

function fits({ options }: Call, { body, by }: ToldRefusal): boolean {
  const [run, principal, code] = ['run', 'principal', 'code'].map((name) => options.text(name))
  if (run !== undefined && !('run' in body && body.run === run)) return false
  if (principal !== undefined && by !== `principal:${principal}`) return false
  return code === undefined || body.code === code
}

async function printList(call: Call, found: readonly ToldRefusal[]): Promise<void> {
  const rows = found.map((refusal) => ({
    cells: [momentText(refusal.atMs), writerText(refusal.by), printable(refusal.body.code), wantedText(refusal)],
    note: printable(refusal.reason ?? '(erased)'),
  }))
  await printNoted(call, ['WHEN', 'WHO', 'WHY', 'WANTED'], rows)
}

function wantedText({ kind, body }: ToldRefusal): string {
  if (kind === 'VoteRefused') {
    const { choice, run, op } = body as RefusalBodies['VoteRefused']
    return printable(`${choice.replace('_', '-')} ${run} ${op}`)
  }
  const { change, about } = body as RefusalBodies['ChangeRefused']
  return printable(
    `${change} ${Object.values(about)
      .map((text) => text.slice(0, 24))
      .join(' ')}`,
  )
}
