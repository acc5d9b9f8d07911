import type { ContractChange } from '../../governance/index.js'
import type { Call, Command } from '../command.js'
import { momentText } from '../durations.js'
import { exitCodes } from '../exit-codes.js'
import { withGovernance } from '../governing.js'
import { printNoted } from '../noted-table.js'
import { writerText } from '../principals.js'
import { printable } from '../text.js'

/** `constancia contract history`: which contracts were in force, since when, and who wanted them. */
export const contractHistoryCommand: Command = {
  name: 'contract history',
  summary: 'show which contracts were proposed, agreed to and put in force, by whom and why',
  details: 'The oldest first. With --json: one line for each step.',
  act: async (call) => {
    const changes = await withGovernance(call, ({ governance }) => governance.contracts())
    if (call.isJson) for (const change of changes) await call.terminal.print(JSON.stringify(briefly(change)))
    else if (changes.length === 0) call.terminal.say('No contract was ever put in force.')
    else await printTable(call, changes)
    return exitCodes.done
  },
}

function briefly({ contract, ...change }: ContractChange): unknown {
  return contract === undefined ? change : { ...change, name: contract.name, version: contract.version }
}

const titles = ['WHEN', 'WHAT', 'CONTRACT', 'DIGEST', 'BY']

async function printTable(call: Call, changes: readonly ContractChange[]): Promise<void> {
  const { paint } = call.terminal
  const named = new Map(
    changes.flatMap(({ digest, contract }) => (contract === undefined ? [] : [[digest, contract] as const])),
  )
  const rows = changes.map(({ atMs, kind, digest, by, approvedBy, reason }) => {
    const { name = '', version = '' } = named.get(digest) ?? {}
    const who = approvedBy === undefined ? writerText(by) : approvedBy.map(printable).join(', ')
    const what = kind === 'activated' ? paint.good(kind) : kind
    const cells = [momentText(atMs), what, printable(`${name} ${version}`), digest.slice(0, 12), who]
    return { cells, note: printable(reason ?? '') }
  })
  await printNoted(call, titles, rows)
}
