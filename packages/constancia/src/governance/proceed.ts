import { judgeResume } from '@constancia/verify/governance'
import { tellsOf } from '../engine/index.js'
import { checkId, type Draft, parseRunId, type RunId } from '../journal/index.js'
import { type AnswerKnown, type AnswerParts, decideByLaw } from './approvals/deciding.js'
import { RunReading } from './approvals/reading.js'
import { governanceError } from './errors.js'
import { type About, bodyOf, draftOf } from './kinds.js'

/** The user of a run that waits for their next message. */
export interface Return {
  readonly run: string
  /** The principal as whom the run acts. */
  readonly by: string
}

/** What became of it. */
export type Proceeded =
  | { readonly kind: 'resumed' }
  /** They may not go on with it any more; the run stays paused. */
  | { readonly kind: 'denied'; readonly wanted: readonly string[] }
  /** The run waits for no message; nothing was done. */
  | { readonly kind: 'nothing_waits' }

type Answer = Proceeded | { readonly kind: 'refused'; readonly error: Error }

/**
 * Lets a run go on that waits for the next message of its user: roles are read anew, in the transaction that records the answer.
 * Durable on return. Rejects with `not_permitted` for anybody but the actor of the run, with `unknown_run`, and with faults of the store.
 */
export async function proceed(parts: AnswerParts, request: Return): Promise<Proceeded> {
  const reading = new RunReading(parts.store, parseRunId(request.run))
  const by = checkId(request.by, 'principal id')
  const decide = (known: AnswerKnown): ReturnType<typeof decideReturn> => decideReturn(by, known)
  const { result } = await decideByLaw(parts, { by, reading, decide })
  if (result.kind === 'refused') throw result.error
  return result
}

/** Decides whether a run goes on. Pure. */
function decideReturn(
  by: string,
  { facts, reading, law }: AnswerKnown,
): { readonly drafts: readonly Draft[]; readonly result: Answer } {
  const { run, started } = reading
  if (facts.run === undefined || started === undefined)
    return { drafts: [], result: { kind: 'refused', error: unknownRun(run) } }
  if (started.actor === null || law.personOf(started.actor) !== law.personOf(by))
    return { drafts: [], result: { kind: 'refused', error: notTheirs(run, by) } }
  const waiting = facts.run.outcome === 'open' ? deferred(reading) : []
  if (waiting.length === 0) return { drafts: [], result: { kind: 'nothing_waits' } }
  const verdict = judgeResume(law, started, facts.nowMs)
  const contract = law.inForce?.digest ?? '-'
  const about = waiting.map(({ op, verb, name }) => ({ op, verb, name, contract, roles: verdict.roles }))
  if (verdict.kind === 'admitted')
    return { drafts: about.map((body) => draftOf('ResumeAuthorized', body)), result: { kind: 'resumed' } }
  // Once in a row: asking again and again must not fill the journal.
  const isSaid = reading.resumptions.at(-1)?.kind === 'ResumeDenied'
  const drafts = isSaid ? [] : about.map((body) => draftOf('ResumeDenied', { ...body, ...tellsOf(started) }))
  return { drafts, result: { kind: 'denied', wanted: verdict.wanted } }
}

function deferred({ resumptions }: RunReading): readonly About[] {
  const permitted = resumptions.flatMap((event) =>
    event.kind === 'ResumeAuthorized' ? [bodyOf(event, 'ResumeAuthorized').op] : [],
  )
  const put = resumptions.flatMap((event) => (event.kind === 'ResumeDeferred' ? [bodyOf(event, 'ResumeDeferred')] : []))
  return put.filter(({ op }) => !permitted.includes(op))
}

function notTheirs(run: RunId, by: string): Error {
  return governanceError(
    'not_permitted',
    `Run ${run} goes on with the next message of its own actor, and ${by} is not that person. Nothing was done.`,
  )
}

function unknownRun(run: RunId): Error {
  return governanceError(
    'unknown_run',
    `There is no run ${run} in this store. Nothing was done; look for its id in the list of runs.`,
  )
}
