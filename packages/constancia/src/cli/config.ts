import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Config } from '../governance/index.js'
import { cliError, messageOf } from './errors.js'
import { commandLineOf, copyFor, type Load, loadDefault, ownCopy } from './modules.js'

/** The names that a configuration may have, in the order in which they are looked for. */
export const configNames = ['ts', 'mts', 'js', 'mjs'].map((extension) => `constancia.config.${extension}`)

/** A project's configuration, and where it was found. */
export interface FoundConfig {
  readonly file: string
  /** What paths in it are relative to. */
  readonly folder: string
  readonly config: Config
}

/** Thrown where the project has a copy of this package of its own: its flows need that one, so it has to go on. */
export class HandOver extends Error {
  override readonly name = 'HandOver'
  readonly commandLine: string

  constructor(commandLine: string) {
    super('The project has a copy of its own.')
    this.commandLine = commandLine
  }
}

/**
 * Finds the configuration: the file given, or the nearest of {@link configNames} from the folder upwards. Throws
 * `config_missing`, which says what was looked for.
 */
export function findConfig(folder: string, given: string | undefined): string {
  if (given !== undefined) {
    const file = resolve(folder, given)
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file
    throw cliError('config_missing', `There is no file ${file}. Nothing was done; correct --config, or leave it out.`)
  }
  for (let at = folder; ; at = dirname(at)) {
    const name = configNames.find((candidate) => existsSync(join(at, candidate)))
    if (name !== undefined) return join(at, name)
    if (dirname(at) === at) break
  }
  throw cliError(
    'config_missing',
    `There is no ${configNames.slice(0, -1).join(', ')} or ${configNames.at(-1)} in ${folder} or above it, so nobody knows the ` +
      'store and the flows. Nothing was done. Go to your project, name a file with --config, or make one with: constancia init',
  )
}

/** Loads a configuration. Throws `config_invalid`, which names the file and the reason, or {@link HandOver}. */
export async function loadConfig(file: string, load: Load): Promise<FoundConfig> {
  const copy = copyFor(file)
  if (copy !== undefined && copy !== ownCopy()) throw new HandOver(commandLineOf(copy))
  const folder = dirname(file)
  // A database beside the configuration is the same one wherever the command is given.
  process.chdir(folder)
  let config: unknown
  try {
    config = await loadDefault(file, load)
  } catch (error) {
    throw invalid(file, `cannot be loaded: ${reasonOf(error, folder)}`, error)
  }
  const problem = problemOf(config)
  if (problem !== undefined) throw invalid(file, problem)
  return { file, folder, config: config as Config }
}

function problemOf(config: unknown): string | undefined {
  if (typeof config !== 'object' || config === null) {
    return 'has no default export; it should say: export default defineConfig({ store: sqlite({ file }), flows: [...] })'
  }
  const { store, flows, contract } = config as Readonly<Record<'store' | 'flows' | 'contract', unknown>>
  if (typeof store !== 'function')
    return 'names no store; it should say, for instance: store: sqlite({ file: "app.db" })'
  if (!Array.isArray(flows)) return 'names no flows; it should say: flows: [...], an empty list if there are none yet'
  const odd = flows.findIndex((flow) => typeof (flow as { run?: unknown } | null)?.run !== 'function')
  if (odd === -1 && contract !== undefined && !isContract(contract))
    return 'has something as its contract that is not made by contract({...})'
  return odd === -1 ? undefined : `has something in flows, at place ${odd + 1}, that is not made by flow({...})`
}

function isContract(value: unknown): boolean {
  return typeof (value as { declared?: unknown } | null)?.declared === 'object'
}

function invalid(file: string, problem: string, cause?: unknown): Error {
  return cliError('config_invalid', `${file} ${problem}. Nothing was done.`, cause === undefined ? {} : { cause })
}

// The first place in the project's own files says more than a stack of the loader.
function reasonOf(error: unknown, folder: string): string {
  const message = messageOf(error).trim()
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const places = [...stack.matchAll(/(?:file:\/\/)?(\/[^\s()]+:\d+(?::\d+)?)/g)].map(([, place]) => place ?? '')
  const place = places.find((candidate) => candidate.startsWith(`${folder}/`) && !candidate.includes('/node_modules/'))
  const kind = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : ''
  const hint = /Cannot find (module|package) 'constancia/.test(message)
    ? '; install it in this project: npm install constancia'
    : ''
  const where = place === undefined || message.includes(place) ? '' : ` (at ${relative(folder, place)})`
  return `${kind}${message}${where}${hint}`
}
