import { InvalidContract } from '../../governance/index.js'
import type { Call, Command } from '../command.js'
import type { FoundConfig } from '../config.js'
import { cliError, codeOf } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { counted, printable, wrap } from '../text.js'

/** `constancia contract check`: does the contract of the configuration make sense? */
export const contractCheckCommand: Command = {
  name: 'contract check',
  summary: 'look whether the contract of the configuration makes sense and fits the flows',
  details:
    'Everything that is wrong is told at once, with its place, the reason and what to do; the exit code is 11 then. No database is ' +
    'needed. With --json: one document with contract and findings.',
  act: async (call) => {
    const checked = await check(call)
    if (call.isJson) await call.terminal.print(JSON.stringify(checked))
    else await printText(call, checked)
    return exitOf(checked)
  },
}

interface Finding {
  /** `makes_no_sense`, `flow_not_in_contract`, `flow_not_in_configuration`. */
  readonly code: string
  /** `rule 2 (bank.transfer)` */
  readonly place: string
  /** A sentence without its full stop. */
  readonly reason: string
}

interface Checked {
  /** Without a digest where it makes no sense. */
  readonly contract: { readonly name: string; readonly version: string; readonly digest?: string }
  readonly findings: readonly Finding[]
}

function exitOf({ findings }: Checked): ExitCode {
  return findings.length === 0 ? exitCodes.done : exitCodes.findings
}

async function check(call: Call): Promise<Checked> {
  let found: FoundConfig
  try {
    found = await call.config()
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown }
    if (codeOf(error) !== 'config_invalid' || !(cause instanceof InvalidContract)) throw error
    const findings = cause.problems.map(({ place, reason }) => ({ code: 'makes_no_sense', place, reason }))
    return { contract: cause.contract, findings }
  }
  const { config, file } = found
  if (config.contract === undefined) {
    throw cliError('config_invalid', `${file} has no contract; add contract: contract({ ... }) to it.`)
  }
  const { declared, digest } = config.contract
  const known = [...config.flows, ...(config.schedules ?? []).map(({ flow }) => flow)].map(labelOf)
  const governed = declared.flows.map(labelOf)
  const findings = [
    ...missing(known, governed, (flow) => ({ code: 'flow_not_in_contract', place: `flow ${flow}`, reason: unnamed })),
    ...missing(governed, known, (flow) => ({
      code: 'flow_not_in_configuration',
      place: `flow ${flow}`,
      reason: absent,
    })),
  ]
  return { contract: { name: declared.name, version: declared.version, digest }, findings }
}

const unnamed =
  'The configuration has it and the contract does not name it, so nobody is told who may resume it once it has paused; add it to flows of ' +
  'the contract, with resume: { roles: [...] }'
const absent =
  'The contract names it and the configuration does not have it, so no process of this configuration works on its runs; add it to flows of the ' +
  'configuration, or leave it out of the contract'

function labelOf({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name}@${version}`
}

function missing(names: readonly string[], among: readonly string[], tell: (name: string) => Finding): Finding[] {
  return [...new Set(names)].filter((name) => !among.includes(name)).map(tell)
}

async function printText(call: Call, { contract, findings }: Checked): Promise<void> {
  const { terminal } = call
  const { paint, width } = terminal
  const digest = contract.digest === undefined ? '' : `  ${paint.faint(contract.digest)}`
  await terminal.print(`${paint.strong(printable(`${contract.name} ${contract.version}`))}${digest}`)
  for (const { place, reason } of findings) {
    const text = wrap(printable(`${place}: ${reason}.`), width - 2, '  ')
    await terminal.print(`${paint.bad('✗')} ${text}`)
  }
  const verdict =
    findings.length === 0 ? paint.good('All is well.') : paint.bad(`${counted(findings.length, 'finding')}.`)
  await terminal.print(verdict)
}
