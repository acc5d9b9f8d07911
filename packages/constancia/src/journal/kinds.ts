import type { Draft } from './event.js'
import type { OpId, RunId } from './ids.js'

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
 * | ChildStarted | the child's input |
 * | ChildCancelRequested | – |
 * | ChildEnded | the child's output or error, nothing where it was cancelled |
 * | CancelRequested | the reason, where one was given |
 * | RetryRequested | – |
 * | FlowCompleted | the output |
 * | FlowFailed | the error |
 * | FlowCancelled | the error of the clean-up, where it failed |
 * | FlowContinued | – |
 */
export interface Bodies {
  readonly FlowStarted: Restricts &
    Tells & {
      readonly flow: string
      readonly version: number
      readonly actor: string | null
      readonly contract: string | null
      readonly patches: readonly string[]
      /** What it shares a limit with, where its flow says so; a pseudonym. */
      readonly key?: string
      /** A whole number from -100 to 100; absent where it is 0. */
      readonly priority?: number
      /** Whose child it is. */
      readonly parent?: { readonly run: RunId; readonly op: OpId }
      /** The run that it takes over from. */
      readonly continues?: RunId
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
  readonly ChildStarted: {
    readonly op: OpId
    readonly flow: string
    readonly version: number
    readonly child: RunId
    readonly patches: readonly string[]
    readonly key?: string
  }
  readonly ChildCancelRequested: { readonly op: OpId; readonly child: RunId }
  readonly ChildEnded: Restricts & { readonly op: OpId; readonly outcome: 'completed' | 'failed' | 'cancelled' }
  /** Somebody wants the run to end; the first counts. */
  readonly CancelRequested: Readonly<Record<string, never>>
  /** An operator asks to try again a run that was stuck. */
  readonly RetryRequested: { readonly note: string }
  readonly FlowCompleted: Restricts & Tells & { readonly unawaited?: readonly OpId[] }
  readonly FlowFailed: Restricts & Tells & { readonly code: string; readonly unawaited?: readonly OpId[] }
  readonly FlowCancelled: Restricts &
    Tells & {
      /** The clean-up failed with this code. */
      readonly code?: string
      /** It was ended from outside; its flow did not run. */
      readonly forced?: true
      readonly unawaited?: readonly OpId[]
    }
  /** The run goes on as another one, with a journal of its own. */
  readonly FlowContinued: { readonly next: RunId; readonly unawaited?: readonly OpId[] }
}

/** What the first event and the last of a child say, and the event that tells its parent. */
export interface Restricts {
  /**
   * People decided something in it, or in a child of its own, and no message of its user came since: whoever waits for its end
   * goes on as if it had waited for that decision itself.
   */
  readonly restricts?: true
}

/** What the first event of a run says whose caller is to be told what becomes of it, and every event that tells them something. */
export interface Tells {
  /** The caller is told of this event: it is put into the outbox. */
  readonly tells?: true
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
  FlowContinued: 'completed',
}

/** What an event of this kind ends its run as, or undefined if it ends nothing. */
export function endOf(kind: string): 'completed' | 'failed' | 'cancelled' | undefined {
  return Object.hasOwn(endKinds, kind) ? endKinds[kind] : undefined
}
