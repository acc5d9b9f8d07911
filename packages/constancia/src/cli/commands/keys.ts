import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type LoggedKey, type LogKey, logKey, newKey, signerOf } from '../../evidence/log/index.js'
import type { Call, Command } from '../command.js'
import { momentText } from '../durations.js'
import { cliError, messageOf } from '../errors.js'
import { configuredKey, evidenceOf } from '../evidence.js'
import { exitCodes } from '../exit-codes.js'
import { writeWhole } from '../files.js'
import { asOption, operatorOf, withGovernance } from '../governing.js'
import { tableLines } from '../table.js'

const recorded = 'For administrators. Whoever may not is refused with exit code 5, and the attempt is recorded.'

const newCommand: Command = {
  name: 'keys new',
  summary: 'make a key for the log, and print its public part',
  details:
    'Writes the private part to a file that only its owner may read, and prints the verifier key: that is what auditors are given. It signs nothing until the ' +
    'configuration names it (the first key), or keys rotate has added it.\n\nExample:  constancia keys new log.key',
  arguments: [{ name: '<file>', about: 'where the private key goes; it must not be there yet' }],
  options: [{ flags: '--origin <origin>', about: 'the name of the log; that of the configuration unless set' }],
  act: async (call) => {
    const origin = call.options.text('origin') ?? (await evidenceOf(call)).origin
    const [name = ''] = call.words
    const file = resolve(call.folder, name)
    if (existsSync(file))
      throw cliError(
        'file_exists',
        `${file} is there already, and may be a key. Nothing was done; choose another name.`,
      )
    const { signerKey, verifierKey } = newKey(origin)
    writeWhole(call, name, signerKey)
    chmodSync(file, 0o600)
    await call.terminal.print(call.isJson ? JSON.stringify({ key: verifierKey, file }) : verifierKey)
    return exitCodes.done
  },
}

const listCommand: Command = {
  name: 'keys',
  summary: 'show the keys that sign or signed for the log',
  details: 'The first of them first. With --json: one line for each.',
  act: async (call) => {
    const keys = await withGovernance(call, ({ governance }) => governance.keys.list())
    if (call.isJson) for (const key of keys) await call.terminal.print(JSON.stringify(key))
    else if (keys.length > 0) await printTable(call, keys)
    if (keys.length === 0) call.terminal.say('The log has no key yet: the first worker with evidence adds its own.')
    return exitCodes.done
  },
}

async function printTable(call: Call, keys: readonly LoggedKey[]): Promise<void> {
  const { paint, width } = call.terminal
  const columns = ['KEY', 'STATE', 'SINCE'].map((title) => ({ title }))
  const rows = keys.map(({ key, state, lastGoodSize, addedAtMs }) => {
    const told = lastGoodSize === undefined ? state : `${state}, good up to ${lastGoodSize}`
    return [key, told, momentText(addedAtMs)]
  })
  for (const line of tableLines({ columns, rows, width, title: paint.faint })) await call.terminal.print(line)
}

const rotateCommand: Command = {
  name: 'keys rotate',
  summary: 'add a key, vouched for by the one that signs now',
  details:
    `Both may sign from then on. Give the new one to the workers, and retire the old one once all of them have it. ${recorded}\n\n` +
    'Example:  constancia keys rotate new.key --as ann',
  arguments: [{ name: '<file>', about: 'the private part of the new key' }],
  options: [asOption],
  act: async (call) => {
    const endorser = await configuredKey(call)
    const added = keyIn(call, endorser.origin)
    await withGovernance(call, ({ governance }) => governance.keys.add({ added, endorser, by: operatorOf(call) }))
    call.terminal.say('The key may sign from now on; so may the one before.')
    await call.terminal.print(call.isJson ? JSON.stringify({ key: added.key.text }) : added.key.text)
    return exitCodes.done
  },
}

function keyIn(call: Call, origin: string): LogKey {
  const file = resolve(call.folder, call.words[0] ?? '')
  try {
    return logKey(origin, signerOf(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw cliError('usage', `The key in ${file} cannot be used (${messageOf(cause)}). Nothing was done.`, { cause })
  }
}

const retireCommand: Command = {
  name: 'keys retire',
  summary: 'end a key: it signs nothing any more',
  details:
    `What it signed stays good, but for a key that somebody else may have: --compromised says up to which checkpoint it was certainly yours, and nothing ` +
    `it signed beyond that counts, whenever it was signed. ${recorded}`,
  arguments: [{ name: '<key>', about: 'the whole verifier key, as constancia keys shows it' }],
  options: [
    asOption,
    { flags: '--compromised <size>', about: 'the size of the last checkpoint that is certainly good; 0 for none' },
  ],
  act: async (call) => {
    const [key = ''] = call.words
    const size = call.options.integer('compromised')
    const lastGood = size === undefined ? {} : { lastGoodSize: size }
    await withGovernance(call, ({ governance }) => governance.keys.end({ key, by: operatorOf(call), ...lastGood }))
    call.terminal.say(
      size === undefined ? 'The key is retired.' : `What the key signed counts up to checkpoints of ${size} leaves.`,
    )
    return exitCodes.done
  },
}

/** `constancia keys`: the keys of the log. */
export const keysCommands: readonly Command[] = [listCommand, newCommand, rotateCommand, retireCommand]
