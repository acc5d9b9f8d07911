import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  answerWords,
  type CheckName,
  type CheckResult,
  carriedText,
  certificatesIn,
  checkNames,
  isOfUse,
  meaningText,
  nothingIsProven,
  openChecks,
  questionWords,
  type ReceiptReport,
  type Report,
  type RunReport,
  reasonText,
  receiptText,
  resultWords,
  runText,
  sealText,
  tokenTexts,
  type VerdictOfFile,
  verdictWords,
  verifyBundle,
  witnessTexts,
} from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import type { Call, Command } from '../command.js'
import { cliError, messageOf } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { shownBytes } from '../progress.js'
import { printable, wrap } from '../text.js'
import { writePage } from '../verifier-page.js'

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
  arguments: [{ name: '[file]', about: 'the file; - for standard input' }],
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
    {
      flags: '--page <file>',
      about: 'write the page that verifies such files in a browser, without a network, instead of verifying one',
    },
  ],
  act: async (call) => {
    const page = call.options.text('page')
    if (page !== undefined) return writePage(call, page)
    const report = await reportOf(call)
    if (call.isJson) await call.terminal.print(JSON.stringify(report))
    else await printReport(call, report)
    return codes[report.verdict]
  },
}

const pieceBytes = 262_144

async function reportOf(call: Call): Promise<Report> {
  const keys = call.options.texts('key').map((text) => keyOf(call, text))
  const [first] = keys
  if (first === undefined) throw cliError('usage', 'Whose key do you trust? Say it with --key. Nothing was verified.')
  const origin = call.options.text('origin') ?? first.split('+')[0] ?? ''
  const kept = call.options.text('checkpoint')
  const earlier = kept === undefined ? {} : { earlier: fileIn(call, kept, 'checkpoint').toString('utf8') }
  const quorum = call.options.count('quorum')
  const { source, megabytes } = sourceOf(call)
  const progress = call.terminal.progress('Verifying megabyte', megabytes)
  try {
    return await verifyBundle(
      shownBytes(source, progress, () => call.terminal.interrupts.check()),
      {
        crypto: nodeCrypto,
        keys,
        origin,
        witnesses: call.options.texts('witness').map((text) => keyOf(call, text)),
        require: checksOf(call, 'require'),
        allow: checksOf(call, 'allow'),
        authorities: certificatesOf(call),
        ...earlier,
        ...(quorum === undefined ? {} : { quorum }),
      },
    )
  } catch (cause) {
    if (cause instanceof RangeError) throw cliError('usage', `${cause.message} Nothing was verified.`, { cause })
    const { syscall } = cause as { readonly syscall?: unknown }
    if (syscall === undefined) throw cause
    throw cliError('usage', `The file cannot be read (${messageOf(cause)}). Nothing was verified.`, { cause })
  } finally {
    progress.end()
  }
}

interface Source {
  readonly source: AsyncIterable<Uint8Array>
  /** Undefined where nobody knows before its end. */
  readonly megabytes: number | undefined
}

function sourceOf(call: Call): Source {
  const [name = ''] = call.words
  if (name === '') throw cliError('usage', 'Which file? Nothing was verified.')
  if (name === '-') return { source: process.stdin, megabytes: undefined }
  const path = resolve(call.folder, name)
  // What is no file, or is not there, is told when it is read.
  const size = statSync(path, { throwIfNoEntry: false })?.size
  const megabytes = size === undefined ? undefined : Math.ceil(size / 1_000_000)
  return { source: createReadStream(path, { highWaterMark: pieceBytes }), megabytes }
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

const markWidth = 13

async function printReport(call: Call, report: Report): Promise<void> {
  const { terminal } = call
  const { paint } = terminal
  const { verdict, notProven } = report
  const title = verdictWords[verdict]
  await terminal.print(verdict === 'proven' ? paint.good(title) : paint.bad(title))
  await terminal.print(wrapped(call, meaningText(report), '  '))
  const told = isOfUse(report) ? toldBy(call, report) : [nothingIsProven]
  const seals = [...sealLines(call, report), ...witnessLines(call, report), ...tokenLines(call, report)]
  for (const line of [...checkLines(call, report), ...wayOut(call, report), ...seals, ...told])
    await terminal.print(line)
  if (!isOfUse(report)) return
  await terminal.print('not proven')
  for (const one of notProven) await terminal.print(wrapped(call, one, '  '))
}

// Each check by its name, those that did not pass with what is wrong and where.
function checkLines(call: Call, { checks }: Report): string[] {
  return (['failed', 'not_evaluated', 'passed'] as const).flatMap((result) => {
    const some = checks.filter((check) => check.result === result)
    if (some.length === 0) return []
    const begin = `  ${resultWords[result].padEnd(markWidth)}  `
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
function wayOut(call: Call, report: Report): string[] {
  const names = openChecks(report)
  if (names.length === 0) return []
  return [wrapped(call, `If the rest is enough to you: --allow ${names.join(',')}`, '    ')]
}

function reasonLines(call: Call, { name, reasons, reasonCount }: CheckResult): string[] {
  const lines = reasons.map((reason) => wrapped(call, `${name}: ${reasonText(reason)}`, '    '))
  return reasonCount > reasons.length ? [...lines, `    ${name}: and ${reasonCount - reasons.length} more`] : lines
}

function tokenLines(call: Call, report: Report): string[] {
  const label = `  ${'dated'.padEnd(markWidth)}  `
  return tokenTexts(report).map((text) => label + wrapped(call, text, ' '.repeat(label.length)).trimStart())
}

function sealLines(call: Call, { seal }: Report): string[] {
  if (seal === undefined) return []
  const label = `  ${'sealed'.padEnd(markWidth)}  `
  return [label + wrapped(call, sealText(seal), ' '.repeat(label.length)).trimStart()]
}

function witnessLines(call: Call, report: Report): string[] {
  const label = `  ${'witnessed'.padEnd(markWidth)}  `
  return witnessTexts(report).map((text) => label + wrapped(call, text, ' '.repeat(label.length)).trimStart())
}

function toldBy(call: Call, { runs, receipt }: Report): string[] {
  return receipt === undefined ? runs.flatMap((run) => runLines(call, run)) : receiptLines(call, receipt)
}

const carriedMax = 2_000

function receiptLines(call: Call, receipt: ReceiptReport): string[] {
  const { text } = receipt
  const carried = carriedText(receipt)
  const carries = carried.length > carriedMax ? `${carried.slice(0, carriedMax)}… (--json shows all of it)` : carried
  return [receiptText(receipt), wrapped(call, text, '  '), wrapped(call, carries, '  ')]
}

function runLines(call: Call, run: RunReport): string[] {
  const { paint } = call.terminal
  return [
    runText(run),
    ...run.answers.flatMap(({ question, answer, text }) => {
      const word = answerWords[answer]
      const painted = answer === 'yes' ? paint.good(word) : answer === 'no' ? paint.bad(word) : word
      return [`  ${paint.strong(questionWords[question])} ${painted}`, wrapped(call, text, '    ')]
    }),
  ]
}

function wrapped({ terminal }: Call, text: string, indent: string): string {
  return wrap(printable(text), terminal.width - indent.length).replaceAll(/^/gm, indent)
}
