import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../store/index.js'
import type { Call } from './command.js'
import { commands, groups } from './commands/index.js'
import { type FoundConfig, findConfig, HandOver, loadConfig } from './config.js'
import { codeOf, messageOf } from './errors.js'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.js'
import { type Load, ownCopy } from './modules.js'
import { type Asked, readWords } from './program.js'
import { withRuntime } from './session.js'
import { ReaderLeft, Terminal } from './terminal.js'
import { printableLines } from './text.js'

/** What the command line is given by the script that starts it. */
export interface MainParts {
  /** Imports a module, as only a file can do that is not checked for what it imports. */
  readonly load: Load
}

/** The command line: reads the words of this process, does what they say, and ends the process. */
export async function main({ load }: MainParts): Promise<void> {
  const terminal = new Terminal(process, process.env)
  terminal.interrupts.listen()
  let exitCode: ExitCode
  try {
    exitCode = await obey(process.argv.slice(2), terminal, load)
  } catch (error) {
    if (error instanceof HandOver) return handOver(error, load)
    exitCode = complain(terminal, error)
  }
  await terminal.flush()
  process.exit(exitCode)
}

async function handOver({ commandLine }: HandOver, load: Load): Promise<void> {
  const other = (await load(commandLine)) as { readonly main: typeof main }
  return other.main({ load })
}

async function obey(words: readonly string[], terminal: Terminal, load: Load): Promise<ExitCode> {
  let help = ''
  const show = (text: string): void => {
    help += text
  }
  const asked = readWords(commands, words.length === 0 ? ['--help'] : words, {
    width: terminal.width,
    show,
    version: ownVersion(),
    groups,
  })
  if (asked === undefined) {
    await terminal.print(help.trimEnd())
    return exitCodes.done
  }
  if (!asked.options.flag('color')) terminal.dropColours()
  return asked.command.act(callOf(asked, terminal, load))
}

function callOf({ words, list, options }: Asked, terminal: Terminal, load: Load): Call {
  const folder = process.cwd()
  let found: Promise<FoundConfig> | undefined
  const config = (): Promise<FoundConfig> => {
    found ??= (async () => loadConfig(findConfig(folder, options.text('config')), load))()
    return found
  }
  return {
    words,
    list,
    options,
    terminal,
    isJson: options.flag('json'),
    folder,
    now: () => systemClock.now(),
    config,
    otherConfig: async (file) => loadConfig(findConfig(folder, file), load),
    withRuntime: async (how, use) => {
      const project = await config()
      return withRuntime({ found: project, how, terminal }, (runtime) => use(runtime, project))
    },
  }
}

function complain(terminal: Terminal, error: unknown): ExitCode {
  // Whoever reads our output has enough.
  if (error instanceof ReaderLeft) return exitCodes.done
  const code = codeOf(error)
  if (code !== undefined) {
    const [first, ...rest] = printableLines(messageOf(error)).split('\n')
    terminal.say([`constancia: ${first} [${code}]`, ...rest].join('\n'))
    return exitCodeOf(code)
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  terminal.say(
    `constancia: Unexpected, perhaps a bug; please report it with these lines. Runs are in their journals.\n${printableLines(stack)}`,
  )
  return exitCodes.fault
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(join(ownCopy(), 'package.json'), 'utf8')) as { readonly version: string }).version
}
