import { bodyOf, type Draft, type OpId, type Restriction, type RunId, type Tells } from '../journal/index.js'
import type { ClaimRef } from '../store/index.js'
import type { Bearing, OpRecord, Outcome } from './history.js'
import { endTellsOf, tellsOf } from './telling.js'

/** What a layer above adds to a flow: events of words of its own, and a say in whether its runs may go on. */
export interface Addon {
  readonly bearing: Bearing
  readonly guard: Guard | undefined
}

/** Decides whether a run may go on: after each pause, and whenever somebody takes it up again. */
export interface Guard {
  /** The kind of the event that lets the outcome of a pause reach the flow. */
  readonly permission: string
  /** The kind of the event that puts a permission off until somebody outside gives it: nothing of the run executes meanwhile. */
  readonly deferral: string
  /** Kinds of outcomes, besides the engine's own, that end a pause. */
  readonly pauses: ReadonlySet<string>
  /** What is written before the outcome of a pause is handed over: its permission, or the end of the run. Pure. */
  readonly afterPause: (run: GuardedRun, pause: Pause) => readonly Draft[]
  /** What is written when somebody takes the run up: nothing if it may go on, or its end. Pure. */
  readonly onClaim: (run: GuardedRun) => readonly Draft[]
}

/** The run that a guard speaks about. */
export interface GuardedRun {
  readonly id: RunId
  readonly actor: string | null
  readonly flow: string
  readonly version: number
  /** The digest of the contract that it is bound to. */
  readonly contract: string | null
  /** UTC milliseconds since 1970. */
  readonly startedAtMs: number
  /** Events of the layer above of this kind, in the order of the journal. */
  readonly addedOf: (kind: string) => readonly Outcome[]
  /** Whether somebody wants it to end. */
  readonly isCancelled: () => boolean
  /** What events say that its caller is told of. */
  readonly tells: Tells
  /** What its end says. */
  readonly endTells: Tells
  /** What people decided in it and in its children. */
  readonly restriction: Pick<Restriction, 'isFromChildOf' | 'facts'>
}

/** A wait that is over. */
export interface Pause {
  readonly op: OpId
  readonly verb: string
  readonly name: string
  /** The kind of the event that ended it. */
  readonly endedBy: string
}

/** Nothing is added. */
export const noAddon: Addon = { bearing: () => undefined, guard: undefined }

const ownPauses = new Set(['TimerFired', 'SignalReceived', 'ChildEnded'])

/** Whether an outcome ends a pause and waits for its permission. */
export function isHeldBack(guard: Guard, event: Outcome, record: OpRecord | undefined): boolean {
  if (!ownPauses.has(event.kind) && !guard.pauses.has(event.kind)) return false
  return record?.added?.some(({ kind }) => kind === guard.permission) !== true
}

/** A pause of this run whose permission was put off and not given since. */
export function deferredIn({ addedOf }: GuardedRun, guard: Guard): Pick<Pause, 'op' | 'name'> | undefined {
  if (addedOf(guard.deferral).length === 0) return undefined
  const permitted = new Set(addedOf(guard.permission).map(({ body }) => placeIn(body).op))
  const open = addedOf(guard.deferral).find(({ body }) => !permitted.has(placeIn(body).op))
  return open === undefined ? undefined : placeIn(open.body)
}

function placeIn(body: string): Pick<Pause, 'op' | 'name'> {
  const { op, name } = JSON.parse(body) as Pause
  return { op, name }
}

/** What a guard is told of a run. */
export function guardedRun(
  { run: id }: ClaimRef,
  first: Outcome,
  now: Pick<GuardedRun, 'addedOf' | 'isCancelled' | 'restriction'>,
): GuardedRun {
  const started = bodyOf(first, 'FlowStarted')
  const { actor, flow, version, contract } = started
  const told = { tells: tellsOf(started), endTells: endTellsOf(started) }
  return { id, actor, flow, version, contract, startedAtMs: first.at, ...told, ...now }
}
