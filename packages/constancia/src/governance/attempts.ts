import {
  Attempt,
  codeOf,
  type Host,
  type OpRecord,
  randomFraction,
  retryDelayMs,
  retryPolicy,
} from '../engine/index.js'
import { type Draft, encodeError, encodeValue, isPermanent } from '../journal/index.js'
import type { AnyAction } from './contract/action.js'
import { type About, bodyOf, draftOf } from './kinds.js'
import { isNotDispatched, notDispatchedCode } from './not-dispatched.js'

/** One attempt that is over, of an action whose intent is durable. */
export interface AttemptOver {
  readonly about: About
  readonly attempt: number
  readonly result: { readonly value: unknown } | { readonly error: unknown }
  /** Whether something may have been sent, where that is known otherwise than by the error. */
  readonly wasSent?: boolean
}

/** What is written once an attempt is over, by what the destination offers. Only proof that nothing happened is a failure. */
export function draftAfter({ about, attempt, result, wasSent }: AttemptOver, action: AnyAction, host: Host): Draft {
  const { limits } = host.parts
  const what = `output of action ${JSON.stringify(action.name)}`
  if ('value' in result) {
    try {
      return draftOf('ActionCompleted', { ...about, attempt }, encodeValue(result.value, { limits, what }))
    } catch (error) {
      return unknown({ about, attempt, error, action }, host)
    }
  }
  const { error } = result
  const { protocol } = action.effect
  const policy = retryPolicy(action.retry)
  const isProof = wasSent === undefined ? isNotDispatched(error) : !wasSent
  const isDoubtful = isInDoubt(action, host.peek(about.op))
  if (isPermanent(error) && !(wasSent === false && isDoubtful)) {
    return failed({ about, attempt, error, action }, 'refused', host)
  }
  if (protocol === 'once' && !isProof) return unknown({ about, attempt, error, action }, host)
  if (attempt >= policy.attemptsMax) {
    return isProof && !isDoubtful
      ? failed({ about, attempt, error, action }, 'attempts_used_up', host)
      : unknown({ about, attempt, error, action }, host)
  }
  const fraction = randomFraction(host.runId, `${about.op}/retry/${attempt}`)
  const delayMs = retryDelayMs(policy, { attempt, fraction, retryAfterMs: undefined })
  // A request that may still be on its way must not be overtaken by the question whether it landed.
  const settledMs = action.effect.protocol === 'verify' && !isProof ? action.effect.settlesMs : 0
  const code = isProof ? notDispatchedCode : codeOf(error)
  const body = { ...about, attempt, code, delayMs: Math.max(delayMs, settledMs) }
  return draftOf('ActionAttemptFailed', body, encodeError(error, { limits, what }))
}

interface Fault {
  readonly about: About
  readonly attempt: number
  readonly error: unknown
  readonly action: AnyAction
}

/** An action that did not happen, for good. */
export function failed({ about, attempt, error, action }: Fault, reason: string, { parts }: Host): Draft {
  const data = encodeError(error, { limits: parts.limits, what: `error of action ${JSON.stringify(action.name)}` })
  return draftOf('ActionFailed', { ...about, attempt, code: codeOf(error), reason }, data)
}

/** Nobody knows whether it happened. */
export function unknown({ about, attempt, error, action }: Fault, { parts }: Host): Draft {
  const data = encodeError(error, { limits: parts.limits, what: `doubt about action ${JSON.stringify(action.name)}` })
  return draftOf('OutcomeUnknown', { ...about, attempt, protocol: action.effect.protocol }, data)
}

/** Whether the destination may have forgotten the key of an intent by now; four fifths of its time are counted on. */
export function isForgotten(action: AnyAction, record: OpRecord | undefined, nowMs: number): boolean {
  if (action.effect.protocol !== 'idempotent') return false
  const first = record?.added?.find(({ kind }) => kind === 'ActionAuthorized')
  return first !== undefined && nowMs - first.at > 0.8 * action.effect.remembersMs
}

/** Whether the last failed attempt certainly did not reach the destination. */
export function wasNotDispatched(record: OpRecord | undefined): boolean {
  const last = record?.added?.findLast(({ kind }) => kind === 'ActionAttemptFailed')
  return last !== undefined && bodyOf(last, 'ActionAttemptFailed').code === notDispatchedCode
}

/** Whether an attempt that failed may have landed all the same, and nobody has found out since. */
export function isInDoubt(action: AnyAction, record: OpRecord | undefined): boolean {
  // Under `verify` nothing is tried again before the destination was asked; under `once` only what was not sent.
  if (action.effect.protocol !== 'idempotent') return false
  const events = record?.added ?? []
  const last = events.findLastIndex(({ kind }) => kind === 'OutcomeStated')
  return events
    .slice(last + 1)
    .some(
      (event) =>
        event.kind === 'ActionAttemptFailed' && bodyOf(event, 'ActionAttemptFailed').code !== notDispatchedCode,
    )
}

/** Calls user code that may take long, and tells what came of it, once. The run does not rest meanwhile. */
export function attemptOf(host: Host, { key, attempt, call, over, timeoutMs }: Call): void {
  const made = new Attempt(key, attempt, host.claim)
  made.outlivesCancel = true
  host.began(made)
  const end = (result: AttemptOver['result']): void => {
    if (made.isOver) return
    made.isOver = true
    made.disarm()
    over(result)
    host.ended(made)
  }
  if (timeoutMs !== undefined) {
    made.disarm = host.parts.clock.after(timeoutMs, () => {
      const error = new Error(`It took longer than ${timeoutMs} ms; whether it happened is not known.`)
      made.abort(error)
      end({ error })
    })
  }
  invoke(call, made).then(
    (value) => end({ value }),
    (error: unknown) => end({ error }),
  )
}

interface Call {
  readonly key: string
  readonly attempt: number
  readonly timeoutMs: number | undefined
  readonly call: (attempt: Attempt) => unknown
  readonly over: (result: AttemptOver['result']) => void
}

async function invoke(call: (attempt: Attempt) => unknown, attempt: Attempt): Promise<unknown> {
  return call(attempt)
}
