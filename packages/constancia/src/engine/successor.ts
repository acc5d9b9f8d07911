import type { Draft, Restricts, RunId } from '../journal/index.js'
import { type Bodies, draftOf, nextRunId, nothingSeen } from '../journal/index.js'
import type { CreateRun } from '../store/index.js'
import type { Continuation } from './flow.js'
import type { Outcome } from './history.js'
import { priorityFact } from './priority.js'
import { tellsOf } from './telling.js'

/** Whose place is taken, and what it leaves. */
export interface Predecessor {
  readonly run: RunId
  readonly started: Bodies['FlowStarted']
  readonly unread: readonly Outcome[]
  /** What the last of the line tells whoever waits for its end. */
  readonly restriction: Restricts
}

/** The run that takes over: it begins with the signals that were not read. Throws `invalid_id`. */
export function successorOf(
  { flow, input, key }: Continuation,
  { run, started, unread, restriction }: Predecessor,
): CreateRun {
  const { name, version, patches } = flow
  const { actor, contract, priority = 0, parent } = started
  const family = parent === undefined ? {} : { parent }
  const body = {
    flow: name,
    version,
    actor,
    contract,
    patches,
    ...key,
    ...priorityFact(priority),
    ...family,
    continues: run,
    ...restriction,
    ...tellsOf(started),
  }
  const carried = unread.map(({ kind, body: signal, data }): Draft => ({ kind, body: signal, data }))
  const drafts = [draftOf('FlowStarted', body, input), ...carried]
  return { run: nextRunId(run), drafts, by: 'system:continuation', seen: nothingSeen }
}
