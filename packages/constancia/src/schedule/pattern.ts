import { Cron, CronPattern } from 'croner'

/**
 * A cron pattern, read as a calendar and nothing else: it says which readings of a wall clock it names, in the order in which
 * a clock shows them that is never set. What time zones make of these readings is decided in `occurrence.ts`.
 *
 * A wall time is a reading of a wall clock, as milliseconds since 1970 on a clock that shows UTC.
 *
 * Of the parser, only its reading of a pattern is used and its verdict on single days. Its own search leaves days out at the end of
 * February: from 23 February 2026 on, `0 9 1 * 1` is 2 March for it, and not the first.
 */
export class Pattern {
  /**
   * Whether it repeats through the day: a `*` stands in its seconds, minutes or hours. A pattern without one names times of
   * day.
   */
  readonly repeats: boolean
  readonly #cron: Cron
  readonly #fields: CronPattern
  readonly #seconds: readonly number[]
  readonly #minutes: readonly number[]
  readonly #hours: readonly number[]
  readonly #firstTimeMs: number

  /** Throws an `Error` that says what is wrong with the pattern. */
  constructor(text: string) {
    const { cron, fields } = parse(text)
    this.#cron = cron
    this.#fields = fields
    this.#seconds = allowed(fields.second)
    this.#minutes = allowed(fields.minute)
    this.#hours = allowed(fields.hour)
    this.#firstTimeMs = timeMs(this.#hours[0] as number, this.#minutes[0] as number, this.#seconds[0] as number)
    this.repeats = timeFieldsOf(text).some((field) => /[*?]/.test(field))
  }

  /** The first wall time that it names after another one; undefined if there is none in the next hundred years that it may be in. */
  nextWall(afterMs: number): number | undefined {
    const fromMs = Math.floor(afterMs / secondMs) * secondMs + secondMs
    const dayMs = dayStart(fromMs)
    if (this.#namesDay(dayMs)) {
      const time = this.#timeFrom(fromMs - dayMs)
      if (time !== undefined) return dayMs + time
    }
    const found = this.#dayFrom(dayMs + dayLengthMs)
    return found === undefined ? undefined : found + this.#firstTimeMs
  }

  #namesDay(dayMs: number): boolean {
    return this.#cron.match(new Date(dayMs + this.#firstTimeMs))
  }

  #dayFrom(fromMs: number): number | undefined {
    let yearCount = 0
    for (let dayMs = fromMs, year = Number.NaN; yearCount <= yearCountMax; dayMs += dayLengthMs) {
      const day = new Date(dayMs)
      if (day.getUTCFullYear() !== year) {
        const next = this.#yearFrom(day.getUTCFullYear())
        if (next === undefined) return undefined
        if (next !== day.getUTCFullYear()) dayMs = Date.UTC(next, 0, 1)
        year = next
        yearCount += 1
      }
      dayMs = this.#inMonth(dayMs)
      if (new Date(dayMs).getUTCFullYear() === year && this.#namesDay(dayMs)) return dayMs
    }
    return undefined
  }

  #yearFrom(year: number): number | undefined {
    const { starYear, year: years } = this.#fields
    for (let found = year; found < yearEnd; found += 1) if (starYear || years[found]) return found
    return undefined
  }

  // The day itself if its month is one that the pattern names, or else the last one before the next month.
  #inMonth(dayMs: number): number {
    const day = new Date(dayMs)
    if (this.#fields.month[day.getUTCMonth()]) return dayMs
    return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)
  }

  #timeFrom(fromMs: number): number | undefined {
    for (const hour of this.#hours) {
      if (timeMs(hour, 59, 59) < fromMs) continue
      for (const minute of this.#minutes) {
        if (timeMs(hour, minute, 59) < fromMs) continue
        const second = this.#seconds.find((found) => timeMs(hour, minute, found) >= fromMs)
        if (second !== undefined) return timeMs(hour, minute, second)
      }
    }
    return undefined
  }
}

const patternLengthMax = 200
const yearCountMax = 100
const yearEnd = 10_000
const secondMs = 1_000
const dayLengthMs = 86_400_000

function dayStart(wallMs: number): number {
  return Math.floor(wallMs / dayLengthMs) * dayLengthMs
}

function timeMs(hour: number, minute: number, second: number): number {
  return ((hour * 60 + minute) * 60 + second) * secondMs
}

function allowed(field: readonly number[]): number[] {
  return [...field.keys()].filter((value) => field[value])
}

function fieldsOf(text: string): string[] {
  return text.trim() === '' ? [] : text.trim().split(/\s+/)
}

function isNickname(text: string): boolean {
  return text.trim().startsWith('@')
}

function timeFieldsOf(text: string): string[] {
  if (isNickname(text)) return text.trim().toLowerCase() === '@hourly' ? ['*'] : []
  const fields = fieldsOf(text)
  return fields.slice(0, fields.length === 5 ? 2 : 3)
}

function parse(text: string): { readonly cron: Cron; readonly fields: CronPattern } {
  if (text.length > patternLengthMax) throw new Error(`it has ${text.length} characters, more than ${patternLengthMax}`)
  const count = fieldsOf(text).length
  // The parser takes what is no list of fields for a date, which would be due once.
  if (!isNickname(text) && (count < 5 || count > 7))
    throw new Error(`it has ${count} fields instead of 5, 6 (seconds first) or 7 (year last)`)
  try {
    // A fixed offset of nothing: no time zone, not even the machine's, is asked.
    return { cron: new Cron(text.trim(), { utcOffset: 0, paused: true }), fields: new CronPattern(text.trim()) }
  } catch (error) {
    throw new Error((error as Error).message.replace(/^Cron\w+: /, '').replace(/\.$/, ''), { cause: error })
  }
}
