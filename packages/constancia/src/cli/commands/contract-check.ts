import { isDeepStrictEqual } from 'node:util'
import type { DeclaredFlow } from '@constancia/verify'
import type { AnyFlow } from '../../engine/index.js'
import { InvalidContract, isGoverned, type Problem, typeProblems } from '../../governance/index.js'
import type { Call, Command } from '../command.js'
import { contractOfConfig } from '../contracts.js'
import { codeOf } from '../errors.js'
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
  /** `makes_no_sense`, `flow_not_in_contract`… */
  readonly code: string
  /** Whether it keeps something from working; else it is only to be known. */
  readonly needsAttention: boolean
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
  return findings.some(({ needsAttention }) => needsAttention) ? exitCodes.findings : exitCodes.done
}

async function check(call: Call): Promise<Checked> {
  try {
    const { config } = await call.config()
    const { declared, digest } = await contractOfConfig(call)
    const flows = [...config.flows, ...(config.schedules ?? []).map(({ flow }) => flow)]
    const { name, version } = declared
    const mistyped = (await typeProblems(declared)).map(senseless)
    const findings = [...mistyped, ...fitting([...new Set(flows)], declared.flows)]
    return { contract: { name, version, digest }, findings }
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown }
    if (codeOf(error) !== 'config_invalid' || !(cause instanceof InvalidContract)) throw error
    return invalid(cause)
  }
}

// What was declared has no digest; what else is wrong with it is told at once.
async function invalid({ declared, problems }: InvalidContract): Promise<Checked> {
  const { name, version } = declared
  const all = [...problems, ...(await typeProblems(declared))]
  return { contract: { name, version }, findings: all.map(senseless) }
}

function senseless(problem: Problem): Finding {
  return { code: 'makes_no_sense', needsAttention: true, ...problem }
}

/** Whether the flows of a configuration and those of its contract are the same. */
function fitting(flows: readonly AnyFlow[], declared: readonly DeclaredFlow[]): Finding[] {
  const governedBy = new Map(declared.map((flow) => [labelOf(flow), flow]))
  const known = new Set(flows.map(labelOf))
  const absent = declared.filter((flow) => !known.has(labelOf(flow)))
  return [
    ...flows.flatMap((flow) => flowFindings(flow, governedBy.get(labelOf(flow)))),
    ...absent.map((flow) => finding('flow_not_in_configuration', flow, absentReason)),
  ]
}

function flowFindings(flow: AnyFlow, declared: DeclaredFlow | undefined): Finding[] {
  if (!isGoverned(flow)) {
    if (declared !== undefined) return [finding('flow_without_resume', flow, plainReason)]
    return [{ ...finding('flow_not_governed', flow, ungovernedReason), needsAttention: false }]
  }
  if (declared === undefined) return [finding('flow_not_in_contract', flow, unnamedReason)]
  const isSame = isDeepStrictEqual([flow.resume, flow.models], [declared.resume, declared.models])
  return isSame ? [] : [finding('flow_differs', flow, differsReason)]
}

function finding(code: string, flow: { readonly name: string; readonly version: number }, reason: string): Finding {
  return { code, needsAttention: true, place: `flow ${labelOf(flow)}`, reason }
}

const unnamedReason =
  'It can pause and the contract does not name it, so nothing opens this configuration; add it to flows of the contract'
const absentReason =
  'The contract names it and the configuration does not have it, so no process of this configuration works on its runs; add it to flows of the ' +
  'configuration, or leave it out of the contract'
const plainReason =
  'The contract names it, but its code has no resume, so it runs without the contract; give flow({ ... }) the resume that the contract has'
const differsReason =
  'Its resume or models is another one in the contract than in its code; pass the flow itself to flows of the contract'
const ungovernedReason =
  'It has no resume and the contract does not name it: once it has waited, it goes on whoever its actor has become'

function labelOf({ name, version }: { readonly name: string; readonly version: number }): string {
  return `${name}@${version}`
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
