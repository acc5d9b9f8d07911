import type { Draft } from './event.js'
import type { OpId } from './ids.js'

/**
 * The kinds of events that the engine writes, and what their bodies say. `data` beside each, where there is one.
 *
 * | kind | data |
 * |---|---|
 * | FlowStarted | the input |
 * | StepCompleted | the result |
 * | StepAttemptFailed, StepFailed | the error |
 * | TimerSet, TimerFired | – |
 * | SignalReceived | the payload |
 * | RetryRequested | – |
 * | FlowCompleted | the output |
 * | FlowFailed | the error |
 */
export interface Bodies {
  readonly FlowStarted: {
    readonly flow: string
    readonly version: number
    readonly actor: string | null
    readonly contract: string | null
    readonly patches: readonly string[]
  }
  readonly StepCompleted: { readonly op: OpId; readonly name: string; readonly attempt: number }
  readonly StepAttemptFailed: {
    readonly op: OpId
    readonly name: string
    readonly attempt: number
    readonly code: string
    /** Milliseconds from this event to the next attempt. */
    readonly delayMs: number
  }
  readonly StepFailed: {
    readonly op: OpId
    readonly name: string
    readonly attempt: number
    readonly code: string
    /** Why there is no further attempt. */
    readonly reason: NoRetryReason
  }
  readonly TimerSet: {
    readonly op: OpId
    /** What the timer is for: a sleep, or a limit on the wait for the signal of this name. */
    readonly verb: 'sleep' | 'signal'
    readonly name: string
    readonly timer: TimerSpec
  }
  readonly TimerFired: { readonly op: OpId }
  readonly SignalReceived: { readonly name: string; readonly delivery: string }
  /** An operator asks to try again a run that was stuck. */
  readonly RetryRequested: { readonly note: string }
  readonly FlowCompleted: { readonly unawaited?: readonly OpId[] }
  readonly FlowFailed: { readonly code: string; readonly unawaited?: readonly OpId[] }
}

/** A moment as the flow asked for it: so many milliseconds from the event on, or a date (UTC milliseconds). */
export type TimerSpec = { readonly afterMs: number } | { readonly untilMs: number }

/** Why a step is not attempted again. */
export type NoRetryReason = 'permanent' | 'not_retried' | 'attempts_used_up' | 'result_not_kept'

/** The name of a kind that the engine writes. */
export type Kind = keyof Bodies

/** Makes a draft of a kind; the body's keys are written in the order given. */
export function draftOf<K extends Kind>(kind: K, body: Bodies[K], data?: string): Draft {
  return { kind, body: JSON.stringify(body), data }
}

/** Reads the body of an event that is known to be of this kind. */
export function bodyOf<K extends Kind>(event: Draft, kind: K): Bodies[K] {
  if (event.kind !== kind) throw new TypeError(`A ${event.kind} was read as ${kind}.`)
  return JSON.parse(event.body) as Bodies[K]
}

const endKinds: Readonly<Record<string, 'completed' | 'failed' | 'cancelled'>> = {
  FlowCompleted: 'completed',
  FlowFailed: 'failed',
  FlowCancelled: 'cancelled',
}

/** What an event of this kind ends its run as, or undefined if it ends nothing. */
export function endOf(kind: string): 'completed' | 'failed' | 'cancelled' | undefined {
  return Object.hasOwn(endKinds, kind) ? endKinds[kind] : undefined
}
