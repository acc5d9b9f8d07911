import type { TimerSpec } from '../journal/index.js'
import { engineError } from './errors.js'

/** So many seconds, in milliseconds. */
export const seconds = (count: number): number => count * 1_000
/** So many minutes, in milliseconds. */
export const minutes = (count: number): number => count * 60_000
/** So many hours, in milliseconds. */
export const hours = (count: number): number => count * 3_600_000
/** So many days of 24 hours, in milliseconds. */
export const days = (count: number): number => count * 86_400_000

/** The last moment that a JavaScript date can name, UTC milliseconds since 1970: the year 275760. */
export const lastMomentMs = 8.64e15
const durationMsMax = days(366 * 1_000)

/**
 * Reads a duration in milliseconds: a finite number from 0 to a thousand years. Throws `invalid_option`, which names what
 * was given.
 */
export function parseDuration(value: unknown, what: string): number {
  if (typeof value === 'number' && value >= 0 && value <= durationMsMax) return Math.ceil(value)
  const shown =
    typeof value === 'string' ? JSON.stringify(value) : typeof value === 'number' ? String(value) : `a ${typeof value}`
  throw engineError(
    'invalid_option',
    `${what} is a number of milliseconds from 0 to ${durationMsMax} (a thousand years), but it was ${shown}. ` +
      'Nothing was set; pass a number, for instance minutes(5), or a Date.',
  )
}

/** Reads what `ctx.sleep` takes: milliseconds, or the date to sleep until. Throws `invalid_option`. */
export function parseTimer(value: unknown, what: string): TimerSpec {
  if (!(value instanceof Date)) return { afterMs: parseDuration(value, what) }
  const untilMs = value.getTime()
  if (Number.isFinite(untilMs)) return { untilMs }
  throw engineError('invalid_option', `${what} is an invalid date. Nothing was set; pass a valid Date or milliseconds.`)
}

/** When a timer is due that was set at a moment; both UTC milliseconds since 1970. */
export function timerDueMs(timer: TimerSpec, setAtMs: number): number {
  return 'untilMs' in timer ? timer.untilMs : Math.min(setAtMs + timer.afterMs, lastMomentMs)
}
