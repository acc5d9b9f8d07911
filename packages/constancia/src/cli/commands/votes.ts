import type { OpenedGovernance, VoteTaken } from '../../governance/index.js'
import { defaultLimits, encodeValue } from '../../journal/index.js'
import { approvalLines } from '../approval-lines.js'
import { type AskedToApprove, findApproval, requireShown } from '../asked.js'
import { type Argument, type Call, type Command, lookOnly, type Option } from '../command.js'
import { cliError } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { asOptionNeeded, deciderOf, withGovernance } from '../governing.js'
import { readInput } from '../inputs.js'
import { orText } from '../principals.js'
import { findRun } from '../run-ids.js'
import { printable } from '../text.js'

const places: readonly Argument[] = [
  { name: '<run>', about: 'its id, or the beginning of it' },
  { name: '[op]', about: 'which op asks; not needed where one does' },
]
const deliveryOption: Option = {
  flags: '--delivery <id>',
  about: 'counts once, however often it is given; a fresh one unless set',
}
const noteOption: Option = { flags: '--note <text>', about: 'the reason; kept in the journal' }
const shownOption: Option = {
  flags: '--shown <digest>',
  about: 'the digest of what you were shown; else it is shown and asked',
}

const recorded = 'What does not count ends with exit code 5, and the attempt is recorded.'

/** `constancia approve`. */
export const approveCommand: Command = {
  name: 'approve',
  summary: 'approve what a run asks for',
  details:
    `Nobody approves what they did not see: without --shown it shows what would be approved, and asks; where there is no terminal it refuses. ${recorded}\n\n` +
    'Example:  constancia approve 0193f2 2 --as bo --shown 5f0c… --note "checked with the vendor"',
  arguments: places,
  options: [
    asOptionNeeded,
    shownOption,
    noteOption,
    {
      flags: '--amend <file>',
      about: 'approve with this input instead, where that is allowed: JSON, - for standard input',
    },
    deliveryOption,
  ],
  act: (call) => castVote(call, 'approve'),
}

/** `constancia reject`. */
export const rejectCommand: Command = {
  name: 'reject',
  summary: 'reject what a run asks for',
  details: `One rejection decides. Without --shown it shows what would be rejected, and asks; where there is no terminal it refuses. ${recorded}`,
  arguments: places,
  options: [asOptionNeeded, shownOption, noteOption, deliveryOption],
  act: (call) => castVote(call, 'reject'),
}

async function castVote(call: Call, choice: 'approve' | 'reject'): Promise<ExitCode> {
  const voter = deciderOf(call)
  const amended = await readInput(call, { text: undefined, file: call.options.text('amend'), what: 'The input' })
  const asked = await askedBy(call)
  await withGovernance(call, async (opened) => {
    const shown = call.options.text('shown') ?? (await seen(call, opened, { asked, choice, voter, amended }))
    const { run, op } = asked
    const said = optional({ note: call.options.text('note'), delivery: call.options.text('delivery'), amended })
    const taken = await opened.governance.vote({ run: run.id, op, voter, choice, shown, ...said })
    if (call.isJson) return call.terminal.tell(JSON.stringify({ run: run.id, op, voter, choice, ...taken }))
    return call.terminal.tell(takenText(asked, voter, taken))
  })
  return exitCodes.done
}

async function askedBy(call: Call): Promise<AskedToApprove> {
  return call.withRuntime(lookOnly, async (runtime) => {
    const run = await findRun(runtime, call.words[0] ?? '')
    return findApproval(runtime, run, call.words[1])
  })
}

interface Intended {
  readonly asked: AskedToApprove
  readonly choice: 'approve' | 'reject'
  readonly voter: string
  readonly amended: unknown
}

// Shows what would be decided, asks, and returns the digest of what was shown.
async function seen(call: Call, { governance }: OpenedGovernance, intended: Intended): Promise<string> {
  const { asked, choice, voter, amended } = intended
  const { terminal } = call
  requireShown(asked)
  const { width, paint } = terminal
  const law = await governance.law()
  const lines = approvalLines({ asked, law, nowMs: call.now(), width, paint, isAsking: true })
  if (amended !== undefined)
    lines.push(`instead   ${printable(encodeValue(amended, { limits: defaultLimits, what: 'amended input' }))}`)
  if (!terminal.canAsk) {
    const message =
      `Nobody ${choice === 'approve' ? 'approves' : 'rejects'} what they did not see, and there is nobody to ask. Nothing was done; look at it with ` +
      `constancia approval ${asked.run.id} ${asked.op}, and name what you saw with --shown <digest>.`
    throw cliError('unconfirmed', message)
  }
  terminal.say(lines.join('\n'))
  const verb = choice === 'approve' ? 'Approve' : 'Reject'
  const what = amended === undefined ? 'exactly this' : 'this with the other input'
  if (!(await terminal.ask(`${verb} ${what} as ${printable(voter)}?`)))
    throw cliError('unconfirmed', 'Nothing was done.')
  return asked.approval.request.shown
}

function takenText({ run, op }: AskedToApprove, voter: string, { roles, resolution }: VoteTaken): string {
  const begin = `The vote of ${printable(voter)} as ${orText(roles)} counts for op ${op} of ${run.id}: `
  return `${begin}${resolution === null ? 'it takes more people yet' : `it is ${resolution}`}.`
}

function optional<T extends Readonly<Record<string, unknown>>>(
  given: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}

/** `constancia withdraw`. */
export const withdrawCommand: Command = {
  name: 'withdraw',
  summary: 'take back a vote that has decided nothing yet',
  details: `Whoever takes it back may vote anew. ${recorded}`,
  arguments: places,
  options: [asOptionNeeded, { flags: '--delivery <id>', about: 'of the vote; the one that stands unless set' }],
  act: async (call) => {
    const voter = deciderOf(call)
    const { run, op } = await askedBy(call)
    await withGovernance(call, async ({ governance }) => {
      const delivery = optional({ delivery: call.options.text('delivery') })
      const withdrawn = await governance.withdraw({ run: run.id, op, voter, ...delivery })
      const text = `The vote of ${printable(withdrawn.voter)} for op ${op} of ${run.id} is taken back.`
      await call.terminal.tell(call.isJson ? JSON.stringify({ run: run.id, op, ...withdrawn }) : text)
    })
    return exitCodes.done
  },
}

const outcomes = { done: 'done', 'not-done': 'not_done', failed: 'failed' } as const

/** `constancia outcome`. */
export const outcomeCommand: Command = {
  name: 'outcome',
  summary: 'state what came of an effect whose outcome nobody knows',
  details:
    'done: the run goes on with --output. not-done: it passes the rules again, and is executed with the same key. failed: the run is told so. Look at the ' +
    `destination first. ${recorded}\n\nExample:  constancia outcome 0193f2 3 done --as bo --output '{"receipt":"r-17"}' --note "seen in the bank's list"`,
  arguments: [
    { name: '<run>', about: 'its id, or the beginning of it' },
    { name: '<op>', about: 'the op of the effect' },
    { name: '<outcome>', about: 'done, not-done or failed' },
  ],
  options: [
    asOptionNeeded,
    { flags: '--output <json>', about: 'what it returned, where it was done: JSON, - for standard input' },
    { flags: '--output-file <file>', about: 'the same from a file of JSON' },
    noteOption,
    deliveryOption,
  ],
  act: async (call) => {
    const stater = deciderOf(call)
    const [id = '', op = '', word = ''] = call.words
    if (!Object.hasOwn(outcomes, word))
      throw cliError(
        'usage',
        `An outcome is done, not-done or failed, but it was ${JSON.stringify(word)}. Nothing was done.`,
      )
    const outcome = outcomes[word as keyof typeof outcomes]
    const place = { text: call.options.text('output'), file: call.options.text('outputFile'), what: 'The output' }
    const output = await readInput(call, place)
    const run = await call.withRuntime(lookOnly, (runtime) => findRun(runtime, id))
    await withGovernance(call, async ({ governance }) => {
      const said = optional({ output, note: call.options.text('note'), delivery: call.options.text('delivery') })
      const taken = await governance.state({ run: run.id, op, stater, outcome, ...said })
      const text = `Op ${op} of ${run.id} is ${word}, as ${printable(stater)} says (${orText(taken.roles)}).`
      await call.terminal.tell(call.isJson ? JSON.stringify({ run: run.id, op, stater, outcome, ...taken }) : text)
    })
    return exitCodes.done
  },
}
