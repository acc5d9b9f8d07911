import {
  ConstanciaError,
  type Draft,
  draftOf,
  encodeError,
  encodeValue,
  type Limits,
  type OpId,
  type Restricts,
  type RunId,
  type Tells,
} from '../journal/index.js'
import type { CreateRun } from '../store/index.js'
import { Continuation } from './flow.js'
import type { Parts } from './parts.js'
import { codeOf } from './step.js'
import { type Predecessor, successorOf } from './successor.js'
import { endTellsOf } from './telling.js'

/** What a flow's function came to. */
export type Ending = { readonly output: unknown } | { readonly error: unknown }

/** What else the end event tells. */
export interface EndFacts {
  readonly flow: string
  readonly limits: Limits
  /** Ops that failed and that nobody ever awaited. */
  readonly unawaited: readonly OpId[]
  /** Whether somebody wanted the run to end before it did. */
  readonly isCancelled: boolean
  readonly predecessor: Predecessor
}

/** The last event of a run, and the run that takes over where there is one. */
export interface End {
  readonly draft: Draft
  readonly successor?: CreateRun
}

/**
 * How a run ends. One that somebody wanted to end is cancelled, whatever its function came to: who asked was told so. What
 * cannot be kept makes it a failure, which says so.
 */
export function endOfRun(ending: Ending, facts: EndFacts): End {
  const { flow, limits } = facts
  const told = toldIn(facts)
  if (facts.isCancelled) return { draft: cancelledDraft(ending, facts) }
  const options = { limits, what: `output of flow ${JSON.stringify(flow)}` }
  try {
    if ('output' in ending) {
      if (!(ending.output instanceof Continuation))
        return {
          draft: draftOf('FlowCompleted', told, encodeValue(ending.output, options)),
        }
      const successor = successorOf(ending.output, facts.predecessor)
      return { draft: draftOf('FlowContinued', { next: successor.run, ...namedIn(facts) }), successor }
    }
  } catch (error) {
    const failed = { code: codeOf(error), ...told }
    return { draft: draftOf('FlowFailed', failed, encodeError(error, options)) }
  }
  const what = `error of flow ${JSON.stringify(flow)}`
  const data = encodeError(ending.error, { limits, what })
  return { draft: draftOf('FlowFailed', { code: codeOf(ending.error), ...told }, data) }
}

// An error that is not the cancellation itself comes from the clean-up.
function cancelledDraft(ending: Ending, facts: EndFacts): Draft {
  const { flow, limits } = facts
  const told = toldIn(facts)
  if ('output' in ending || isCancellation(ending.error)) return draftOf('FlowCancelled', told)
  const data = encodeError(ending.error, { limits, what: `error of the clean-up of flow ${JSON.stringify(flow)}` })
  return draftOf('FlowCancelled', { code: codeOf(ending.error), ...told }, data)
}

interface Told extends Restricts, Tells {
  readonly unawaited?: readonly OpId[]
}

// What an end says besides what it is.
function toldIn(facts: EndFacts): Told {
  const { started, restriction } = facts.predecessor
  return { ...namedIn(facts), ...restriction, ...endTellsOf(started) }
}

function namedIn({ unawaited }: EndFacts): { readonly unawaited?: readonly OpId[] } {
  return unawaited.length === 0 ? {} : { unawaited }
}

/** Tells of steps that failed and that nobody asked about: they would show nowhere but in the journal. */
export function warnOfUnawaited(parts: Parts, run: RunId, ops: readonly OpId[]): void {
  if (ops.length === 0) return
  const message = 'The flow ended without ever awaiting steps that failed; look at them in its journal.'
  parts.log('warn', message, { run, ops: ops.join(', ') })
}

function isCancellation(error: unknown): boolean {
  return error instanceof ConstanciaError && error.code === 'run_cancelled'
}
