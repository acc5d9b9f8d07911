import { draftOf, type Limits, type RunId } from '../journal/index.js'
import type { Decision, Facts } from '../store/index.js'
import { engineError } from './errors.js'

/** What becomes of something that is sent to a run. */
export type Delivered =
  | { readonly kind: 'delivered' }
  /** This delivery was in already; it counts once. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'refused'; readonly error: Error }

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

/** Nobody knows a run of this id. */
export function unknownRun(run: RunId): Error {
  return engineError(
    'unknown_run',
    `There is no run ${run} in this store. Nothing was done; look for its id in the list of runs.`,
  )
}
