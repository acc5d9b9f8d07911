import type { Pattern } from './pattern.js'
import type { Zone } from './zone.js'

/**
 * The rule of daylight saving. A pattern that names times of day (`30 2 * * *`) is due once for each: a time that occurs twice
 * counts the first time, and one that the clocks jump over is due when they have jumped. A pattern that repeats through the day
 * (`*` in its seconds, minutes or hours) is due whenever a clock shows what it names: in both passes of an hour that comes twice, and
 * never in one that does not exist. Nothing else in Constancia knows this rule.
 */
export interface Timetable {
  readonly pattern: Pattern
  readonly zone: Zone
}

/** A span of time: after one moment, up to and including another. UTC milliseconds since 1970. */
export interface Span {
  readonly afterMs: number
  readonly untilMs: number
}

const secondMs = 1_000
const dayMs = 86_400_000

/** The first moment after another at which a timetable is due, UTC milliseconds since 1970; undefined if it never is again. */
export function nextOccurrence(timetable: Timetable, afterMs: number): number | undefined {
  const wholeMs = Math.floor(afterMs / secondMs) * secondMs
  const aheadMs = nextAhead(timetable, wholeMs)
  if (!timetable.pattern.repeats) return aheadMs
  const againMs = nextAgain(timetable, wholeMs)
  return againMs !== undefined && (aheadMs === undefined || againMs < aheadMs) ? againMs : aheadMs
}

// Among the wall times that clocks have not shown yet.
function nextAhead({ pattern, zone }: Timetable, afterMs: number): number | undefined {
  let wallMs = pattern.nextWall(afterMs + zone.offsetAt(afterMs))
  while (wallMs !== undefined) {
    const { momentsMs, shift } = zone.momentsOf(wallMs)
    if (pattern.repeats) {
      const foundMs = momentsMs.find((momentMs) => momentMs > afterMs)
      if (foundMs !== undefined) return foundMs
    } else {
      // A jump of a day or more leaves out days: a time of a day that does not exist is not due.
      const isMoved = shift !== undefined && shift.offsetMsAfter - shift.offsetMsBefore < dayMs
      const dueMs = momentsMs[0] ?? (isMoved ? shift.atMs : undefined)
      if (dueMs !== undefined && dueMs > afterMs) return dueMs
    }
    // All that the shift doubles or leaves out is like this one: go on behind it.
    const behindMs = shift === undefined ? wallMs : shift.atMs + Math.max(shift.offsetMsBefore, shift.offsetMsAfter)
    wallMs = pattern.nextWall(Math.max(wallMs, behindMs - secondMs))
  }
  return undefined
}

// Among those that they have shown, and will show again because they are soon set back.
function nextAgain({ pattern, zone }: Timetable, afterMs: number): number | undefined {
  const shift = zone.shiftBackSoon(afterMs)
  if (shift === undefined) return undefined
  const wallMs = pattern.nextWall(shift.atMs + shift.offsetMsAfter - secondMs)
  if (wallMs === undefined || wallMs > afterMs + shift.offsetMsBefore) return undefined
  return wallMs - shift.offsetMsAfter
}

/** The last moment of a span at which a timetable is due; undefined if it is not due in it. Looks some thirty times, however long it is. */
export function lastOccurrence(timetable: Timetable, { afterMs, untilMs }: Span): number | undefined {
  const dueIn = (fromMs: number): number | undefined => {
    const dueMs = nextOccurrence(timetable, fromMs)
    return dueMs !== undefined && dueMs <= untilMs ? dueMs : undefined
  }
  let lastMs = dueIn(afterMs)
  if (lastMs === undefined) return undefined
  let noneAfterMs = untilMs
  while (noneAfterMs - lastMs >= secondMs) {
    const middleMs: number = lastMs + Math.floor((noneAfterMs - lastMs) / (2 * secondMs)) * secondMs
    const laterMs = dueIn(middleMs)
    if (laterMs !== undefined) lastMs = laterMs
    else if (middleMs === lastMs) break
    else noneAfterMs = middleMs
  }
  return lastMs
}

/** The last moments of a span at which a timetable is due, at most so many, ascending. */
export function lastOccurrences(timetable: Timetable, span: Span, countMax: number): number[] {
  const { untilMs } = span
  const found: number[] = []
  let nextMs = nextOccurrence(timetable, span.afterMs)
  while (nextMs !== undefined && nextMs <= untilMs && found.length <= countMax) {
    found.push(nextMs)
    nextMs = nextOccurrence(timetable, nextMs)
  }
  if (found.length <= countMax) return found
  // There are more than wanted: from the end, so that a long absence of something frequent costs no walk through all of it.
  const last: number[] = []
  let endMs = untilMs
  while (last.length < countMax) {
    const foundMs = lastOccurrence(timetable, { afterMs: span.afterMs, untilMs: endMs })
    if (foundMs === undefined) break
    last.unshift(foundMs)
    endMs = foundMs - secondMs
  }
  return last
}
