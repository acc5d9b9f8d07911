import type { AboutOp, RunBodies as Bodies, VoteRefusal } from '@constancia/verify/governance'
import type { Draft, OpId, StoredEvent } from '../journal/index.js'

/** The kinds of events that governance writes into the journal of a run, and what their bodies say. */
export type RunBodies = Bodies<OpId>

/** Which word of the flow an event is about. */
export type About = AboutOp<OpId>

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
