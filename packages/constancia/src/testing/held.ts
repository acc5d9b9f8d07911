import { type Draft, draftOf, endDelivery, type OpId, type RunId } from '../journal/index.js'
import type { CreateRun, Decide } from '../store/index.js'
import type { Fact } from './facts.js'

/** Something that a life is about to make durable, held back until it is its turn. */
export interface Held {
  readonly run: RunId
  /** What comes of it, as far as that is known beforehand. */
  readonly draft: Pick<Draft, 'kind' | 'body'>
  /** Whether its run ends with it. */
  readonly ends: boolean
  /** Whether one run tells it to another; those that were put into the outbox first have a lower rank. */
  readonly dispatchRank: number | undefined
  readonly release: () => void
  /** Fails it as a fault of the store does, so that whoever wants it tries again. */
  readonly putOff: () => void
}

/** Whether something that is held stands for the same happening as a fact, whatever it says of it. */
export function leadsTo(held: Pick<Held, 'draft'>, fact: Fact): boolean {
  return placeOf(held.draft) === placeOf(fact)
}

/** Who writes what one run has to tell another. */
const dispatcher = 'system:outbox'

/** What a dispatch that starts a child leads to; undefined where somebody else starts a run. */
export function startedBy(request: CreateRun): Pick<Held, 'run' | 'draft' | 'ends'> | undefined {
  if (request.by !== dispatcher) return undefined
  return { run: request.run, draft: { kind: 'FlowStarted', body: '{}' }, ends: false }
}

/** What a dispatch that tells a run something leads to: its child ended, or it is to end, or nothing is left to tell. */
export function toldBy({
  run,
  by,
  delivery,
  settles,
}: Decide<unknown>): Pick<Held, 'run' | 'draft' | 'ends'> | undefined {
  if (by !== dispatcher) return undefined
  if (delivery !== undefined) {
    const op = delivery.slice(endDelivery({ run, op: '' as OpId }).length) as OpId
    return { run, draft: draftOf('ChildEnded', { op, outcome: 'completed' }), ends: false }
  }
  const draft = settles === undefined ? draftOf('CancelRequested', {}) : { kind: 'nothing', body: '{}' }
  return { run, draft, ends: false }
}

/** Whether a fact came of a dispatch, unless somebody outside wanted the run to end. */
export function isDispatched({ kind, body }: Fact): boolean {
  if (kind === 'FlowStarted') return (JSON.parse(body) as { readonly parent?: unknown }).parent !== undefined
  return kind === 'ChildEnded' || kind === 'CancelRequested'
}

const attempts = new Set(['StepFailed', 'StepCompleted', 'StepAttemptFailed'])
// A doubt is settled in more intents than one, so that its attempts are counted otherwise.
const actions = new Set(['ActionFailed', 'ActionCompleted', 'ActionAttemptFailed', 'OutcomeUnknown'])

/** Whether it says what came of an effect. */
export function isOfEffect({ kind }: Pick<Draft, 'kind'>): boolean {
  return attempts.has(kind) || actions.has(kind)
}

function placeOf({ kind, body }: Pick<Fact, 'kind' | 'body'>): string {
  const { op, attempt } = JSON.parse(body) as { op?: string; attempt?: number }
  if (actions.has(kind)) return `Action ${op}`
  return `${attempts.has(kind) ? 'Step' : kind} ${op} ${attempt ?? '-'}`
}
