import type { DirectoryChanged, OpenedGovernance } from '../../governance/index.js'
import type { Argument, Call, Command, Option } from '../command.js'
import { momentText, parseMoment } from '../durations.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { asOption, changeBy, reasonOption, withGovernance } from '../governing.js'
import { orText } from '../principals.js'
import { printable } from '../text.js'

type Directory = OpenedGovernance['governance']['directory']

/** One change of the directory, as a command. */
interface Change {
  readonly name: string
  readonly summary: string
  readonly details: string
  readonly arguments: readonly Argument[]
  readonly options?: readonly Option[]
  readonly create?: boolean
  readonly change: (directory: Directory, call: Call) => Promise<DirectoryChanged>
  /** What holds now, for people. */
  readonly said: (call: Call) => string
}

const untilOption: Option = {
  flags: '--until <moment>',
  about: 'when it ends: 2026-12-31, 2026-12-31T23:00Z, or 30d from now',
}
const principal: Argument = { name: '<principal>', about: 'a pseudonym of who it is about' }

const recorded =
  'Whoever may not is refused with exit code 5, and the attempt is recorded. What holds already adds nothing.'

const grantChange: Change = {
  name: 'grant',
  summary: 'give a role to a principal',
  details: `For administrators. ${recorded}\n\nExample:  constancia grant ana analyst --until 90d --reason "covers for bo"`,
  arguments: [principal, { name: '<role>', about: 'a role of the contract in force, or administrator' }],
  options: [untilOption],
  change: (directory, call) => {
    const untilMs = untilOf(call)
    const until = untilMs === undefined ? {} : { untilMs }
    return directory.grant({ principal: word(call, 0), role: word(call, 1), ...until, ...changeBy(call) })
  },
  said: (call) => `${shown(call, 0)} holds ${shown(call, 1)}${untilText(untilOf(call))}`,
}

const revokeChange: Change = {
  name: 'revoke',
  summary: 'take a role from a principal, whoever gave it',
  details: `For administrators. An imported directory does not give it back; only grant does. ${recorded}`,
  arguments: [principal, { name: '<role>', about: 'the role' }],
  change: (directory, call) => directory.revoke({ principal: word(call, 0), role: word(call, 1), ...changeBy(call) }),
  said: (call) => `${shown(call, 0)} does not hold ${shown(call, 1)}`,
}

const delegateChange: Change = {
  name: 'delegate',
  summary: 'let somebody decide in the place of somebody else, for a while',
  details:
    `For administrators, and for whoever delegates (--as). It has an end, and replaces what was delegated between the two before. ${recorded}\n\n` +
    'Example:  constancia delegate bo cy treasurer --until 2w --as bo',
  arguments: [
    { name: '<from>', about: 'in whose place' },
    { name: '<to>', about: 'who decides then' },
    { name: '<role...>', about: 'by which of their roles' },
  ],
  options: [untilOption],
  change: (directory, call) => {
    const untilMs = untilOf(call)
    if (untilMs === undefined)
      throw cliError('usage', 'A delegation has an end; say it with --until. Nothing was done.')
    return directory.delegate({ from: word(call, 0), to: word(call, 1), roles: call.list, untilMs, ...changeBy(call) })
  },
  said: (call) =>
    `${shown(call, 1)} may decide as ${orText(call.list)} in the place of ${shown(call, 0)}${untilText(untilOf(call))}`,
}

const undelegateChange: Change = {
  name: 'undelegate',
  summary: 'end a delegation',
  details: `For administrators, and for whoever delegated. ${recorded}`,
  arguments: [
    { name: '<from>', about: 'in whose place' },
    { name: '<to>', about: 'who decided' },
  ],
  change: (directory, call) => directory.undelegate({ from: word(call, 0), to: word(call, 1), ...changeBy(call) }),
  said: (call) => `${shown(call, 1)} does not decide in the place of ${shown(call, 0)}`,
}

const linkChange: Change = {
  name: 'link',
  summary: 'say that a principal is an identity of a person',
  details: `So that nobody approves what they asked for under another name, or counts twice. For administrators. ${recorded}`,
  arguments: [principal, { name: '<person>', about: 'who is behind it; the principal itself takes a link back' }],
  change: (directory, call) =>
    directory.link({ principal: word(call, 0), person: word(call, 1), by: changeBy(call).by }),
  said: (call) => `${shown(call, 0)} is an identity of ${shown(call, 1)}`,
}

const bootstrapChange: Change = {
  name: 'bootstrap',
  summary: 'make the first administrator',
  details:
    'Once only, while nobody was ever administrator; later, administrators grant that role. It makes the database where there is none.\n\n' +
    'Example:  constancia bootstrap ada',
  arguments: [principal],
  create: true,
  change: (directory, call) =>
    directory.bootstrap({ principal: word(call, 0), by: call.options.text('as') ?? word(call, 0) }),
  said: (call) => `${shown(call, 0)} is administrator`,
}

function untilOf(call: Call): number | undefined {
  const text = call.options.text('until')
  return text === undefined ? undefined : parseMoment(text, '--until', call.now())
}

function untilText(untilMs: number | undefined): string {
  return untilMs === undefined ? '' : ` until ${momentText(untilMs)}`
}

function word({ words }: Call, index: number): string {
  return words[index] ?? ''
}

function shown(call: Call, index: number): string {
  return printable(word(call, index))
}

function commandOf({ change, said, create = false, ...told }: Change): Command {
  return {
    ...told,
    options: [...(told.options ?? []), asOption, ...(told.name === 'link' || create ? [] : [reasonOption])],
    act: async (call) => {
      const use = ({ governance }: OpenedGovernance): Promise<DirectoryChanged> => change(governance.directory, call)
      const changed = await withGovernance(call, use, { create })
      const text = changed.changed ? `${said(call)}.` : `${said(call)} already; nothing was added.`
      await call.terminal.tell(call.isJson ? JSON.stringify(changed) : text)
      return exitCodes.done
    },
  }
}

/** `constancia bootstrap`, `grant`, `revoke`, `delegate`, `undelegate` and `link`. */
export const directoryCommands: readonly Command[] = [
  bootstrapChange,
  grantChange,
  revokeChange,
  delegateChange,
  undelegateChange,
  linkChange,
].map(commandOf)
