import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type CheckName,
  type CheckResult,
  certificatesIn,
  checkNames,
  type ReceiptReport,
  type Report,
  type RunReport,
  type VerdictOfFile,
  verifyBundle,
} from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import type { Call, Command } from '../command.js'
import { momentText } from '../durations.js'
import { cliError, messageOf } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { printable, wrap } from '../text.js'

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
  summary: 'verify a bundle or a receipt: needs that file and a public key, and nothing else',
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
    {
      flags: '--tsa-certificate <file>',
      about: 'a certificate that you trust for time stamps: of an authority, or of who vouches for it',
      many: true,
    },
    {
      flags: '--witness <key>',
      about: 'the key of a witness that you trust, or a file with one; from the witness itself',
      many: true,
    },
    { flags: '--quorum <count>', about: 'how many of these witnesses it takes; all unless set' },
    {
      flags: '--require <check>',
      about: 'a check that has to be evaluated though it does not apply to such a file, or several with commas',
      many: true,
    },
    {
      flags: '--allow <check>',
      about: 'a check that need not have been evaluated, or several with commas: the rest is enough to you',
      many: true,
    },
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
  const earlier = kept === undefined ? {} : { earlier: fileIn(call, kept, 'checkpoint').toString('utf8') }
  const quorum = call.options.count('quorum')
  try {
    return await verifyBundle(sourceOf(call), {
      crypto: nodeCrypto,
      keys,
      origin,
      witnesses: call.options.texts('witness').map((text) => keyOf(call, text)),
      require: checksOf(call, 'require'),
      allow: checksOf(call, 'allow'),
      authorities: certificatesOf(call),
      ...earlier,
      ...(quorum === undefined ? {} : { quorum }),
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

function certificatesOf(call: Call): Uint8Array[] {
  return call.options.texts('tsaCertificate').flatMap((name) => certificatesIn(fileIn(call, name, 'certificate')))
}

function fileIn(call: Call, name: string, what: string): Buffer {
  try {
    return readFileSync(resolve(call.folder, name))
  } catch (cause) {
    throw cliError('usage', `The ${what} ${name} cannot be read (${messageOf(cause)}). Nothing was verified.`, {
      cause,
    })
  }
}

function checksOf(call: Call, option: 'require' | 'allow'): readonly CheckName[] {
  return call.options.texts(option).flatMap((text) =>
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

const marks = { failed: 'FAILED', not_evaluated: 'not evaluated', passed: 'ok' } as const
const markWidth = 13
const tokenCountMax = 20

async function printReport(call: Call, report: Report): Promise<void> {
  const { terminal } = call
  const { paint } = terminal
  const { verdict, notProven } = report
  await terminal.print(verdict === 'proven' ? paint.good(verdict) : paint.bad(verdict))
  const told = isOfUse(report) ? toldBy(call, report) : ['Nothing that it says is proven.']
  const seals = [...sealLines(call, report), ...witnessLines(call, report), ...tokenLines(call, report)]
  for (const line of [...checkLines(call, report), ...wayOut(call, report), ...seals, ...told])
    await terminal.print(line)
  if (!isOfUse(report)) return
  await terminal.print('not proven')
  for (const one of notProven) await terminal.print(wrapped(call, one, '  '))
}

// Whether what it says is worth reading: the answers of a forged file are whatever its forger wanted.
function isOfUse({ verdict }: Report): boolean {
  return verdict === 'proven' || verdict === 'incomplete' || verdict === 'unsealed'
}

// Each check by its name, those that did not pass with what is wrong and where.
function checkLines(call: Call, { checks }: Report): string[] {
  return (['failed', 'not_evaluated', 'passed'] as const).flatMap((result) => {
    const some = checks.filter((check) => check.result === result)
    if (some.length === 0) return []
    const begin = `  ${marks[result].padEnd(markWidth)}  `
    const names = wrap(
      some.map(({ name }) => name).join(', '),
      call.terminal.width - begin.length,
      ' '.repeat(begin.length),
    )
    const { paint } = call.terminal
    const head = begin + names
    return [result === 'failed' ? paint.bad(head) : head, ...some.flatMap((check) => reasonLines(call, check))]
  })
}

// Who withheld texts from an auditor is no forger: the auditor decides whether the rest is enough.
function wayOut(call: Call, { verdict, checks }: Report): string[] {
  const names = checks.filter(({ result }) => result === 'not_evaluated').map(({ name }) => name)
  if (verdict !== 'incomplete' || names.length === 0) return []
  return [wrapped(call, `If the rest is enough to you: --allow ${names.join(',')}`, '    ')]
}

function reasonLines(call: Call, { name, reasons, reasonCount }: CheckResult): string[] {
  const lines = reasons.map(({ message, stream, seq }) => {
    const where = [stream, seq === undefined ? undefined : `event ${seq}`].filter((one) => one !== undefined).join(' ')
    return wrapped(call, `${name}: ${where === '' ? '' : `${where}: `}${message}`, '    ')
  })
  return reasonCount > reasons.length ? [...lines, `    ${name}: and ${reasonCount - reasons.length} more`] : lines
}

// Each authority's own time, or why there is none: what the operator's clock says is nobody else's word.
function tokenLines(call: Call, { tokens }: Report): string[] {
  const label = `  ${'dated'.padEnd(markWidth)}  `
  return tokens.slice(0, tokenCountMax).map(({ size, result, why, authority, atMs = 0, accuracyMs }) => {
    const exactly = accuracyMs === undefined ? '' : `, give or take ${accuracyMs} ms`
    const text =
      result === 'valid'
        ? `by ${authority}: the first ${size} leaves were there at ${momentText(atMs)}${exactly}`
        : `${marks[result === 'refused' ? 'failed' : result]}: a token over ${size} leaves: ${why}`
    return label + wrapped(call, text, ' '.repeat(label.length)).trimStart()
  })
}

function sealLines(call: Call, { seal }: Report): string[] {
  if (seal === undefined) return []
  const { size, key, seconds } = seal
  const when = seconds === undefined ? '' : `, ${momentText(seconds * 1_000)} by the operator's clock`
  // The last part of a key is long, and whoever gave it knows it.
  const by = key === undefined ? 'nobody who is known' : key.split('+').slice(0, 2).join('+')
  const label = `  ${'sealed'.padEnd(markWidth)}  `
  return [label + wrapped(call, `by ${by}, ${size} leaves${when}`, ' '.repeat(label.length)).trimStart()]
}

// Each witness that was given, with how far it went; then whose lines say nothing.
function witnessLines(call: Call, { witnesses, unknownSigners }: Report): string[] {
  const label = `  ${'witnessed'.padEnd(markWidth)}  `
  const line = (text: string) => label + wrapped(call, text, ' '.repeat(label.length)).trimStart()
  const known = witnesses.map(({ name, size, seconds }) =>
    size === undefined
      ? `by ${name}: nothing`
      : `by ${name}, ${size} leaves, ${momentText((seconds ?? 0) * 1_000)} by its clock`,
  )
  const unknown = unknownSigners.map((signer) => `by ${signer}, whose key was not given: it says nothing`)
  return [...known, ...unknown].map(line)
}

function toldBy(call: Call, { runs, receipt }: Report): string[] {
  return receipt === undefined ? runs.flatMap((run) => runLines(call, run)) : receiptLines(call, receipt)
}

const carriedMax = 2_000

function receiptLines(call: Call, { stream, seq, kind, text, data }: ReceiptReport): string[] {
  const head = printable(`receipt of event ${seq} of ${stream.replace('/', ' ')} (${kind})`)
  const carries =
    data.kind === 'text'
      ? `It carries ${data.text.length > carriedMax ? `${data.text.slice(0, carriedMax)}… (--json shows all of it)` : data.text}`
      : `What it carries: ${data.kind}.`
  return [head, wrapped(call, text, '  '), wrapped(call, carries, '  ')]
}

const said = { unknown: 'not shown', none: 'none' } as const

const asked = {
  approval: 'Was the approval real?',
  authority: 'Was the person still authorised?',
  actor: 'Did it execute as the right actor?',
  once: 'Did it execute once?',
} as const

function runLines(call: Call, { run, eventCount, sealedSeq, ended, answers }: RunReport): string[] {
  const until = sealedSeq === undefined ? 'none of them sealed' : `sealed up to event ${sealedSeq}`
  const head = printable(`run ${run}: ${eventCount} events, ${until}; ${ended ?? 'it goes on'}`)
  const { paint } = call.terminal
  return [
    head,
    ...answers.flatMap(({ question, answer, text }) => [
      `  ${paint.strong(asked[question])} ${answer === 'yes' ? paint.good(answer) : answer === 'no' ? paint.bad(answer) : said[answer]}`,
      wrapped(call, text, '    '),
    ]),
  ]
}

function wrapped({ terminal }: Call, text: string, indent: string): string {
  return wrap(printable(text), terminal.width - indent.length).replaceAll(/^/gm, indent)
}
