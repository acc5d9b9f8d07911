import type { RunRow } from '../store/index.js'
import type { Call, Option } from './command.js'
import { cliError } from './errors.js'
import { countsText } from './rows.js'
import { counted } from './text.js'

/** Options of commands that act on many runs. */
export const confirmOptions: readonly Option[] = [
  { flags: '--all', about: 'all runs on which this can act' },
  { flags: '-y, --yes', about: 'do not ask' },
  { flags: '--dry-run', about: 'only list the runs' },
]

const sampleMax = 5

/** What is to be confirmed. */
export interface Plan {
  /** What is about to happen, without the runs: `cancel`. */
  readonly verb: string
  readonly runs: readonly RunRow[]
  /** Whether it may go without a question, because it is one run that was named. */
  readonly isPlain: boolean
}

/**
 * Shows what is about to happen to how many runs, and asks. Returns false where that was all that was wanted (`--dry-run`).
 * Throws `unconfirmed` if the answer is no, or if there is nobody to ask and no `--yes`.
 */
export async function confirm(call: Call, plan: Plan): Promise<boolean> {
  const { terminal, options } = call
  if (options.flag('dryRun')) {
    terminal.say(`Would ${plan.verb} ${counted(plan.runs.length, 'run')}. Nothing was done (--dry-run).`)
    for (const row of plan.runs) await terminal.print(call.isJson ? JSON.stringify(row) : row.id)
    return false
  }
  if (plan.isPlain) return true
  terminal.say(previewOf(plan))
  const question = `${capital(plan.verb)} ${plan.runs.length === 1 ? 'it' : 'them'}?`
  await requireYes(call, question, { instead: ', or --dry-run to list the runs' })
  return true
}

/** What is said where the answer is not yes. */
export interface Unconfirmed {
  /** `Nothing was done` unless set. */
  readonly nothing?: string
  /** What else there is besides `--yes`, where there is nobody to ask. */
  readonly instead?: string
}

/** Asks, unless there is `--yes`. Throws `unconfirmed` if the answer is no, or if there is nobody to ask. */
export async function requireYes(
  { terminal, options }: Call,
  question: string,
  { nothing = 'Nothing was done', instead = '' }: Unconfirmed = {},
): Promise<void> {
  if (options.flag('yes')) return
  if (!terminal.canAsk)
    throw cliError('unconfirmed', `There is nobody to ask. ${nothing}; add --yes to go ahead${instead}.`)
  if (!(await terminal.ask(question))) throw cliError('unconfirmed', `${nothing}.`)
}

function previewOf({ verb, runs }: Plan): string {
  const sample = runs.slice(0, sampleMax).map((row) => `  ${row.id}  ${row.flow}@${row.version}  ${row.status}`)
  const rest = runs.length > sampleMax ? [`  … and ${(runs.length - sampleMax).toLocaleString('en-US')} more`] : []
  return [`About to ${verb} ${counted(runs.length, 'run')} (${countsText(runs)}):`, ...sample, ...rest].join('\n')
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
