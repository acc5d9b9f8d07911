import { type Change, type ChangeClass, differenceOf } from '../../governance/presentation/index.js'
import type { Call, Command } from '../command.js'
import { contractWords, findContract, type NamedContract } from '../contracts.js'
import { colourOf, differenceLines } from '../difference-lines.js'
import { exitCodes } from '../exit-codes.js'
import { printable } from '../text.js'

/** `constancia contract diff`: what changes from one contract to another. */
export const contractDiffCommand: Command = {
  name: 'contract diff',
  summary: 'compare two contracts: what breaks, what decides differently, what is only added',
  details:
    'From the contract in force to that of the configuration unless told otherwise; with one word, from that one. The exit code is 14 if they differ. ' +
    'With --json: one document with before, after and changes.\n\n' +
    `A contract is ${contractWords}.\n\nExample:  constancia contract diff contract-6.json config`,
  arguments: [
    { name: '[before]', about: 'in-force unless given' },
    { name: '[after]', about: 'config unless given' },
  ],
  act: async (call) => {
    const before = await findContract(call, call.words[0] ?? 'in-force')
    const after = await findContract(call, call.words[1] ?? 'config')
    const changes = differenceOf(before.declared, after.declared)
    if (call.isJson)
      await call.terminal.print(JSON.stringify({ before: briefly(before), after: briefly(after), changes }))
    else await printText(call, { before, after, changes })
    return before.digest === after.digest ? exitCodes.done : exitCodes.differs
  },
}

interface Compared {
  readonly before: NamedContract
  readonly after: NamedContract
  readonly changes: readonly Change[]
}

function briefly({ declared: { name, version }, digest }: NamedContract): Record<string, string> {
  return { name, version, digest }
}

const classes: readonly ChangeClass[] = ['breaking', 'behavioural', 'additive']

async function printText(call: Call, { before, after, changes }: Compared): Promise<void> {
  const { terminal } = call
  const { paint, width } = terminal
  await terminal.print(`${paint.faint('from')} ${titleOf(before)}\n${paint.faint('to')}   ${titleOf(after)}\n`)
  for (const line of differenceLines(changes, paint, width)) await terminal.print(line)
  if (changes.length > 0) {
    const counts = classes.map((kind) => [kind, changes.filter((change) => change.class === kind).length] as const)
    const told = counts
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => colourOf(kind, paint)(`${count} ${kind}`))
    return terminal.print(`\n${told.join(', ')}`)
  }
  const isSame = before.digest === after.digest
  await terminal.print(
    isSame ? 'They are the same.' : 'Nothing differs but the name, the version, or the order of things.',
  )
}

function titleOf({ declared: { name, version }, digest, origin }: NamedContract): string {
  return printable(`${name} ${version}, ${origin}, ${digest}`)
}
