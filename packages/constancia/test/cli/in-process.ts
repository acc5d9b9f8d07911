import { PassThrough } from 'node:stream'
import type { Call, Command } from '../../dist/cli/command.js'
import { commands, groups } from '../../dist/cli/commands/index.js'
import { codeOf, messageOf } from '../../dist/cli/errors.js'
import { exitCodeOf } from '../../dist/cli/exit-codes.js'
import { readWords } from '../../dist/cli/program.js'
import { withRuntime } from '../../dist/cli/session.js'
import { Terminal } from '../../dist/cli/terminal.js'
import type { Config } from '../../dist/governance/index.js'
import type { Ended } from './project.js'

/** How a command is given in this process. */
export interface GivenHere {
  readonly folder: string
  readonly config: Config
  /** What somebody at a terminal answers; there is no terminal unless set. */
  readonly answer?: string
  /** Standard input. */
  readonly input?: string
}

/**
 * Gives a command in this process, as `main` does, with a configuration that is loaded already: where many words are tried, a
 * process for each would cost more than it shows.
 */
export async function give(words: readonly string[], given: GivenHere): Promise<Ended> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  for (const stream of Object.values(streams)) Object.assign(stream, { isTTY: given.answer !== undefined, columns: 80 })
  const [stdout, stderr] = [textOf(streams.stdout), textOf(streams.stderr)]
  if (given.answer === undefined) streams.stdin.end(given.input ?? '')
  else streams.stdin.write(`${given.answer}\n`)
  const terminal = new Terminal(streams as never, { NO_COLOR: '1' })
  const code = await obey(words, terminal, given).catch((error: unknown) => {
    terminal.say(`${messageOf(error)} [${codeOf(error)}]`)
    return exitCodeOf(codeOf(error))
  })
  return { code, stdout: stdout(), stderr: stderr() }
}

function textOf(stream: PassThrough): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  return () => text
}

async function obey(words: readonly string[], terminal: Terminal, given: GivenHere): ReturnType<Command['act']> {
  const asked = readWords(commands, words, { width: 80, show: () => undefined, version: '0', groups })
  if (asked === undefined) throw new Error('Only help was asked for.')
  const found = { file: 'constancia.config.mjs', folder: given.folder, config: given.config }
  const call: Call = {
    ...asked,
    terminal,
    isJson: asked.options.flag('json'),
    folder: given.folder,
    now: () => Date.now(),
    config: async () => found,
    otherConfig: async () => found,
    withRuntime: (how, use) => withRuntime({ found, how, terminal }, (runtime) => use(runtime, found)),
  }
  return asked.command.act(call)
}
