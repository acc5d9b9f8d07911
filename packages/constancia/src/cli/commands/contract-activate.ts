import { canonicalText, type Json, type Law } from '@constancia/verify'
import {
  type ActivationOutcome,
  type ActivationRequest,
  type Governance,
  requireTypes,
} from '../../governance/index.js'
import { differenceOf } from '../../governance/presentation/index.js'
import type { Call, Command } from '../command.js'
import { requireYes } from '../confirmation.js'
import { contractOfConfig, type NamedContract } from '../contracts.js'
import { differenceLines } from '../difference-lines.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { asOption, changeBy, reasonOption, withGovernance } from '../governing.js'
import { orText } from '../principals.js'
import { counted, printable } from '../text.js'

const options = [asOption, reasonOption, { flags: '-y, --yes', about: 'do not ask' }]

/** `constancia contract activate`: puts the contract of the configuration in force. */
export const contractActivateCommand: Command = {
  name: 'contract activate',
  summary: 'put the contract of the configuration in force',
  details:
    'Who may, the contract in force says; before the first one, whoever is administrator. Where it takes several people it is proposed, and the ' +
    'others confirm it. What changes is shown before it asks. With --json: one document with kind (activated, proposed, in_force) and digest.',
  options,
  act: async (call) => {
    const { declared, digest } = await contractOfConfig(call)
    const text = canonicalText(declared as unknown as Json)
    await withGovernance(call, (opened) => putInForce(call, opened.governance, { declared, digest, text }))
    return exitCodes.done
  },
}

/** `constancia contract confirm`: the second pair of eyes. */
export const contractConfirmCommand: Command = {
  name: 'contract confirm',
  summary: 'agree to a contract that somebody proposed',
  details:
    'What changes is shown before it asks; whoever names the whole digest is not asked. Once enough different people agree, it is in force.',
  arguments: [
    { name: '[digest]', about: 'of the proposed contract, or the beginning of it; not needed where one is proposed' },
  ],
  options,
  act: async (call) => {
    await withGovernance(call, async ({ governance }) => {
      const proposed = proposalOf(await governance.law(), call.words[0] ?? '')
      await putInForce(call, governance, { ...proposed, text: canonicalText(proposed.declared as unknown as Json) })
    })
    return exitCodes.done
  },
}

function proposalOf({ proposals }: Law, beginning: string): Pick<NamedContract, 'declared' | 'digest'> {
  const fitting = proposals.filter(({ digest }) => digest.startsWith(beginning))
  const [first, second] = fitting
  if (first === undefined) {
    const which = beginning === '' ? '' : ` whose digest begins with ${printable(beginning)}`
    throw cliError('unknown_contract', `No contract${which} is proposed now. Nothing was done.`)
  }
  if (second === undefined) return first
  const lines = fitting.map(
    ({ digest, declared: { name, version } }) => `  ${digest}  ${printable(`${name} ${version}`)}`,
  )
  throw cliError(
    'ambiguous_id',
    [`${fitting.length} contracts are proposed. Nothing was done; name one.`, ...lines].join('\n'),
  )
}

async function putInForce(call: Call, governance: Governance, contract: ActivationRequest['contract']): Promise<void> {
  const { name, version } = contract.declared
  await requireTypes(contract.declared)
  const { inForce } = await governance.law()
  const title = printable(`${name} ${version}`)
  const isNamed = call.words[0] === contract.digest
  if (inForce?.digest !== contract.digest && !isNamed) {
    tellWhatChanges(call, contract, inForce?.declared)
    await requireYes(call, `Put ${title} in force?`)
  }
  const outcome = await governance.activate({ contract, ...changeBy(call) })
  if (call.isJson) await call.terminal.tell(JSON.stringify({ name, version, ...outcome }))
  else await call.terminal.tell(outcomeText(title, outcome))
}

function tellWhatChanges(
  { terminal }: Call,
  { declared, digest }: ActivationRequest['contract'],
  before: ActivationRequest['contract']['declared'] | undefined,
): void {
  const title = printable(`${declared.name} ${declared.version}`)
  if (before === undefined) return terminal.say(`${title}, digest ${digest}, would be the first contract in force.`)
  const changes = differenceOf(before, declared)
  const from = printable(`${before.name} ${before.version}`)
  terminal.say(
    `${title}, digest ${digest}, would be in force instead of ${from}: ${counted(changes.length, 'change')}.`,
  )
  for (const line of differenceLines(changes, terminal.paint, terminal.width)) terminal.say(line)
}

function outcomeText(title: string, outcome: ActivationOutcome): string {
  switch (outcome.kind) {
    case 'activated':
      return `${title} is in force, as ${outcome.approvedBy.map(printable).join(' and ')} wanted it.`
    case 'in_force':
      return `${title} is in force already; nothing was added.`
    case 'proposed': {
      const { confirmedBy, quorum, digest } = outcome
      const left = quorum - confirmedBy.length
      return (
        `${title} is proposed; ${orText(confirmedBy)} agreed, ${left === 1 ? '1 more person' : `${left} more people`} to go. ` +
        `They agree with: constancia contract confirm ${digest.slice(0, 12)}`
      )
    }
  }
}
