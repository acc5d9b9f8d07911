import type { DeclaredApproval, DenialCode, VoteRefusal } from '@constancia/verify'
import type { Draft, OpId, StoredEvent, Tells } from '../journal/index.js'

/**
 * The kinds of events that governance writes into the journal of a run, and what their bodies say. `verb` and `name` say
 * which word of the flow the op is. `data` beside each, where there is one.
 *
 * | kind | data |
 * |---|---|
 * | ActionAuthorized | the input, exactly as it executes |
 * | ActionDenied | the reason in words |
 * | ActionCompleted | the output |
 * | ActionAttemptFailed, ActionFailed | the error |
 * | OutcomeUnknown | why |
 * | OutcomeStated | `{ note, output }`: what the person knows, and the output where it was done, where there are any |
 * | ApprovalRequested | what is shown |
 * | ApprovalVoted | `{ note, amended }`: the note, and the text of the amended input, where there are any |
 * | ApprovalWithdrawn, ApprovalEscalated | – |
 * | ApprovalResolved | the text of the amended input where there is one |
 * | ResumeAuthorized, ResumeDeferred, ResumeDenied | – |
 * | MessageSent | the values |
 */
export interface RunBodies {
  readonly ActionAuthorized: About & {
    readonly attempt: number
    readonly contract: string
    readonly rule: number
    /** Those of the actor, read in the transaction of this event. */
    readonly roles: readonly string[]
    /** The op whose approval was used. */
    readonly approval?: OpId
    /** What it costs, where the action says so. */
    readonly cents?: number
  }
  readonly ActionDenied: About & {
    readonly contract: string
    readonly code: DenialCode | 'situation_changed' | 'approval_rejected' | 'approval_expired' | 'limit_exceeded'
    readonly roles: readonly string[]
  }
  readonly ActionCompleted: About & { readonly attempt: number; readonly found?: true }
  readonly ActionAttemptFailed: About & { readonly attempt: number; readonly code: string; readonly delayMs: number }
  readonly ActionFailed: About & { readonly attempt: number; readonly code: string; readonly reason: string }
  readonly OutcomeUnknown: About & { readonly attempt: number; readonly protocol: string }
  readonly OutcomeStated: About & {
    readonly stater: string
    readonly outcome: 'done' | 'not_done' | 'failed'
    readonly delivery: string
    readonly roles: readonly string[]
  }
  readonly ApprovalRequested: About &
    Tells & {
      readonly contract: string
      /** What it would allow; null for a plain question, which authorises nothing. */
      readonly action: string | null
      /** The rule that asks for it, where the gate did. */
      readonly rule: number | null
      readonly policy: DeclaredApproval
      /** The digest that a vote has to name: SHA-256 of a salt of the run and the exact text that is shown, lower-case hex. */
      readonly shown: string
    }
  readonly ApprovalVoted: About & {
    readonly voter: string
    readonly choice: 'approve' | 'reject'
    readonly shown: string
    /** By which the voter decides, read in the transaction of this event. */
    readonly roles: readonly string[]
    readonly delivery: string
    /** The digest of what the voter wants instead; null without changes. */
    readonly amended: string | null
  }
  /** `voter` and `delivery` of the vote that is taken back. */
  readonly ApprovalWithdrawn: About & { readonly voter: string; readonly delivery: string }
  /** More roles may decide from now on. */
  readonly ApprovalEscalated: About & { readonly roles: readonly string[] }
  readonly ApprovalResolved: About & Tells & { readonly outcome: ApprovalOutcome }
  readonly ResumeAuthorized: About & { readonly contract: string; readonly roles: readonly string[] }
  /** The rest may call a model, so it waits for the next message of the user. */
  readonly ResumeDeferred: About & Tells & { readonly contract: string }
  /** The user came back and may not go on with it any more; the run stays paused. */
  readonly ResumeDenied: About & Tells & { readonly contract: string; readonly roles: readonly string[] }
  readonly MessageSent: About & Tells & { readonly template: string; readonly language: string }
}

/** Which word of the flow an event is about. */
export interface About {
  readonly op: OpId
  readonly verb: string
  readonly name: string
}

/** What an approval came to. */
export type ApprovalOutcome = 'approved' | 'rejected' | 'expired' | 'lapsed'

/** What a vote that was not taken is refused for. */
export type VoteRefusalCode =
  | VoteRefusal
  | 'unknown_run'
  | 'unknown_approval'
  | 'resolved_already'
  | 'run_ended'
  | 'cancelled'
  | 'reason_missing'
  /** The changed input does not fit the action's schema, or comes with a rejection. */
  | 'amended_unfit'
  /** The delivery's id belongs to another answer of this voter. */
  | 'delivery_used'
  /** There is no vote to withdraw. */
  | 'not_voted'
  /** This person has withdrawn too often. */
  | 'withdrawn_too_often'
  /** No effect of this op has an unknown outcome. */
  | 'nothing_unknown'
  /** The output that was stated does not fit the action's schema, or comes with something else than done. */
  | 'output_unfit'

/** The name of a kind that governance writes into runs. */
export type RunKind = keyof RunBodies

/** Makes a draft of a kind; the body's keys are written in the order given. */
export function draftOf<K extends RunKind>(kind: K, body: RunBodies[K], data?: string): Draft {
  return { kind, body: JSON.stringify(body), data }
}

/** Reads the body of an event that is known to be of this kind. */
export function bodyOf<K extends RunKind>(event: Pick<StoredEvent, 'kind' | 'body'>, kind: K): RunBodies[K] {
  if (event.kind !== kind) throw new TypeError(`A ${event.kind} was read as ${kind}.`)
  return JSON.parse(event.body) as RunBodies[K]
}
