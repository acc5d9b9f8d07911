import { headOf } from './chain.js'
import { assert } from './errors.js'
import type { Head, StoredEvent } from './event.js'
import type { RunId } from './ids.js'
import { bodyOf, endOf } from './kinds.js'

/** What a run is, as read from its journal alone: the same in every process that reads the same events. */
export interface RunFold {
  readonly id: RunId
  readonly flow: string
  readonly version: number
  readonly actor: string | undefined
  readonly outcome: 'open' | 'completed' | 'failed' | 'cancelled'
  readonly head: Head
  /** UTC milliseconds since 1970. */
  readonly startedAtMs: number
  readonly endedAtMs: number | undefined
  readonly signalCount: number
}

/** One step of the fold that is a run's projection. The first event must be `FlowStarted`. Pure. */
export function foldRun(id: RunId, fold: RunFold | undefined, event: StoredEvent): RunFold {
  if (fold === undefined) {
    const { flow, version, actor } = bodyOf(event, 'FlowStarted')
    const head = headOf(event)
    const startedAtMs = event.at
    return {
      id,
      flow,
      version,
      actor: actor ?? undefined,
      outcome: 'open',
      head,
      startedAtMs,
      endedAtMs: undefined,
      signalCount: 0,
    }
  }
  if (fold.outcome !== 'open') assert(false, `event ${event.seq} of ${event.stream} comes after the end of its run`)
  const { flow, version, actor, startedAtMs } = fold
  const outcome = endOf(event.kind) ?? 'open'
  const endedAtMs = outcome === 'open' ? undefined : event.at
  const signalCount = fold.signalCount + (event.kind === 'SignalReceived' ? 1 : 0)
  // Field by field: copying all of another object is a slow way to do this, and it is done for every event.
  return { id, flow, version, actor, outcome, head: headOf(event), startedAtMs, endedAtMs, signalCount }
}

/** The delivery that an event carries into the inbox, so that it counts once; undefined for most kinds. */
export function deliveryOf(event: StoredEvent): string | undefined {
  return event.kind === 'SignalReceived' ? bodyOf(event, 'SignalReceived').delivery : undefined
}
