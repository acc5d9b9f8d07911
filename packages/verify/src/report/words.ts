import type { AuditAnswer, AuditQuestion } from './answers.js'
import { momentText } from './moment.js'
import type { ReceiptReport } from './receipt.js'
import type { CheckName, CheckResult, Reason, Report, RunReport, SealReport, VerdictOfFile } from './report.js'

// Controls of a terminal, line breaks of all kinds, and what turns the direction of writing: a name must not act.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const acting = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A text from a file as it may be shown: on one line, with whatever would act on a terminal or turn the direction of writing escaped. */
export function printable(text: string): string {
  return text.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What each verdict is called. */
export const verdictWords: Readonly<Record<VerdictOfFile, string>> = {
  proven: 'proven',
  forged: 'forged',
  unverifiable: 'unverifiable',
  incomplete: 'incomplete',
  unsealed: 'not sealed yet',
  unreadable: 'unreadable',
}

const meanings: Readonly<Record<Exclude<VerdictOfFile, 'proven'>, string>> = {
  forged: 'Something in this file does not fit what was signed, or does not follow from the roles and rules of then.',
  unverifiable:
    'No key that you trust has signed this file: it is of another log, or of a key that you were not given.',
  incomplete: 'What was evaluated fits, but something is missing that was asked for, or could not be evaluated.',
  unsealed:
    'Of a run in this file nothing is under a signed checkpoint yet. Ask for the file again: sealing takes seconds.',
  unreadable: 'This is no evidence file, or a damaged one.',
}

/** What a verdict means for whoever asked, in whole sentences; of a file that is proven, no more than was evaluated. */
export function meaningText({ verdict, kind, checks }: Report): string {
  if (verdict !== 'proven') return meanings[verdict]
  const signed = 'What this file says is what the log has signed'
  if (kind === 'receipt') return `${signed}.`
  const isWhole = checks.every(({ result }) => result === 'passed')
  return isWhole
    ? `${signed}, and every decision in it follows from the roles and rules of then.`
    : `${signed}. Not all of its decisions could be evaluated: you have allowed that.`
}

/** What is said instead of answers where {@link isOfUse} is false. */
export const nothingIsProven = 'Nothing that it says is proven.'

/** Whether what a file says is worth reading: the answers of a forged file are whatever its forger wanted. */
export function isOfUse({ verdict }: Report): boolean {
  return verdict === 'proven' || verdict === 'incomplete' || verdict === 'unsealed'
}

/** The four questions of an auditor. */
export const questionWords: Readonly<Record<AuditQuestion, string>> = {
  approval: 'Was the approval real?',
  authority: 'Was the person still authorised?',
  actor: 'Did it execute as the right actor?',
  once: 'Did it execute once?',
}

/** What the answers to them are called. */
export const answerWords: Readonly<Record<AuditAnswer['answer'], string>> = {
  yes: 'yes',
  no: 'no',
  unknown: 'not shown',
  none: 'does not arise',
}

/** What the results of checks are called. */
export const resultWords: Readonly<Record<CheckResult['result'], string>> = {
  passed: 'ok',
  failed: 'FAILED',
  not_evaluated: 'not evaluated',
}

/** What each check asks. */
export const checkWords: Readonly<Record<CheckName, string>> = {
  format: 'The file has the form of evidence, from its first byte to its last.',
  digest: 'The file is what its last line says that it is.',
  origin: 'All of it is of the log that was asked for.',
  chain: 'Every event fits its hash and the event before it; none is missing, none goes back in time.',
  genesis: 'Each run begins with its start.',
  end: 'Nothing follows the end of a run.',
  keys: 'Keys were added and retired as the format says.',
  checkpoints: 'The checkpoints are signed by keys of the log that are trusted and were active.',
  consistency: 'Each checkpoint goes on from the one before, and from yours if you have kept one.',
  leaves: 'The signed log holds these journals, and holds the governance beside them.',
  tokens: 'What time-stamping authorities signed is over these checkpoints, and right.',
  coverage: 'Each run is under a signed checkpoint.',
  witnesses: 'As many of the witnesses that you trust as you ask for have cosigned what this rests on.',
  seen: 'What events say that they knew is what there was to know, and not more.',
  epochs: 'One worker at a time has written each run.',
  claim: 'The operator has signed that these are all runs of the interval.',
  law: 'Who changed roles and rules was allowed to.',
  actions: 'Each authorization and each denial follows from the roles and rules of then.',
  approvals: 'Each vote, and what the votes came to, follows from the roles and rules of then.',
  resumes: 'Each run went on only where it still might.',
  once: 'Each action is recorded as done at most once.',
}

/** A reason with the place that it is about: `run/pay-1 event 3: it does not fit its hash`. */
export function reasonText({ message, stream, seq }: Reason): string {
  const place = [stream, seq === undefined ? undefined : `event ${seq}`].filter((one) => one !== undefined).join(' ')
  return printable(place === '' ? message : `${place}: ${message}`)
}

/** Which key has signed what a file rests on, how far, and when. */
export function sealText({ size, key, seconds }: SealReport): string {
  const when = seconds === undefined ? '' : `, ${momentText(seconds * 1_000)} by the operator's clock`
  // The last part of a key is long, and whoever gave it knows it.
  const by = key === undefined ? 'nobody who is known' : key.split('+').slice(0, 2).join('+')
  return printable(`by ${by}, ${size} leaves${when}`)
}

/** Each witness that was given, with how far it went; then whose lines say nothing. */
export function witnessTexts({ witnesses, unknownSigners }: Report): string[] {
  const known = witnesses.map(({ name, size, seconds }) =>
    size === undefined
      ? `by ${name}: nothing`
      : `by ${name}, ${size} leaves, ${momentText((seconds ?? 0) * 1_000)} by its clock`,
  )
  const unknown = unknownSigners.map((signer) => `by ${signer}, whose key was not given: it says nothing`)
  return [...known, ...unknown].map(printable)
}

const tokenTextsMax = 20

/** What authorities say of the checkpoints by their own clocks, or why a token says nothing; the first twenty. */
export function tokenTexts({ tokens }: Report): string[] {
  return tokens.slice(0, tokenTextsMax).map(({ size, result, why, authority, atMs = 0, accuracyMs }) => {
    const exactly = accuracyMs === undefined ? '' : `, give or take ${accuracyMs} ms`
    const said = `by ${authority}: the first ${size} leaves were there at ${momentText(atMs)}${exactly}`
    return printable(
      result === 'valid'
        ? said
        : `${resultWords[result === 'refused' ? 'failed' : result]}: a token over ${size} leaves: ${why}`,
    )
  })
}

/** A run in a line: its id, how many events it has, how far they are sealed, and how it ended. */
export function runText({ run, eventCount, sealedSeq, ended }: RunReport): string {
  const until = sealedSeq === undefined ? 'none of them sealed' : `sealed up to event ${sealedSeq}`
  return printable(`run ${run}: ${eventCount} events, ${until}; ${ended ?? 'it goes on'}`)
}

/** The checks that an incomplete file leaves open: an auditor to whom the rest is enough may allow that. */
export function openChecks({ verdict, checks }: Report): CheckName[] {
  if (verdict !== 'incomplete') return []
  return checks.filter(({ result }) => result === 'not_evaluated').map(({ name }) => name)
}

/** What a receipt is about, in a line. */
export function receiptText({ stream, seq, kind }: ReceiptReport): string {
  return printable(`receipt of event ${seq} of ${stream.replace('/', ' ')} (${kind})`)
}

/** What the event of a receipt carries. */
export function carriedText({ data }: ReceiptReport): string {
  return printable(data.kind === 'text' ? `It carries ${data.text}` : `What it carries: ${data.kind}.`)
}
