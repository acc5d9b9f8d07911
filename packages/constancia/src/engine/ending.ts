import { type Draft, draftOf, encodeError, encodeValue, type Limits, type OpId } from '../journal/index.js'
import type { History } from './history.js'
import type { Op } from './op.js'
import { codeOf } from './step.js'

/** What a flow's function came to. */
export type Ending = { readonly output: unknown } | { readonly error: unknown }

/** What else the end event tells. */
export interface EndFacts {
  readonly flow: string
  readonly limits: Limits
  /** Ops that failed and that nobody ever awaited. */
  readonly unawaited: readonly OpId[]
}

/** The failures that nobody ever asked for, in the order of the journal: a replay learns of them in the order of the flow. */
export function unawaitedOf(failed: readonly Op[], history: History): OpId[] {
  const seqOf = (op: OpId): number => history.peek(op)?.outcome?.seq ?? Infinity
  const ids = failed.filter((op) => !op.observed).map((op) => op.id)
  return ids.sort((a, b) => seqOf(a) - seqOf(b))
}

/** The event that ends a run. An output that cannot be kept makes it a failure, which says so. */
export function endDraft(ending: Ending, facts: EndFacts): Draft {
  const unawaited = facts.unawaited.length === 0 ? {} : { unawaited: facts.unawaited }
  const options = { limits: facts.limits, what: `output of flow ${JSON.stringify(facts.flow)}` }
  try {
    if ('output' in ending) return draftOf('FlowCompleted', { ...unawaited }, encodeValue(ending.output, options))
  } catch (error) {
    return draftOf('FlowFailed', { code: codeOf(error), ...unawaited }, encodeError(error, options))
  }
  const what = `error of flow ${JSON.stringify(facts.flow)}`
  return draftOf(
    'FlowFailed',
    { code: codeOf(ending.error), ...unawaited },
    encodeError(ending.error, { ...options, what }),
  )
}
