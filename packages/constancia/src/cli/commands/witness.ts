import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isKeyName, type VerifierKey, witnessKeyText } from '@constancia/verify'
import { days } from '../../engine/index.js'
import type { Signer } from '../../evidence/index.js'
import { keyFile } from '../../evidence/index.js'
import { keyOf, newKey, signerFrom } from '../../evidence/log/index.js'
import { serveWitness, Witness } from '../../evidence/witness/index.js'
import { type Contradiction, systemClock, type WitnessedHead, type WitnessState } from '../../store/index.js'
import { makeWitnessFile, openWitnessFile } from '../../store/sqlite/index.js'
import type { Call, Command } from '../command.js'
import { momentText } from '../durations.js'
import { cliError, messageOf } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { writeWhole } from '../files.js'
import { pause } from '../follow.js'
import { tableLines } from '../table.js'
import { counted, printable } from '../text.js'

const folderArgument = { name: '<folder>', about: 'where the witness keeps its key and what it has cosigned' }

const newCommand: Command = {
  name: 'witness new',
  summary: 'make a witness, and print its key',
  details:
    'For whoever checks an operator, on a machine of their own. Writes a key that only its owner may read, and an empty memory; prints the key that logs and verifiers are given. ' +
    'A witness without its memory must not cosign any more: never put it back from a backup, make a new one.\n\nExample:  constancia witness new ./witness --name auditor.example/w1',
  arguments: [folderArgument],
  options: [{ flags: '--name <name>', about: 'its name: best a domain and a path of yours' }],
  act: async (call) => {
    const name = call.options.text('name') ?? ''
    if (!isKeyName(name))
      throw cliError('usage', 'A witness needs a --name: 1 to 200 of A-Z a-z 0-9 . _ : ~ / -. Nothing was done.')
    const { folder, key, memory } = placesOf(call)
    if (existsSync(key) || existsSync(memory))
      throw cliError('file_exists', `${folder} has a witness already. Nothing was done; choose another folder.`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { signerKey } = newKey(name)
    makeWitnessFile(memory)
    writeWhole(call, key, signerKey)
    chmodSync(key, 0o600)
    const text = witnessKeyText((await ownKey(key)).key)
    await call.terminal.print(call.isJson ? JSON.stringify({ key: text, folder }) : text)
    return exitCodes.done
  },
}

const serveCommand: Command = {
  name: 'witness serve',
  summary: 'cosign checkpoints of logs that go on from what was cosigned before',
  details:
    'Listens for POST /add-checkpoint (C2SP tlog-witness) until a signal ends it. Of each log it needs the verifier keys; a log with another key has to be named anew. Nothing is known of ' +
    'who sends: what counts is what the log has signed. Put it behind a proxy with TLS to be reached from elsewhere. With --json: a line with its url.\n\n' +
    'Example:  constancia witness serve ./witness --log example.org/books+1f2e3d4c+AR…',
  arguments: [folderArgument],
  options: [
    { flags: '--log <key>', about: 'a verifier key of a log, or a file with one; may be repeated', many: true },
    { flags: '--host <host>', about: 'where it listens; 127.0.0.1 unless set' },
    { flags: '--port <port>', about: '8793 unless set; 0 for one that is free' },
  ],
  act: async (call) => {
    const logs = call.options.texts('log').map((text) => textOf(call, text))
    if (logs.length === 0) throw cliError('usage', 'Which logs? Say it with --log. Nothing was started.')
    const port = portOf(call)
    const { key: keyPath, memory } = placesOf(call)
    const { key, signer } = await ownKey(keyPath)
    const state = openWitnessFile(memory)
    try {
      const witness = await Witness.of({ key, signer, logs, state, clock: systemClock })
      await serve(call, witness, { host: call.options.text('host') ?? '127.0.0.1', port })
    } finally {
      state.close()
    }
    return exitCodes.done
  },
}

async function serve(
  call: Call,
  witness: Witness,
  where: { readonly host: string; readonly port: number },
): Promise<void> {
  const { terminal } = call
  const { interrupts } = terminal
  const onFault = (error: unknown): void =>
    terminal.say(`witness: nothing was cosigned (${printable(messageOf(error))})`)
  const endpoint = await serveWitness(witness, { ...where, onFault }).catch((cause: unknown) => {
    throw cliError(
      'usage',
      `Nobody can listen at ${where.host}, port ${where.port} (${messageOf(cause)}). Nothing was started.`,
      { cause },
    )
  })
  terminal.say(`witness: ${witness.key} is up at ${endpoint.url} for ${witness.origins.map(printable).join(', ')}`)
  if (call.isJson)
    await terminal.tell(JSON.stringify({ kind: 'up', url: endpoint.url, key: witness.key, logs: witness.origins }))
  while (!interrupts.isInterrupted) await pause(days(1), interrupts.signal)
  await endpoint.close()
  terminal.say('witness: ended')
}

const showCommand: Command = {
  name: 'witness',
  summary: 'show what a witness has cosigned, and what contradicts it',
  details:
    'Of each log the greatest checkpoint that was cosigned; then what a log has signed that does not go on from there, which is proof against whoever signed it: a fork has the same size ' +
    'and another root. --checkpoint prints the note, for constancia verify --checkpoint. With --json: a line for each, told apart by kind. Exit code 15 where a fork was seen.',
  arguments: [folderArgument],
  options: [{ flags: '--checkpoint <origin>', about: 'print the checkpoint of this log that was cosigned' }],
  act: async (call) => {
    const state = openWitnessFile(placesOf(call).memory, { isLookOnly: true })
    try {
      const origin = call.options.text('checkpoint')
      if (origin !== undefined) return await printCheckpoint(call, state, origin)
      await (call.isJson ? printJson(call, state) : printTables(call, state))
      return state.contradictions().some(({ kind }) => kind === 'fork') ? exitCodes.forged : exitCodes.done
    } finally {
      state.close()
    }
  },
}

async function printCheckpoint(call: Call, state: WitnessState, origin: string): Promise<typeof exitCodes.done> {
  const last = state.last(origin)
  if (last === undefined) throw cliError('usage', `This witness has cosigned nothing of ${JSON.stringify(origin)}.`)
  await call.terminal.print(last.note.replace(/\n$/, ''))
  return exitCodes.done
}

async function printJson({ terminal }: Call, state: WitnessState): Promise<void> {
  for (const head of state.all()) await terminal.print(JSON.stringify({ kind: 'cosigned', ...head }))
  for (const one of state.contradictions()) await terminal.print(JSON.stringify(one))
}

async function printTables(call: Call, state: WitnessState): Promise<void> {
  const heads = state.all()
  if (heads.length === 0) call.terminal.say('It has cosigned nothing yet.')
  else await printTable(call, ['LOG', 'LEAVES', 'ROOT', 'COSIGNED'], heads.map(cellsOf))
  const contradictions = state.contradictions()
  if (contradictions.length === 0) return
  call.terminal.say(`${counted(contradictions.length, 'checkpoint')} did not go on from what was cosigned:`)
  const rows = contradictions.map((one: Contradiction) => [one.kind, ...cellsOf(one)])
  await printTable(call, ['WHAT', 'LOG', 'LEAVES', 'ROOT', 'SEEN'], rows)
}

function cellsOf({ origin, size, root, seconds }: WitnessedHead): string[] {
  return [printable(origin), String(size), root.slice(0, 16), momentText(seconds * 1_000)]
}

async function printTable({ terminal }: Call, titles: readonly string[], rows: string[][]): Promise<void> {
  const columns = titles.map((title) => ({ title }))
  const { paint, width } = terminal
  for (const line of tableLines({ columns, rows, width, title: paint.faint })) await terminal.print(line)
}

function placesOf(call: Call): { readonly folder: string; readonly key: string; readonly memory: string } {
  const [name = ''] = call.words
  const folder = resolve(call.folder, name)
  return { folder, key: join(folder, 'witness.key'), memory: join(folder, 'cosigned.db') }
}

// The name of the key is in its text: nobody has to say it again.
async function ownKey(file: string): Promise<{ readonly key: VerifierKey; readonly signer: Signer }> {
  const source = keyFile(file)
  const signer = await signerFrom(source)
  const name = /^PRIVATE\+KEY\+(?<name>[^+\s]+)\+/.exec(source.read())?.groups?.['name'] ?? ''
  if (!isKeyName(name))
    throw cliError(
      'usage',
      `${file} names no witness: it has to be what constancia witness new writes. Nothing was done.`,
    )
  return { key: keyOf(name, signer), signer }
}

function textOf(call: Call, text: string): string {
  const file = resolve(call.folder, text)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : text
}

const portUsual = 8_793

function portOf(call: Call): number {
  const port = call.options.integer('port') ?? portUsual
  if (port >= 0 && port <= 65_535) return port
  throw cliError('usage', `--port takes a number from 0 to 65535, but it was ${port}. Nothing was started.`)
}

/** `constancia witness`: what an auditor runs beside an operator. */
export const witnessCommands: readonly Command[] = [showCommand, newCommand, serveCommand]
