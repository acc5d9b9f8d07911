import { headOf } from './chain.js'
import { assert } from './errors.js'
import type { Head, StoredEvent } from './event.js'
import { type OpId, type RunId, rootRunId } from './ids.js'
import { bodyOf, endOf } from './kinds.js'

/** What a run is, as read from its journal alone: the same in every process that reads the same events. */
export interface RunFold {
  readonly id: RunId
  readonly flow: string
  readonly version: number
  readonly actor: string | undefined
  /** What it shares a limit with. */
  readonly key: string | undefined
  /** From -100 to 100; of its flow's runs that are due, those of the highest are taken first. */
  readonly priority: number
  readonly parent: { readonly run: RunId; readonly op: OpId } | undefined
  /** The first of the runs that took over from each other up to this one; itself if it took over from none. */
  readonly root: RunId
  readonly outcome: 'open' | 'completed' | 'failed' | 'cancelled'
  readonly head: Head
  /** UTC milliseconds since 1970. */
  readonly startedAtMs: number
  readonly endedAtMs: number | undefined
  readonly signalCount: number
  readonly isCancelRequested: boolean
  /** The run that took over from it. */
  readonly continuedAs: RunId | undefined
}

/** One step of the fold that is a run's projection. The first event must be `FlowStarted`. Pure. */
export function foldRun(id: RunId, fold: RunFold | undefined, event: StoredEvent): RunFold {
  if (fold === undefined) return beginFold(id, event)
  if (fold.outcome !== 'open') assert(false, `event ${event.seq} of ${event.stream} comes after the end of its run`)
  const { flow, version, actor, key, priority, parent, root, startedAtMs } = fold
  const outcome = endOf(event.kind) ?? 'open'
  const endedAtMs = outcome === 'open' ? undefined : event.at
  const signalCount = fold.signalCount + (event.kind === 'SignalReceived' ? 1 : 0)
  const isCancelRequested = fold.isCancelRequested || event.kind === 'CancelRequested'
  const continuedAs = event.kind === 'FlowContinued' ? bodyOf(event, 'FlowContinued').next : undefined
  // Field by field: copying all of another object is a slow way to do this, and it is done for every event.
  return {
    id,
    flow,
    version,
    actor,
    key,
    priority,
    parent,
    root,
    outcome,
    head: headOf(event),
    startedAtMs,
    endedAtMs,
    signalCount,
    isCancelRequested,
    continuedAs,
  }
}

function beginFold(id: RunId, event: StoredEvent): RunFold {
  const { flow, version, actor, key, priority = 0, parent, continues } = bodyOf(event, 'FlowStarted')
  return {
    id,
    flow,
    version,
    actor: actor ?? undefined,
    key,
    priority,
    parent,
    root: continues === undefined ? id : rootRunId(id),
    outcome: 'open',
    head: headOf(event),
    startedAtMs: event.at,
    endedAtMs: undefined,
    signalCount: 0,
    isCancelRequested: false,
    continuedAs: undefined,
  }
}

/**
 * The delivery that an event carries into the inbox of its run's root, so that it counts once; undefined for most kinds. What
 * senders outside name never holds a slash, so nobody can pass for a child.
 */
export function deliveryOf(event: StoredEvent): string | undefined {
  if (event.kind === 'SignalReceived') return bodyOf(event, 'SignalReceived').delivery
  if (event.kind !== 'ChildEnded') return undefined
  return endDelivery({ run: event.stream.slice('run/'.length) as RunId, op: bodyOf(event, 'ChildEnded').op })
}

/**
 * The delivery by which the end of the child that an op of a run started counts once. It names the run as well: those that
 * took over from each other share an inbox, and each counts its ops from 0.
 */
export function endDelivery({ run, op }: { readonly run: RunId; readonly op: OpId }): string {
  return `ended/${run}~${op}`
}
