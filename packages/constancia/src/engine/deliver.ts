import { type Draft, draftOf, type Limits, type Restricts, type RunId, type Tells } from '../journal/index.js'
import type { Decision, Facts, RunRow } from '../store/index.js'
import { engineError } from './errors.js'

/** What becomes of something that is sent to a run. */
export type Delivered =
  | { readonly kind: 'delivered' }
  /** This delivery was in already; it counts once. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'refused'; readonly error: Error }
  /** Another run has taken over from this one: it is to be sent there. Nothing was done. */
  | { readonly kind: 'moved' }

const moved: Decision<Delivered> = { drafts: [], result: { kind: 'moved' } }

/** A signal as it arrives. */
export interface IncomingSignal {
  readonly run: RunId
  readonly name: string
  readonly delivery: string
  /** Encoded. */
  readonly payload: string
  readonly limits: Limits
}

/** Decides what a signal does to a run. Pure. */
export function decideSignal(signal: IncomingSignal, facts: Facts): Decision<Delivered> {
  const { run, delivered } = facts
  if (delivered) return { drafts: [], result: { kind: 'duplicate' } }
  if (run?.continuedAs !== undefined) return moved
  const objection = run === undefined ? unknownRun(signal.run) : objectTo(signal, run)
  if (objection !== undefined) return { drafts: [], result: { kind: 'refused', error: objection } }
  const draft = draftOf('SignalReceived', { name: signal.name, delivery: signal.delivery }, signal.payload)
  return { drafts: [draft], result: { kind: 'delivered' } }
}

function objectTo(signal: IncomingSignal, run: NonNullable<Facts['run']>): Error | undefined {
  const { limits, name } = signal
  const what = `Signal ${JSON.stringify(name)} was not delivered`
  if (run.outcome !== 'open')
    return engineError('run_ended', `${what}: run ${run.id} has ended as ${run.outcome}. Nothing was changed.`)
  const unread = run.signalCount - run.readSignalCount
  if (unread >= limits.unreadSignalCountMax) {
    const message = `${what}: run ${run.id} has ${unread} signals that it did not read yet, which is the limit. Send it again later.`
    return engineError('too_many_signals', message)
  }
  if (run.head.seq + 1 < limits.eventCountMax) return undefined
  return engineError(
    'too_many_signals',
    `${what}: the journal of run ${run.id} is at its limit of ${limits.eventCountMax} events.`,
  )
}

/** Decides whether an operator's retry makes a run ready. Pure. */
export function decideRetry(run: RunId, note: string, facts: Facts): Decision<Delivered> {
  const { run: row } = facts
  if (row === undefined) return { drafts: [], result: { kind: 'refused', error: unknownRun(run) } }
  if (row.continuedAs !== undefined) return moved
  if (row.outcome !== 'open') {
    const error = engineError(
      'run_ended',
      `Run ${run} has ended as ${row.outcome}; there is nothing to retry. Start a new run.`,
    )
    return { drafts: [], result: { kind: 'refused', error } }
  }
  if (row.stuck === undefined) return { drafts: [], result: { kind: 'duplicate' } }
  return { drafts: [draftOf('RetryRequested', { note })], unstick: true, result: { kind: 'delivered' } }
}

/** Somebody who wants a run to end. */
export interface Cancellation {
  readonly run: RunId
  /** Encoded; undefined where none was given. */
  readonly reason: string | undefined
}

/**
 * Decides what a wish to cancel does to a run. Pure. The first counts. A run that is stuck tries again, so that its clean-up
 * can run, unless it was set aside because it ends its workers.
 */
export function decideCancel({ run, reason }: Cancellation, facts: Facts): Decision<Delivered> {
  const { run: row } = facts
  if (row === undefined) return refuse(unknownRun(run))
  if (row.continuedAs !== undefined) return moved
  if (row.outcome !== 'open') return refuse(alreadyEnded(row))
  if (row.isCancelRequested) return { drafts: [], result: { kind: 'duplicate' } }
  const unstick = row.stuck !== undefined && row.stuck.code !== 'poison'
  return { drafts: [draftOf('CancelRequested', {}, reason)], unstick, result: { kind: 'delivered' } }
}

/** A wish to end a run at once, and what was read of it before. */
export interface ForcedEnd extends Cancellation {
  readonly headSeq: number
  /** What asks its open children to end. */
  readonly children: readonly Draft[]
  /** What it tells whoever waits for its end, and its caller. */
  readonly told: Restricts & Tells
}

/** Ends a run without its flow; `read_again` if it is not what was read any more. Pure. */
export function decideForcedEnd(
  { run, reason, headSeq, children, told }: ForcedEnd,
  facts: Facts,
): Decision<Delivered | { readonly kind: 'read_again' }> {
  const { run: row } = facts
  if (row === undefined) return refuse(unknownRun(run))
  if (row.continuedAs !== undefined) return moved
  if (row.outcome !== 'open') return refuse(alreadyEnded(row))
  if (row.head.seq !== headSeq) return { drafts: [], result: { kind: 'read_again' } }
  const wish = row.isCancelRequested ? [] : [draftOf('CancelRequested', {}, reason)]
  const drafts = [...wish, ...children, draftOf('FlowCancelled', { forced: true, ...told })]
  return { drafts, result: { kind: 'delivered' } }
}

function refuse(error: Error): Decision<Delivered> {
  return { drafts: [], result: { kind: 'refused', error } }
}

function alreadyEnded(row: RunRow): Error {
  return engineError(
    'run_ended',
    `Run ${row.id} has ended as ${row.outcome}; there is nothing to cancel. Nothing was changed.`,
  )
}

/** Nobody knows a run of this id. */
export function unknownRun(run: RunId): Error {
  return engineError(
    'unknown_run',
    `There is no run ${run} in this store. Nothing was done; look for its id in the list of runs.`,
  )
}
