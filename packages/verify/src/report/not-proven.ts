import type { CheckResult, RunReport } from './report.js'

const written = 'That an event which should have been written was written.'
const goneOn = 'That a run did not go on after the last leaf that the file has of it: only the whole log shows that.'
const effect = 'That what an action asked of its destination had the effect that the answer says.'
const alone = [
  'That no second history of a stream was shown to somebody else: only the whole log, or a witness, shows that.',
  "That the operator's clock was right: only a witness or a time-stamp token bounds it.",
]

// What witnesses leave open, once enough of them have cosigned.
function besideWitnesses(names: readonly string[]): string[] {
  const who = names.join(', ')
  return [
    `That no second history of a stream was shown to somebody else, if those who cosigned (${who}) broke their own rule: each cosigns only what goes on from what it cosigned before.`,
    `That the operator's clock was right about what was before the cosignatures: they say, by the clocks of ${who}, when at the latest it was sealed.`,
    `That ${who} read or agreed to anything of it: a witness sees how long the log is and its root, and nothing else.`,
  ]
}

/** What a report has come to so far. */
export interface Concluded {
  readonly checks: readonly CheckResult[]
  readonly runs: readonly RunReport[]
  readonly law: { readonly lastSeq: number; readonly sealedSeq: number | undefined } | undefined
  /** Names of those who cosigned. */
  readonly witnesses: readonly string[]
}

/** What a file does not prove, in whole sentences: what none does, and what this one lacks. */
export function notProven({ checks, runs, law, witnesses }: Concluded): string[] {
  const isWitnessed = checks.some(({ name, result }) => name === 'witnesses' && result === 'passed')
  const never = [written, goneOn, ...(isWitnessed ? besideWitnesses(witnesses) : alone), effect]
  const skipped = checks
    .filter(({ result }) => result === 'not_evaluated')
    .map(({ name, reasons }) => `${name} was not evaluated: ${reasons[0]?.message ?? 'no reason is known'}.`)
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
  return [...skipped, ...unsealedLaw, ...unsealed, ...gone, ...never]
}
