import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CheckName, checkNames, type Report, type VerdictOfFile, verifyBundle } from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import type { Call, Command } from '../command.js'
import { cliError, messageOf } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { printable } from '../text.js'

const codes: Readonly<Record<VerdictOfFile, ExitCode>> = {
  proven: exitCodes.done,
  forged: exitCodes.forged,
  unverifiable: exitCodes.unverifiable,
  incomplete: exitCodes.incomplete,
  unsealed: exitCodes.unsealed,
  unreadable: exitCodes.unreadable,
}

/** `constancia verify`: what a file proves, without a store, a network, or trust in whoever made it. */
export const verifyCommand: Command = {
  name: 'verify',
  summary: 'verify a file that constancia prove wrote: needs that file and a public key, and nothing else',
  details:
    'Lists every check, whether it passed, failed or was not evaluated, and what the file does not prove. Exit codes tell forged, of another key, incomplete, not sealed and ' +
    'unreadable apart. With --json: the report as one document.\n\nExample:  constancia verify pay-4711.proof --key example.org/books+1f2e3d4c+AR…',
  arguments: [{ name: '<file>', about: 'the file; - for standard input' }],
  options: [
    {
      flags: '--key <key>',
      about: 'a verifier key that you trust, or a file with one; not from the file itself',
      many: true,
    },
    { flags: '--origin <origin>', about: 'the log that it has to be of; the name of the key unless set' },
    { flags: '--checkpoint <file>', about: 'a checkpoint of this log that you have kept' },
    { flags: '--require <check>', about: 'a check that has to be evaluated, or several with commas', many: true },
  ],
  act: async (call) => {
    const report = await reportOf(call)
    if (call.isJson) await call.terminal.print(JSON.stringify(report))
    else await printReport(call, report)
    return codes[report.verdict]
  },
}

async function reportOf(call: Call): Promise<Report> {
  const keys = call.options.texts('key').map((text) => keyOf(call, text))
  const [first] = keys
  if (first === undefined) throw cliError('usage', 'Whose key do you trust? Say it with --key. Nothing was verified.')
  const origin = call.options.text('origin') ?? first.split('+')[0] ?? ''
  const kept = call.options.text('checkpoint')
  const earlier = kept === undefined ? {} : { earlier: textIn(call, kept) }
  try {
    return await verifyBundle(sourceOf(call), {
      crypto: nodeCrypto,
      keys,
      origin,
      require: requiredOf(call),
      ...earlier,
    })
  } catch (cause) {
    if (cause instanceof RangeError) throw cliError('usage', `${cause.message} Nothing was verified.`, { cause })
    const { syscall } = cause as { readonly syscall?: unknown }
    if (syscall === undefined) throw cause
    throw cliError('usage', `The file cannot be read (${messageOf(cause)}). Nothing was verified.`, { cause })
  }
}

function sourceOf(call: Call): AsyncIterable<Uint8Array> {
  const [name = ''] = call.words
  return name === '-' ? process.stdin : createReadStream(resolve(call.folder, name))
}

function keyOf(call: Call, text: string): string {
  const file = resolve(call.folder, text)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : text
}

function textIn(call: Call, name: string): string {
  try {
    return readFileSync(resolve(call.folder, name), 'utf8')
  } catch (cause) {
    throw cliError('usage', `The checkpoint ${name} cannot be read (${messageOf(cause)}). Nothing was verified.`, {
      cause,
    })
  }
}

function requiredOf(call: Call): readonly CheckName[] {
  return call.options.texts('require').flatMap((text) =>
    text.split(',').map((name) => {
      const known = checkNames.find((one) => one === name)
      if (known !== undefined) return known
      throw cliError(
        'usage',
        `There is no check ${JSON.stringify(name)}; there are ${checkNames.join(', ')}. Nothing was verified.`,
      )
    }),
  )
}

const marks = { passed: 'ok', failed: 'FAILED', not_evaluated: 'not evaluated' } as const

async function printReport(call: Call, report: Report): Promise<void> {
  const { terminal } = call
  const { verdict, checks, runs, seal, notProven } = report
  const { paint } = terminal
  await terminal.print(verdict === 'proven' ? paint.good('proven') : paint.bad(verdict))
  for (const { name, result, reasons, reasonCount } of checks) {
    await terminal.print(`  ${name.padEnd(12)} ${marks[result]}`)
    for (const { message, stream, seq } of reasons) {
      const where = [stream, seq === undefined ? undefined : `event ${seq}`]
        .filter((one) => one !== undefined)
        .join(' ')
      await terminal.print(printable(`    ${where === '' ? '' : `${where}: `}${message}`))
    }
    if (reasonCount > reasons.length) await terminal.print(`    and ${reasonCount - reasons.length} more`)
  }
  for (const { run, sealedSeq, eventCount, ended } of runs)
    await terminal.print(
      printable(`  run ${run}: ${eventCount} events, sealed up to ${sealedSeq ?? 'none'}, ${ended ?? 'not ended'}`),
    )
  if (seal !== undefined) {
    const when =
      seal.seconds === undefined ? '' : `, made ${new Date(seal.seconds * 1_000).toISOString()} by the operator's clock`
    await terminal.print(
      printable(`  checkpoint of ${seal.size} leaves by ${seal.key ?? 'nobody who is known'}${when}`),
    )
  }
  await terminal.print('Not proven:')
  for (const one of notProven) await terminal.print(printable(`  ${one}`))
}
