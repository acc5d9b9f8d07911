import { ConstanciaError } from '../journal/index.js'
import type { Rest, WaitingFor } from '../store/index.js'
import type { Pause } from './guard.js'

const forPeople: ReadonlySet<WaitingFor['kind']> = new Set(['approval', 'statement', 'message'])

/** How a run rests that waits for this; paused where some of it is for people to do. */
export function waitingRest(waitingFor: readonly WaitingFor[], wakeAtMs: number | undefined): Rest {
  const kind = waitingFor.some((one) => forPeople.has(one.kind)) ? 'paused' : 'waiting'
  return { kind, wakeAtMs, waitingFor }
}

/** How a run rests whose permission to go on after this pause was put off. */
export function deferredRest({ op, name }: Pick<Pause, 'op' | 'name'>): Rest {
  return waitingRest([{ kind: 'message', op, name }], undefined)
}

const lastingFaults = new Set(['journal_damaged', 'value_unreadable'])

/** How a run rests that a fault parks; undefined for faults that pass. */
export function faultRest(error: unknown): Rest | undefined {
  if (!(error instanceof ConstanciaError) || !lastingFaults.has(error.code)) return undefined
  return { kind: 'stuck', code: error.code, message: error.message }
}
