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
const dayMs = 86_400_000
const secondMs = 1_000
// Asking Node.js for the time in a zone takes long; days are remembered, so many at most.
const dayCountMax = 2_000

/** One day of UTC: what is added to UTC from its beginning on, and the shift in it, if there is one. */
interface Day {
  readonly offsetMs: number
  readonly shift: Shift | undefined
}

/** The clocks of one time zone, as the database of time zones in Node.js has them. */
export class Zone {
  readonly #format: Intl.DateTimeFormat
  readonly #days = new Map<number, Day>()

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
    const { offsetMs, shift } = this.#dayOf(momentMs)
    return shift === undefined || momentMs < shift.atMs ? offsetMs : shift.offsetMsAfter
  }

  /** The shift after `fromMs`, up to and including `toMs`, two moments of which only one shift can be in between. */
  shiftBetween(fromMs: number, toMs: number): Shift | undefined {
    for (let startMs = dayStart(fromMs); startMs <= toMs; startMs += dayMs) {
      const { shift } = this.#dayOf(startMs)
      if (shift !== undefined && shift.atMs > fromMs && shift.atMs <= toMs) return shift
    }
    return undefined
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

  #dayOf(momentMs: number): Day {
    const startMs = dayStart(momentMs)
    const known = this.#days.get(startMs)
    if (known !== undefined) return known
    if (this.#days.size >= dayCountMax) this.#days.clear()
    // From the last second of the day before, so that a shift at midnight is in it as well.
    const shift = this.#shiftIn(startMs - secondMs, startMs + dayMs - secondMs)
    const day = { offsetMs: shift?.offsetMsBefore ?? this.#read(startMs), shift }
    this.#days.set(startMs, day)
    return day
  }

  #shiftIn(fromMs: number, toMs: number): Shift | undefined {
    const offsetMsBefore = this.#read(fromMs)
    const offsetMsAfter = this.#read(toMs)
    if (offsetMsBefore === offsetMsAfter) return undefined
    let before = fromMs / secondMs
    let after = toMs / secondMs
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (this.#read(middle * secondMs) === offsetMsBefore) before = middle
      else after = middle
    }
    return { atMs: after * secondMs, offsetMsBefore, offsetMsAfter }
  }

  #read(momentMs: number): number {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
      this.#format.format(momentMs).match(/\d+/g) ?? []
    ).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) - momentMs
  }
}

function dayStart(momentMs: number): number {
  return Math.floor(momentMs / dayMs) * dayMs
}
