import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DeclaredContract } from '@constancia/verify'
import { type ContractChange, readContract } from '../governance/index.js'
import type { ContractStanding } from '../governance/presentation/index.js'
import type { Call } from './command.js'
import { hasDatabase } from './database.js'
import { cliError, messageOf } from './errors.js'
import { withGovernance } from './governing.js'
import { printable } from './text.js'

/** A contract that a call is about. */
export interface NamedContract {
  readonly declared: DeclaredContract
  readonly digest: string
  /** Where it comes from, for people: `the configuration`. */
  readonly origin: string
}

/** Words that stand for contracts, for the help of commands. */
export const contractWords =
  'config, in-force, a digest or the beginning of one, or a file that show --format json made'

/** A contract that was put in force. */
export interface ActivatedContract {
  readonly declared: DeclaredContract
  readonly digest: string
  /** UTC milliseconds since 1970. */
  readonly atMs: number
}

/** All contracts that were ever put in force, the first one first; none where there is no database yet. */
export async function activations(call: Call): Promise<readonly ActivatedContract[]> {
  if (!hasDatabase(await call.config())) return []
  const changes = await withGovernance(call, ({ governance }) => governance.contracts())
  return changes.filter(({ kind }) => kind === 'activated').map(activatedOf)
}

function activatedOf({ digest, atMs, contract }: ContractChange): ActivatedContract {
  return { declared: JSON.parse(contract?.text ?? '') as DeclaredContract, digest, atMs }
}

/** Finds the contract that a word stands for. Throws `config_invalid`, `unknown_contract`, `ambiguous_id`, `file_failed`, `usage`. */
export async function findContract(call: Call, word: string): Promise<NamedContract> {
  if (word === 'config') return contractOfConfig(call)
  if (word === 'in-force') return inForce(await activations(call))
  if (/^[0-9a-f]{4,64}$/.test(word)) return byDigest(await activations(call), word)
  return ofFile(call, word)
}

/** The contract of the configuration. Throws `config_invalid` where there is none. */
export async function contractOfConfig(call: Call): Promise<NamedContract> {
  const { config, file } = await call.config()
  if (config.contract === undefined) {
    const message = `${file} has no contract. Nothing was done; add contract: contract({ ... }) to it.`
    throw cliError('config_invalid', message)
  }
  const { declared, digest } = config.contract
  return { declared, digest, origin: 'the configuration' }
}

/** What is to be said of a contract: whether it is in force, and what is. */
export function standingOf(digest: string, all: readonly ActivatedContract[]): ContractStanding {
  const last = all.at(-1)
  if (last === undefined) return { kind: 'not_in_force', inForce: undefined }
  const own = all.findLast((activation) => activation.digest === digest)
  if (own === last) return { kind: 'in_force', sinceMs: own.atMs }
  const now = { name: last.declared.name, version: last.declared.version, digest: last.digest }
  if (own === undefined) return { kind: 'not_in_force', inForce: now }
  return { kind: 'was_in_force', sinceMs: own.atMs, inForce: now }
}

function inForce(all: readonly ActivatedContract[]): NamedContract {
  const last = all.at(-1)
  if (last !== undefined) return { declared: last.declared, digest: last.digest, origin: 'in force' }
  throw cliError('unknown_contract', 'No contract is in force yet. Nothing was done.')
}

function byDigest(all: readonly ActivatedContract[], beginning: string): NamedContract {
  const fitting = new Map(all.filter(({ digest }) => digest.startsWith(beginning)).map((one) => [one.digest, one]))
  const [first, second] = fitting.values()
  if (first === undefined) {
    const message = `No contract whose digest begins with ${beginning} was ever in force. Nothing was done.`
    throw cliError('unknown_contract', message)
  }
  if (second === undefined) return { declared: first.declared, digest: first.digest, origin: 'the store' }
  const lines = [...fitting.values()].map(
    ({ digest, declared }) => `  ${digest}  ${printable(`${declared.name} ${declared.version}`)}`,
  )
  const message = `${beginning} fits ${lines.length} contracts. Nothing was done; give more of the digest.`
  throw cliError('ambiguous_id', [message, ...lines].join('\n'))
}

function ofFile(call: Call, word: string): NamedContract {
  const file = resolve(call.folder, word)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const message = `${JSON.stringify(word)} names no contract: it is no digest, and ${file} cannot be read (${messageOf(cause)}). Nothing was done.`
    throw cliError('file_failed', message, { cause })
  }
  const read = readContract(text)
  if (typeof read !== 'string') return { ...read, origin: file }
  throw cliError(
    'usage',
    `${file} holds no contract: ${printable(read)}. Nothing was done; show --format json writes one.`,
  )
}
