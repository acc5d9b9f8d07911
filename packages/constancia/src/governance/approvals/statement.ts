import { judgeStatement } from '@constancia/verify/governance'
import { encodeValue } from '../../journal/index.js'
import { bodyOf, draftOf, type RunBodies } from '../kinds.js'
import { type AnswerDecision, type AnswerKnown, type AnswerParts, takeAnswer } from './deciding.js'
import { type IncomingAnswer, incomingAnswer, oneOf, saidText } from './incoming.js'
import { RunReading } from './reading.js'
import { refused } from './standing.js'

/** Somebody who knows what came of an effect whose outcome nobody knew. */
export interface Statement {
  readonly run: string
  /** The op of the effect. */
  readonly op: string
  /** The principal who says it. */
  readonly stater: string
  /** `not_done`: it passes the gate again and executes with the same key. */
  readonly outcome: 'done' | 'not_done' | 'failed'
  /** What it returned, where it was done. */
  readonly output?: unknown
  /** How they know. */
  readonly note?: string
  /** Names this statement: the same again counts once, and is answered as before. */
  readonly delivery?: string
}

/** A statement that counts. */
export interface StatementTaken {
  /** By which the stater may say it. */
  readonly roles: readonly string[]
}

/** What statements are taken with. */
export interface StatementParts extends AnswerParts {
  /** What is wrong with the text of an action's output; undefined if it fits the action's schema. Without a text: where none was given. */
  readonly checkOutput: (action: string, text: string | undefined) => string | undefined | Promise<string | undefined>
}

interface Incoming extends IncomingAnswer {
  readonly outcome: Statement['outcome']
  readonly output: string | undefined
  /** Note and output, as they are stored. */
  readonly data: string | undefined
  readonly delivery: string
}

/**
 * Settles an effect whose outcome is unknown. Who may: holders of a role that the contract in force asks for the approval of this
 * action, by any of its rules, and where no rule asks for one, holders of `administrator`; where such a rule keeps the actor from
 * approving, the actor may not settle it either. Durable on return. Rejects with `vote_refused`, which is recorded.
 */
export async function state(parts: StatementParts, request: Statement): Promise<StatementTaken> {
  const incoming = incomingStatement(parts, request)
  const { by, op, run, outcome } = incoming
  const reading = new RunReading(parts.store, run)
  let unfit: string | undefined
  return takeAnswer(parts, {
    by,
    choice: outcome,
    op,
    reading,
    prepare: async () => {
      unfit = await unfitOutput(parts, incoming, reading)
    },
    decide: (known) => decideStatement(incoming, { ...known, unfit }),
  })
}

function incomingStatement({ limits, newId }: StatementParts, request: Statement): Incoming {
  const answer = incomingAnswer(request, request.stater)
  const outcome = oneOf(['done', 'not_done', 'failed'], request.outcome, 'An outcome')
  const { output, note } = request
  const text = output === undefined ? undefined : encodeValue(output, { limits, what: 'stated output' })
  return {
    ...answer,
    outcome,
    output: text,
    data: saidText({ note, output }, limits),
    delivery: answer.delivery ?? newId(),
  }
}

async function unfitOutput(
  { checkOutput }: StatementParts,
  { op, outcome, output }: Incoming,
  reading: RunReading,
): Promise<string | undefined> {
  if (outcome !== 'done') return output === undefined ? undefined : 'Only what was done has an output.'
  const unknown = unknownEffect(reading, op)
  return unknown === undefined ? undefined : checkOutput(unknown.name, output)
}

interface Known extends AnswerKnown {
  readonly unfit: string | undefined
}

/** Decides on a statement. Pure. */
function decideStatement(incoming: Incoming, { facts, reading, law, unfit }: Known): AnswerDecision<StatementTaken> {
  const { op, by, outcome, delivery, data } = incoming
  const earlier = earlierStatement(incoming, reading)
  if (earlier !== undefined) return earlier
  const { run, nowMs } = facts
  if (run === undefined) return refused('unknown_run', 'There is no such run.', 'nothing')
  const unknown = unknownEffect(reading, op)
  if (unknown === undefined)
    return refused('nothing_unknown', 'No effect there has an unknown outcome.', stated(reading, op))
  if (run.outcome !== 'open') return refused('run_ended', `The run has ended as ${run.outcome}.`, run.outcome)
  const judged = judgeStatement(unknown.name, { stater: by, actor: reading.actor, law, nowMs })
  if (judged.kind === 'refused') return refused(judged.code, judged.reason, 'unknown')
  const { roles } = judged
  if (unfit !== undefined) return refused('output_unfit', unfit, 'unknown')
  const { verb, name } = unknown
  const body: RunBodies['OutcomeStated'] = { op, verb, name, stater: by, outcome, delivery, roles }
  return { kind: 'counts', drafts: [draftOf('OutcomeStated', body, data)], result: { roles } }
}

const outcomes: ReadonlySet<string> = new Set([
  'ActionAuthorized',
  'ActionAttemptFailed',
  'ActionCompleted',
  'ActionFailed',
  'OutcomeUnknown',
  'OutcomeStated',
])

function unknownEffect(reading: RunReading, op: IncomingAnswer['op']): RunBodies['OutcomeUnknown'] | undefined {
  const last = reading.about(op).findLast(({ kind }) => outcomes.has(kind))
  return last?.kind === 'OutcomeUnknown' ? bodyOf(last, 'OutcomeUnknown') : undefined
}

// What somebody said before, or that nothing was ever unknown.
function stated(reading: RunReading, op: IncomingAnswer['op']): string {
  const event = reading.about(op).findLast(({ kind }) => kind === 'OutcomeStated')
  return event === undefined ? 'nothing' : bodyOf(event, 'OutcomeStated').outcome
}

function earlierStatement(incoming: Incoming, reading: RunReading): AnswerDecision<StatementTaken> | undefined {
  const { op, by, delivery, outcome, data } = incoming
  for (const event of reading.about(op)) {
    if (event.kind !== 'OutcomeStated') continue
    const body = bodyOf(event, 'OutcomeStated')
    if (body.stater !== by || body.delivery !== delivery) continue
    if (body.outcome === outcome && event.data === data) {
      return { kind: 'counts', drafts: [], result: { roles: body.roles } }
    }
    return refused('delivery_used', `Delivery ${delivery} is another statement of this person.`, body.outcome)
  }
  return undefined
}
