import type { DeclaredApproval } from './contract.js'
import type { DenialCode } from './verdict.js'

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
export interface RunBodies<Op extends string = string> {
  readonly ActionAuthorized: AboutOp<Op> & {
    readonly attempt: number
    readonly contract: string
    readonly rule: number
    /** Those of the actor, read in the transaction of this event. */
    readonly roles: readonly string[]
    /** The op whose approval was used. */
    readonly approval?: Op
    /** What it costs, where the action says so. */
    readonly cents?: number
  }
  readonly ActionDenied: AboutOp<Op> & {
    readonly contract: string
    readonly code: DenialCode | 'situation_changed' | 'approval_rejected' | 'approval_expired' | 'limit_exceeded'
    readonly roles: readonly string[]
  }
  readonly ActionCompleted: AboutOp<Op> & { readonly attempt: number; readonly found?: true }
  readonly ActionAttemptFailed: AboutOp<Op> & {
    readonly attempt: number
    readonly code: string
    readonly delayMs: number
  }
  readonly ActionFailed: AboutOp<Op> & { readonly attempt: number; readonly code: string; readonly reason: string }
  readonly OutcomeUnknown: AboutOp<Op> & { readonly attempt: number; readonly protocol: string }
  readonly OutcomeStated: AboutOp<Op> & {
    readonly stater: string
    readonly outcome: 'done' | 'not_done' | 'failed'
    readonly delivery: string
    readonly roles: readonly string[]
  }
  readonly ApprovalRequested: Told<Op> & {
    readonly contract: string
    /** What it would allow; null for a plain question, which authorises nothing. */
    readonly action: string | null
    /** The rule that asks for it, where the gate did. */
    readonly rule: number | null
    readonly policy: DeclaredApproval
    /** The digest that a vote has to name: SHA-256 of a salt of the run and the exact text that is shown, lower-case hex. */
    readonly shown: string
  }
  readonly ApprovalVoted: AboutOp<Op> & {
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
  readonly ApprovalWithdrawn: AboutOp<Op> & { readonly voter: string; readonly delivery: string }
  /** More roles may decide from now on. */
  readonly ApprovalEscalated: AboutOp<Op> & { readonly roles: readonly string[] }
  readonly ApprovalResolved: Told<Op> & { readonly outcome: ApprovalOutcome }
  readonly ResumeAuthorized: AboutOp<Op> & { readonly contract: string; readonly roles: readonly string[] }
  /** The rest may call a model, so it waits for the next message of the user. */
  readonly ResumeDeferred: Told<Op> & { readonly contract: string }
  /** The user came back and may not go on with it any more; the run stays paused. */
  readonly ResumeDenied: Told<Op> & { readonly contract: string; readonly roles: readonly string[] }
  readonly MessageSent: Told<Op> & { readonly template: string; readonly language: string }
}

/** Which word of the flow an event is about. */
export interface AboutOp<Op extends string = string> {
  readonly op: Op
  readonly verb: string
  readonly name: string
}

/** The same of an event that the caller of the run may be told of. */
interface Told<Op extends string> extends AboutOp<Op> {
  /** The caller is told of this event. */
  readonly tells?: true
}

/** What an approval came to. */
export type ApprovalOutcome = 'approved' | 'rejected' | 'expired' | 'lapsed'

/** The code of an attempt that certainly did not reach its destination. */
export const notDispatchedCode = 'not_dispatched'
