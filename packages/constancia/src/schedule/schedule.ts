import { type AnyFlow, days, engineError, type Flow, seconds } from '../engine/index.js'
import { type ConstanciaError, defaultLimits, encodeValue, sha256 } from '../journal/index.js'
import { systemClock } from '../store/index.js'
import type { Lateness, MissedPolicy } from './due.js'
import { nextOccurrence, type Timetable } from './occurrence.js'
import { Pattern } from './pattern.js'
import type { Spec } from './spec.js'
import { Zone } from './zone.js'

/** What {@link schedule} takes. */
export interface ScheduleDeclaration<Input> {
  /** 1 to 100 of the characters `A-Z a-z 0-9 . _ -`. Its runs are named after it: `<name>:2026-03-29T01:30:00Z`. */
  readonly name: string
  /**
   * Minute, hour, day of the month, month, day of the week; with six fields seconds come first, with seven the year last. Also
   * `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`, `L`, `W` and `#` as the documentation tells.
   */
  readonly cron: string
  /** Whose clocks the pattern is about: `Europe/Madrid`, `UTC`. */
  readonly timeZone: string
  /** What each occurrence starts a run of. */
  readonly flow: Flow<Input, unknown>
  /** What each of these runs gets. */
  readonly input: Input
  /**
   * What happens when no worker was up in time: occurrences are left out (`skip`), the latest is started (`latest`), or all of
   * them are (`all`). `latest` unless set.
   */
  readonly missed?: MissedPolicy
  /** With `all`: at most so many, the latest ones. 100 unless set; at most 1,000. */
  readonly missedMax?: number
  /** Milliseconds after its moment in which an occurrence still is on time. A minute unless set; at most a day. */
  readonly lateMs?: number
  /** The principal as whom its runs act; a pseudonym. */
  readonly actor?: string
}

/** A declared schedule, for the `schedules` of `open`. */
export interface Schedule {
  readonly name: string
  readonly flow: AnyFlow
  /** What its run is told. */
  readonly spec: Spec
  /** The first moment after another at which it is due, UTC milliseconds since 1970; undefined if it never is again. */
  nextAfter(momentMs: number): number | undefined
}

// Its run keeps where it stands beside what it was told, in one text.
const specLimits = { ...defaultLimits, textBytesMax: defaultLimits.textBytesMax - 1_024 }
const namePattern = /^[A-Za-z0-9._-]{1,100}$/

/**
 * Declares a schedule: a run of its flow is started whenever the pattern is due, once for each occurrence, whatever crashes.
 * Throws `invalid_option`, which says what is wrong, for a name that makes no id, a pattern that does not parse or is never due from
 * now on, an unknown time zone, or a policy that makes no sense; `not_serializable` or `value_too_large` for an input that
 * cannot be kept.
 */
export function schedule<Input>(declaration: ScheduleDeclaration<Input>): Schedule {
  const { name, cron, timeZone, flow, input, actor } = declaration
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw invalid(
      `A schedule's name is 1 to 100 of the characters A-Z a-z 0-9 . _ -, but it was ${JSON.stringify(name)}.`,
    )
  }
  requireText(name, 'cron pattern', cron)
  requireText(name, 'timeZone', timeZone)
  if (typeof flow?.run !== 'function') throw invalid(`The flow of schedule ${name} is what flow() returned.`)
  if (actor !== undefined && !/^[A-Za-z0-9._:~-]{1,200}$/.test(actor)) {
    throw invalid(`The actor of schedule ${name} is 1 to 200 of the characters A-Z a-z 0-9 . _ : ~ -.`)
  }
  const timetable = timetableOf({ cron, timeZone }, name)
  requireOccurrence(timetable, { name, cron, timeZone })
  const { missed, missedMax, lateMs } = latenessOf(declaration)
  const { version } = flow
  const told = {
    cron,
    timeZone,
    missed,
    missedMax,
    lateMs,
    flow: { name: flow.name, version },
    input,
    actor: actor ?? null,
  }
  const text = encodeValue(told, { limits: specLimits, what: `schedule ${name}` })
  const digest = sha256(text).slice(0, 32)
  return { name, flow, spec: { digest, ...told }, nextAfter: (momentMs) => nextOccurrence(timetable, momentMs) }
}

/** Reads a pattern and its zone. Throws `invalid_option`, which says what is wrong with which of them. */
export function timetableOf(from: Pick<Spec, 'cron' | 'timeZone'>, name: string): Timetable {
  return { pattern: patternOf(from.cron, name), zone: zoneOf(from.timeZone, name) }
}

function patternOf(cron: string, name: string): Pattern {
  try {
    return new Pattern(cron)
  } catch (cause) {
    const why = (cause as Error).message
    throw invalid(
      `The cron pattern ${JSON.stringify(cron.slice(0, 80))} of schedule ${name} does not parse: ${why}.`,
      cause,
    )
  }
}

function zoneOf(timeZone: string, name: string): Zone {
  try {
    return new Zone(timeZone)
  } catch (cause) {
    const shown = JSON.stringify(timeZone.slice(0, 80))
    throw invalid(
      `Schedule ${name} names the time zone ${shown}, which is unknown here; write Europe/Madrid or UTC.`,
      cause,
    )
  }
}

function requireOccurrence(
  timetable: Timetable,
  { name, cron, timeZone }: Record<'name' | 'cron' | 'timeZone', string>,
): void {
  if (nextOccurrence(timetable, systemClock.now()) !== undefined) return
  const ever = nextOccurrence(timetable, 0)
  const why = ever === undefined ? 'no calendar has such a day and time' : 'all of its moments have passed'
  throw invalid(
    `The cron pattern ${JSON.stringify(cron)} of schedule ${name} is never due in ${timeZone} from now on: ${why}.`,
  )
}

type LatenessOptions = Pick<ScheduleDeclaration<never>, 'name' | 'missed' | 'missedMax' | 'lateMs'>

function latenessOf(declaration: LatenessOptions): Lateness {
  const { name, missed = 'latest', missedMax = 100, lateMs = seconds(60) } = declaration
  if (!['skip', 'latest', 'all'].includes(missed)) {
    throw invalid(`missed of schedule ${name} is 'skip', 'latest' or 'all', but it was ${JSON.stringify(missed)}.`)
  }
  if (!Number.isInteger(missedMax) || missedMax < 1 || missedMax > 1_000) {
    throw invalid(`missedMax of schedule ${name} is a whole number from 1 to 1,000, but it was ${String(missedMax)}.`)
  }
  if (!Number.isInteger(lateMs) || lateMs < 0 || lateMs > days(1)) {
    throw invalid(`lateMs of schedule ${name} is whole milliseconds from 0 to a day, but it was ${String(lateMs)}.`)
  }
  return { missed, missedMax, lateMs }
}

function requireText(name: string, what: string, value: unknown): void {
  if (typeof value !== 'string')
    throw invalid(`The ${what} of schedule ${name} is a text, but it was a ${typeof value}.`)
}

function invalid(what: string, cause?: unknown): ConstanciaError {
  return engineError('invalid_option', `${what} Nothing is scheduled; correct the declaration.`, { cause })
}
