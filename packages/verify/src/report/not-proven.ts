import type { ReceiptReport } from './receipt.js'
import type { CheckResult, RunReport, WitnessReport } from './report.js'

const written = 'That an event which should have been written was written.'
const goneOn = 'That a run did not go on after the last leaf that the file has of it: only the whole log shows that.'
const effect = 'That what an action asked of its destination had the effect that the answer says.'

function clock(checks: readonly CheckResult[]): string {
  return checks.some(({ name, result }) => name === 'tokens' && result === 'passed')
    ? "That the operator's clock was right: a token says when at the latest something was sealed, by its authority's clock, and not when it was done."
    : "That the operator's clock was right: only a witness or a time-stamp token bounds it."
}

// What a second history and a wrong clock are left to: nobody, or those who cosigned.
function outside(checks: readonly CheckResult[], witnesses: readonly WitnessReport[]): string[] {
  if (!checks.some(({ name, result }) => name === 'witnesses' && result === 'passed'))
    return [
      'That no second history of a stream was shown to somebody else: only the whole log, or a witness, shows that.',
      clock(checks),
    ]
  const who = witnesses.flatMap(({ name, size }) => (size === undefined ? [] : [name])).join(', ')
  return [
    `That no second history of a stream was shown to somebody else, if those who cosigned (${who}) broke their own rule: each cosigns only what goes on from what it cosigned before.`,
    `That the operator's clock was right about what was before the cosignatures: they say, by the clocks of ${who}, when at the latest it was sealed.`,
    `That ${who} read or agreed to anything of it: a witness sees how long the log is and its root, and nothing else.`,
  ]
}

const neverByReceipt = [
  'That whoever decided it, or had it done, was allowed to: roles and rules are not in a receipt, and a bundle of the run has them.',
  'That nothing else happened: it is one event of the run. The same may have been done again, taken back or decided otherwise before it or after it.',
  'That the key might still sign: whether it was retired, or is said to be in the hands of somebody else, stands in the log alone.',
] as const

/** What a receipt does not prove, in whole sentences. */
export function notProvenByReceipt(
  checks: readonly CheckResult[],
  receipt: ReceiptReport,
  witnesses: readonly WitnessReport[],
): string[] {
  const { body, data } = receipt
  const gone = [
    ...(body === undefined ? ['What the event says: it is withheld.'] : []),
    ...(data.kind === 'withheld' || data.kind === 'erased' ? [`What the event carries: it is ${data.kind}.`] : []),
  ]
  return [...unevaluatedOf(checks), ...gone, ...neverByReceipt, ...outside(checks, witnesses), effect]
}

function unevaluatedOf(checks: readonly CheckResult[]): string[] {
  return checks
    .filter(({ result }) => result === 'not_evaluated')
    .map(
      ({ name, reasons }) =>
        `${name} was not evaluated: ${(reasons[0]?.message ?? 'no reason is known').replace(/\.$/, '')}.`,
    )
}

/** What a report on a bundle has come to so far. */
export interface Concluded {
  readonly checks: readonly CheckResult[]
  readonly runs: readonly RunReport[]
  readonly law: { readonly lastSeq: number; readonly sealedSeq: number | undefined } | undefined
  readonly witnesses: readonly WitnessReport[]
}

/** What a bundle does not prove, in whole sentences: what none does, and what this one lacks. */
export function notProven({ checks, runs, law, witnesses }: Concluded): string[] {
  const sealedLaw = law?.sealedSeq ?? -1
  const lawLeft = law !== undefined && sealedLaw < law.lastSeq
  const unsealedLaw = lawLeft ? [`Of governance, what follows event ${sealedLaw} is not sealed.`] : []
  const unsealed = runs.flatMap(({ run, eventCount, sealedSeq }) => {
    const last = eventCount - 1
    if (sealedSeq === undefined) return [`Nothing of run ${run} is sealed.`]
    return sealedSeq < last
      ? [`Of run ${run}, what follows event ${sealedSeq} (up to event ${last}) is not sealed.`]
      : []
  })
  const withheld = runs.reduce((sum, { withheldCount }) => sum + withheldCount, 0)
  const erased = runs.reduce((sum, { erasedCount }) => sum + erasedCount, 0)
  const gone = [
    ...(withheld > 0 ? [`What ${withheld} texts say that were withheld.`] : []),
    ...(erased > 0 ? [`What ${erased} texts said that were erased.`] : []),
  ]
  return [
    ...unevaluatedOf(checks),
    ...unsealedLaw,
    ...unsealed,
    ...gone,
    written,
    goneOn,
    ...outside(checks, witnesses),
    effect,
  ]
}
