/** A moment at which the clocks of a zone are set. */
export interface Shift {
  /** The first moment of the new offset, UTC milliseconds since 1970. */
  readonly atMs: number
  /** Milliseconds to add to UTC before it, and from it on. */
  readonly offsetMsBefore: number
  readonly offsetMsAfter: number
}

/** When a wall time is: at one moment, at two because the clocks are set back over it, or never because they jump over it. */
export interface WallMoments {
  /** UTC milliseconds since 1970, ascending. */
  readonly momentsMs: readonly number[]
  /** What makes it occur twice or never. */
  readonly shift: Shift | undefined
}

// No offset is further from UTC than this, and no zone sets its clocks twice in so short a time around.
const nearMs = 26 * 3_600_000

/** The clocks of one time zone, as the database of time zones in Node.js has them. */
export class Zone {
  readonly #format: Intl.DateTimeFormat

  /** Throws a `RangeError` for a name that this database does not have. */
  constructor(name: string) {
    // Some versions of Node.js also take `+01:00`; a schedule must mean the same on all of them.
    if (!/^[A-Za-z]/.test(name)) throw new RangeError(`Invalid time zone specified: ${name}`)
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  }

  /** Milliseconds to add to UTC at a moment. */
  offsetAt(momentMs: number): number {
    const wholeMs = Math.floor(momentMs / 1_000) * 1_000
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
      this.#format.format(wholeMs).match(/\d+/g) ?? []
    ).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeMs
  }

  /** The shift after `fromMs`, up to and including `toMs`, two moments of which only one shift can be in between. */
  shiftBetween(fromMs: number, toMs: number): Shift | undefined {
    const offsetMsBefore = this.offsetAt(fromMs)
    const offsetMsAfter = this.offsetAt(toMs)
    if (offsetMsBefore === offsetMsAfter) return undefined
    let before = Math.floor(fromMs / 1_000)
    let after = Math.floor(toMs / 1_000)
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (this.offsetAt(middle * 1_000) === offsetMsBefore) before = middle
      else after = middle
    }
    return { atMs: after * 1_000, offsetMsBefore, offsetMsAfter }
  }

  /** The shift in the day after a moment by which clocks are set back to what they showed at it or before; or none. */
  shiftBackSoon(momentMs: number): Shift | undefined {
    const shift = this.shiftBetween(momentMs, momentMs + nearMs)
    if (shift === undefined) return undefined
    return shift.atMs + shift.offsetMsAfter <= momentMs + shift.offsetMsBefore ? shift : undefined
  }

  /** When clocks show a wall time. */
  momentsOf(wallMs: number): WallMoments {
    const roughMs = wallMs - this.offsetAt(wallMs)
    const offsets = [this.offsetAt(roughMs - nearMs), this.offsetAt(roughMs + nearMs)] as const
    if (offsets[0] === offsets[1]) return { momentsMs: [wallMs - offsets[0]], shift: undefined }
    const momentsMs = offsets
      .map((offsetMs) => wallMs - offsetMs)
      .filter((momentMs) => momentMs + this.offsetAt(momentMs) === wallMs)
      .sort((one, other) => one - other)
    if (momentsMs.length === 1) return { momentsMs, shift: undefined }
    return { momentsMs, shift: this.shiftBetween(roughMs - nearMs, roughMs + nearMs) }
  }
}
