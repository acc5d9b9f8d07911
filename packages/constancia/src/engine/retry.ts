import { days, hours } from './duration.js'
import { engineError } from './errors.js'

/** When a failed attempt is followed by another. */
export interface RetryPolicy {
  /** Attempts in all, the first included; 1 means never again. */
  readonly attemptsMax: number
  /** Milliseconds between the first failure and the second attempt. */
  readonly delayMsFirst: number
  /** What each further delay is multiplied by; 1 or more. */
  readonly factor: number
  /** No computed delay is longer. Milliseconds. */
  readonly delayMsMax: number
  /** How much of a delay may be taken off at random, from 0 to 1, so that runs do not come back in step. */
  readonly jitter: number
  /** A destination's `retry-after` makes a delay longer, up to this. Milliseconds. */
  readonly retryAfterMsMax: number
  /** Errors for which this returns true are not retried. */
  readonly unless: (error: unknown) => boolean
}

/** Five attempts after 1, 2, 4 and 8 seconds, up to a fifth less at random; an hour at most where a destination asks. */
export const defaultRetry: RetryPolicy = {
  attemptsMax: 5,
  delayMsFirst: 1_000,
  factor: 2,
  delayMsMax: 60_000,
  jitter: 0.2,
  retryAfterMsMax: hours(1),
  unless: () => false,
}

/** Completes a policy with a base. Throws `invalid_option`, which names the field, unless every field makes sense. */
export function retryPolicy(policy: Partial<RetryPolicy> = {}, base: RetryPolicy = defaultRetry): RetryPolicy {
  const whole = { ...base, ...policy }
  const year = days(366)
  check(
    'attemptsMax',
    whole,
    Number.isInteger(whole.attemptsMax) && whole.attemptsMax >= 1 ? undefined : 'a whole number from 1',
  )
  check('factor', whole, within(whole.factor, 1, 1_000_000) ? undefined : 'a number from 1 to 1,000,000')
  check('jitter', whole, within(whole.jitter, 0, 1) ? undefined : 'a number from 0 to 1')
  for (const field of ['delayMsFirst', 'delayMsMax', 'retryAfterMsMax'] as const) {
    check(field, whole, within(whole[field], 0, year) ? undefined : 'milliseconds from 0 to a year')
  }
  check('unless', whole, typeof whole.unless === 'function' ? undefined : 'a function')
  return whole
}

function within(value: unknown, from: number, to: number): boolean {
  return typeof value === 'number' && value >= from && value <= to
}

function check(field: keyof RetryPolicy, policy: RetryPolicy, expected: string | undefined): void {
  if (expected === undefined) return
  const message = `A retry policy's ${field} is ${expected}, but it was ${String(policy[field])}. The step was not started.`
  throw engineError('invalid_option', message)
}

/** What the delay after a failed attempt is computed from. */
export interface DelayFacts {
  /** The attempt that failed, from 1. */
  readonly attempt: number
  /** From 0 to 1; takes off up to `jitter` of the delay. */
  readonly fraction: number
  /** What the destination asked for, if it did. */
  readonly retryAfterMs: number | undefined
}

/** Whole milliseconds until the next attempt: from 0 to the cap, or what the destination asked for up to its own cap. */
export function retryDelayMs(policy: RetryPolicy, facts: DelayFacts): number {
  // 0 × Infinity is not a number; a first delay of nothing stays nothing.
  const grown = policy.delayMsFirst === 0 ? 0 : policy.delayMsFirst * policy.factor ** (facts.attempt - 1)
  const delayMs = Math.min(grown, policy.delayMsMax) * (1 - policy.jitter * facts.fraction)
  const floorMs = Math.min(facts.retryAfterMs ?? 0, policy.retryAfterMsMax)
  return Math.round(Math.max(delayMs, floorMs))
}
