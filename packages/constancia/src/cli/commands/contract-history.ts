import type { ContractChange } from '../../governance/index.js'
import type { Call, Command } from '../command.js'
import { momentText } from '../durations.js'
import { exitCodes } from '../exit-codes.js'
import { withGovernance } from '../governing.js'
import { writerText } from '../principals.js'
import { tableLines } from '../table.js'
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

const columns = ['WHEN', 'WHAT', 'CONTRACT', 'DIGEST', 'BY', 'WHY'].map((title) => ({ title }))

async function printTable(call: Call, changes: readonly ContractChange[]): Promise<void> {
  const { paint, width } = call.terminal
  const titles = new Map(
    changes.map(({ digest, contract }) => [digest, contract] as const).filter(([, known]) => known),
  )
  const rows = changes.map(({ atMs, kind, digest, by, approvedBy, reason }) => {
    const named = titles.get(digest)
    return [
      momentText(atMs),
      kind === 'activated' ? paint.good(kind) : kind,
      printable(`${named?.name ?? ''} ${named?.version ?? ''}`),
      digest.slice(0, 12),
      approvedBy === undefined ? writerText(by) : approvedBy.map(printable).join(', '),
      printable(reason ?? ''),
    ]
  })
  for (const line of tableLines({ columns, rows, width, title: paint.faint })) await call.terminal.print(line)
}
