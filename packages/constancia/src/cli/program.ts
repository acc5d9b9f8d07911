import { Command as Commander, CommanderError } from 'commander'
import type { Argument, Command } from './command.js'
import { cliError } from './errors.js'
import { exitCodeMeanings } from './exit-codes.js'
import { Options } from './options.js'

/** What was asked for, once the words were read. */
export interface Asked {
  readonly command: Command
  readonly words: readonly string[]
  readonly list: readonly string[]
  readonly options: Options
}

/** How help is shown. */
export interface HelpStyle {
  /** What the first words of commands of two words are about, by those words: `contract`. */
  readonly groups: Readonly<Record<string, string>>
  readonly width: number
  /** Takes help that was asked for. */
  readonly show: (text: string) => void
  readonly version: string
}

/**
 * Reads the words of a command line. Undefined where help or the version was all that was wanted, which was shown then.
 * Throws `usage`, which says what was not understood.
 */
export function readWords(commands: readonly Command[], words: readonly string[], style: HelpStyle): Asked | undefined {
  let asked: Asked | undefined
  const program = rootOf(style)
  const made = new Map<string, Commander>()
  for (const command of commands) {
    const [last = '', ...before] = command.name.split(' ').reverse()
    const group = before.length === 0 ? program : groupOf(before.join(' '), { program, made, style })
    const sub = group.command(last, { hidden: command.hidden === true }).summary(command.summary)
    made.set(command.name, sub)
    sub.description(`${sentence(command.summary)}${command.details === undefined ? '' : `\n\n${command.details}`}`)
    for (const { name, about } of command.arguments ?? []) sub.argument(name, about)
    for (const { flags, about, many } of command.options ?? []) {
      if (many === true) sub.option(flags, about, (value: string, before: string[] = []) => [...before, value])
      else sub.option(flags, about)
    }
    common(sub)
    sub.action(() => {
      asked = askedOf(command, sub, [program, group])
    })
  }
  try {
    program.parse(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.help') style.show(helpOf(made, words))
    if (error.exitCode === 0 || error.code === 'commander.help') return undefined
    throw cliError('usage', complaintOf(error))
  }
  return asked
}

// A word that only other words follow was given alone: that is a question.
function helpOf(made: ReadonlyMap<string, Commander>, words: readonly string[]): string {
  const name = words.find((word) => made.has(word))
  return name === undefined ? '' : (made.get(name)?.helpInformation() ?? '')
}

// A word that other words follow: a command of its own, such as `roles`, or one that only lists what there is.
function groupOf(name: string, { program, made, style }: Making): Commander {
  const found = made.get(name)
  if (found !== undefined) return found
  const summary = style.groups[name] ?? ''
  const group = common(program.command(name).summary(summary).description(sentence(summary)))
  group.usage('<command> [options]').helpCommand('help [command]', 'show the help of a command')
  made.set(name, group)
  return group
}

interface Making {
  readonly program: Commander
  readonly made: Map<string, Commander>
  readonly style: HelpStyle
}

function rootOf({ width, show, version }: HelpStyle): Commander {
  const program = new Commander('constancia')
  program.description(
    'Starts, follows and mends the runs of a project; constancia.config.ts names its store and flows.',
  )
  program.usage('<command> [options]').version(version, '-V, --version', 'show the version')
  program.enablePositionalOptions().exitOverride().showSuggestionAfterError(true)
  program.configureOutput({
    writeOut: show,
    writeErr: () => undefined,
    getOutHelpWidth: () => width,
    getErrHelpWidth: () => width,
  })
  program.configureHelp({ subcommandTerm: (sub) => sub.name(), minWidthToWrap: 20 })
  program.helpCommand('help [command]', 'show the help of a command')
  program.addHelpText('after', `\n${exitCodeHelp()}`)
  return common(program)
}

function common(command: Commander): Commander {
  return command
    .option('-c, --config <file>', 'the configuration; the nearest constancia.config.ts unless set')
    .option('--json', 'data as JSON: a document, or a line for each of many')
    .option('--no-color', 'without colours; so do NO_COLOR and output that is no terminal')
    .helpOption('-h, --help', 'show this help')
}

function askedOf(command: Command, sub: Commander, above: readonly Commander[]): Asked {
  const levels = [...above, sub].map((level) => level.opts())
  const given = Object.assign({}, ...levels.map(definedOf)) as Record<string, unknown>
  const color = levels.every((level) => level['color'] !== false)
  const last = command.arguments?.at(-1)
  const places: readonly unknown[] = sub.processedArgs
  const isMany = last !== undefined && isVariadic(last)
  const list = isMany ? ((places.at(-1) as string[] | undefined) ?? []) : []
  const words = (isMany ? places.slice(0, -1) : places) as readonly string[]
  return { command, words, list, options: new Options({ ...given, color }) }
}

function definedOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function isVariadic({ name }: Argument): boolean {
  return name.includes('...')
}

function complaintOf({ message }: CommanderError): string {
  const text = sentence(message.replace(/^error: /, '').replaceAll('\n', ' '))
  return `${text} Nothing was done; constancia --help lists what there is.`
}

function sentence(text: string): string {
  const whole = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(whole) ? whole : `${whole}.`
}

function exitCodeHelp(): string {
  const lines = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`)
  return ['Exit codes:', ...lines].join('\n')
}
