import { judgeResume, type Law, type ResumingRun } from '@constancia/verify'
import {
  checkId,
  type Draft,
  bodyOf as engineBodyOf,
  parseRunId,
  type RunId,
  runStream,
  type StoredEvent,
  seenOf,
} from '../journal/index.js'
import type { Facts } from '../store/index.js'
import type { AnswerParts } from './approvals/deciding.js'
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

type Known = Proceeded | { readonly kind: 'read_on' } | { readonly kind: 'refused'; readonly error: Error }

/**
 * Lets a run go on that waits for the next message of its user: roles are read anew, in the transaction that records the answer.
 * Durable on return. Rejects with `not_permitted` for anybody but the actor of the run, with `unknown_run`, and with faults of the store.
 */
export async function proceed(parts: AnswerParts, request: Return): Promise<Proceeded> {
  const run = parseRunId(request.run)
  const by = checkId(request.by, 'principal id')
  const { store, book } = parts
  for (;;) {
    const events = await store.read(runStream(run))
    await book.catchUp()
    const { head, law } = book
    const answer = await store.decide<Known>({
      run,
      delivery: undefined,
      by: `principal:${by}`,
      seen: seenOf(head),
      basis: book.stream,
      decide: (facts) => {
        const isCurrent = facts.run?.head.seq === (events.at(-1)?.seq ?? -1) && facts.basisHead?.seq === head.seq
        if (facts.run !== undefined && !isCurrent) return { drafts: [], result: { kind: 'read_on' } }
        const { drafts, result } = decideReturn({ run, by }, { facts, events, law })
        return { drafts, result }
      },
    })
    if (answer.kind === 'refused') throw answer.error
    if (answer.kind !== 'read_on') return answer
  }
}

interface Situation {
  readonly facts: Facts
  readonly events: readonly StoredEvent[]
  readonly law: Law
}

/** Decides whether a run goes on. Pure. */
function decideReturn(
  { run, by }: { readonly run: RunId; readonly by: string },
  { facts, events, law }: Situation,
): { readonly drafts: readonly Draft[]; readonly result: Exclude<Known, { readonly kind: 'read_on' }> } {
  const [first] = events
  if (facts.run === undefined || first === undefined)
    return { drafts: [], result: { kind: 'refused', error: unknownRun(run) } }
  const started = engineBodyOf(first, 'FlowStarted')
  if (started.actor === null || law.personOf(started.actor) !== law.personOf(by)) {
    return { drafts: [], result: { kind: 'refused', error: notTheirs(run, by) } }
  }
  const waiting = facts.run.outcome === 'open' ? deferred(events) : []
  if (waiting.length === 0) return { drafts: [], result: { kind: 'nothing_waits' } }
  const resuming: ResumingRun = {
    actor: started.actor,
    flow: started.flow,
    version: started.version,
    contract: started.contract,
  }
  const verdict = judgeResume(law, resuming, facts.nowMs)
  const contract = law.inForce?.digest ?? '-'
  const about = waiting.map(({ op, verb, name }) => ({ op, verb, name, contract, roles: verdict.roles }))
  if (verdict.kind === 'admitted') {
    return { drafts: about.map((body) => draftOf('ResumeAuthorized', body)), result: { kind: 'resumed' } }
  }
  // Once in a row: asking again and again must not fill the journal.
  const isSaid = events.at(-1)?.kind === 'ResumeDenied'
  const drafts = isSaid ? [] : about.map((body) => draftOf('ResumeDenied', body))
  return { drafts, result: { kind: 'denied', wanted: verdict.wanted } }
}

function deferred(events: readonly StoredEvent[]): readonly About[] {
  const permitted = new Set(
    events.filter(({ kind }) => kind === 'ResumeAuthorized').map((event) => bodyOf(event, 'ResumeAuthorized').op),
  )
  const put = events.filter(({ kind }) => kind === 'ResumeDeferred').map((event) => bodyOf(event, 'ResumeDeferred'))
  return put.filter(({ op }) => !permitted.has(op))
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
