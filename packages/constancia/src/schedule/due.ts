import { lastOccurrence, lastOccurrences, nextOccurrence, type Span, type Timetable } from './occurrence.js'

/** What becomes of occurrences that nobody could start in time because no worker was up. */
export type MissedPolicy = 'skip' | 'latest' | 'all'

/** How a schedule treats what it missed. */
export interface Lateness {
  readonly missed: MissedPolicy
  /** How many missed occurrences are started at most, the latest of them; for `all`. */
  readonly missedMax: number
  /** Milliseconds after its moment in which an occurrence is on time. */
  readonly lateMs: number
}

/** What is to be done with a span of time. UTC milliseconds since 1970. */
export interface Due {
  /** Occurrences to start, ascending. */
  readonly startMs: readonly number[]
  /** The first and the last of those that are left out; undefined if none is. */
  readonly skippedMs: { readonly first: number; readonly last: number } | undefined
}

// What is on time is not missed, but a schedule that is due every second and may be a day late must not become a storm.
const onTimeCountMax = 1_000

/** Decides what of a span is started, at its end. Pure, but for the database of time zones. */
export function decideDue(timetable: Timetable, lateness: Lateness, span: Span): Due {
  const { afterMs, untilMs } = span
  const lateUntilMs = Math.max(afterMs, untilMs - lateness.lateMs - 1)
  const onTime = lastOccurrences(timetable, { afterMs: lateUntilMs, untilMs }, onTimeCountMax)
  const missedSpan = { afterMs, untilMs: lateUntilMs }
  const startMs = [...lastOccurrences(timetable, missedSpan, caughtUpCount(lateness, onTime.length)), ...onTime]
  return { startMs, skippedMs: skippedOf(timetable, span, startMs) }
}

function caughtUpCount({ missed, missedMax }: Lateness, onTimeCount: number): number {
  if (missed === 'all') return missedMax
  // What is on time is the latest already.
  return missed === 'latest' && onTimeCount === 0 ? 1 : 0
}

// What is left out is older than all that is started: the latest are taken.
function skippedOf(timetable: Timetable, span: Span, startMs: readonly number[]): Due['skippedMs'] {
  const untilMs = startMs[0] === undefined ? span.untilMs : startMs[0] - 1
  const first = nextOccurrence(timetable, span.afterMs)
  if (first === undefined || first > untilMs) return undefined
  return { first, last: lastOccurrence(timetable, { afterMs: span.afterMs, untilMs }) ?? first }
}
