import { Cron } from 'croner'

/**
 * A cron pattern, read as a calendar and nothing else: it says which readings of a wall clock it names, in the order in which
 * a clock shows them that is never set. What time zones make of these readings is decided in `occurrence.ts`.
 *
 * A wall time is a reading of a wall clock, as milliseconds since 1970 on a clock that shows UTC.
 */
export class Pattern {
  /**
   * Whether it repeats through the day: a `*` stands in its seconds, minutes or hours. A pattern without one names times of
   * day.
   */
  readonly repeats: boolean
  readonly #cron: Cron

  /** Throws an `Error` that says what is wrong with the pattern. */
  constructor(text: string) {
    const fields = text.trim().split(/\s+/)
    if (text.length > patternLengthMax)
      throw new Error(`it has ${text.length} characters, more than ${patternLengthMax}`)
    const isNickname = fields.length === 1 && text.startsWith('@')
    // What is no list of fields is read as a date by the parser, and would be due once.
    if (!isNickname && (fields.length < 5 || fields.length > 7)) {
      throw new Error(
        `it has ${text.trim() === '' ? 0 : fields.length} fields instead of 5, 6 (seconds first) or 7 (year last)`,
      )
    }
    this.#cron = parse(text)
    const timeFields = isNickname ? [] : fields.slice(0, fields.length === 5 ? 2 : 3)
    this.repeats = timeFields.some((field) => /[*?]/.test(field)) || text.trim().toLowerCase() === '@hourly'
  }

  /** The first wall time that it names after another one; undefined if there is none before the year 10000. */
  nextWall(afterMs: number): number | undefined {
    return this.#cron.nextRun(new Date(Math.floor(afterMs / 1_000) * 1_000))?.getTime()
  }
}

const patternLengthMax = 200

function parse(text: string): Cron {
  try {
    // A fixed offset of nothing: no time zone, not even the machine's, is asked.
    return new Cron(text, { utcOffset: 0, paused: true })
  } catch (error) {
    throw new Error((error as Error).message.replace(/^Cron\w+: /, '').replace(/\.$/, ''), { cause: error })
  }
}
