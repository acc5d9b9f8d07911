/**
 * What is due when, found in the slowest and plainest way: a walk over every minute of a span, reading the clock of the zone each
 * time. It shares nothing with the library but the rule that both follow.
 */

/** A cron pattern of five fields, written out as the numbers it allows. */
export interface Written {
  readonly cron: string
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
  readonly isAnyDay: boolean
  readonly isAnyWeekday: boolean
  /** A star stands in its minutes or hours. */
  readonly repeats: boolean
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** Reads five fields of stars, numbers, lists, ranges and steps. */
export function written(cron: string): Written {
  const fields = cron.split(' ')
  const [minutes, hours, days, months, weekdays] = fields.map((field, index) => numbersOf(field, ranges[index]!)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  if (weekdays.delete(7)) weekdays.add(0)
  return {
    cron,
    minutes,
    hours,
    days,
    months,
    weekdays,
    isAnyDay: fields[2] === '*',
    isAnyWeekday: fields[4] === '*',
    repeats: `${fields[0]}${fields[1]}`.includes('*'),
  }
}

const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const

function numbersOf(field: string, [least, most]: readonly [number, number]): Set<number> {
  const found = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/')
    const [from, to = from] = range === '*' ? [least, most] : range.split('-').map(Number)
    for (let value = from!; value <= to!; value += Number(step)) found.add(value)
  }
  return found
}

/** The clock of one zone at every minute of a span; wall times are milliseconds on a clock that shows UTC. */
export class Clocks {
  readonly fromMs: number
  readonly untilMs: number
  readonly walls: Float64Array
  readonly #firstShown = new Map<number, number>()

  constructor(timeZone: string, fromMs: number, untilMs: number) {
    this.fromMs = fromMs
    this.untilMs = untilMs
    this.walls = new Float64Array((untilMs - fromMs) / minuteMs)
    const read = clockOf(timeZone)
    for (let index = 0; index < this.walls.length; index += 1) {
      const momentMs = fromMs + index * minuteMs
      const wallMs = read(momentMs)
      this.walls[index] = wallMs
      if (!this.#firstShown.has(wallMs)) this.#firstShown.set(wallMs, momentMs)
    }
  }

  /** Every moment of the span at which a pattern is due, in order. */
  due(pattern: Written): number[] {
    return pattern.repeats ? this.#whenever(pattern) : this.#onceEach(pattern)
  }

  // Whenever the clock shows what it names.
  #whenever(pattern: Written): number[] {
    const found: number[] = []
    for (const [index, wallMs] of this.walls.entries()) {
      if (names(pattern, wallMs)) found.push(this.fromMs + index * minuteMs)
    }
    return found
  }

  // Each reading that the calendar has, once: the first time that it is shown, or when the clock has jumped over it.
  #onceEach(pattern: Written): number[] {
    const found = new Set<number>()
    const lastMs = this.walls.at(-1)!
    for (let wallMs = this.walls[0]!; wallMs <= lastMs; wallMs += minuteMs) {
      if (!names(pattern, wallMs)) continue
      const shownMs = this.#firstShown.get(wallMs) ?? this.#jumpedOver(wallMs)
      if (shownMs !== undefined) found.add(shownMs)
    }
    return [...found].sort((one, other) => one - other)
  }

  #jumpedOver(wallMs: number): number | undefined {
    const index = this.walls.findIndex((shown) => shown > wallMs)
    const isDayLeftOut = this.walls[index]! - this.walls[index - 1]! > 1_440 * minuteMs
    return isDayLeftOut ? undefined : this.fromMs + index * minuteMs
  }
}

function clockOf(timeZone: string): (momentMs: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (momentMs) => Date.parse(`${format.format(momentMs).replace(' ', 'T')}Z`)
}

/** The clocks of a zone for some days around each time that they are set in a span. */
export function clocksAroundChanges(timeZone: string, fromMs: number, untilMs: number): Clocks[] {
  const read = clockOf(timeZone)
  const found: Clocks[] = []
  for (let ms = fromMs; ms < untilMs; ms += dayMs) {
    if (read(ms + dayMs) - read(ms) !== dayMs) found.push(new Clocks(timeZone, ms - 2 * dayMs, ms + 3 * dayMs))
  }
  return found
}

function names(pattern: Written, wallMs: number): boolean {
  if (!pattern.minutes.has((wallMs / minuteMs) % 60) || !pattern.hours.has(Math.floor(wallMs / 3_600_000) % 24)) {
    return false
  }
  const wall = new Date(wallMs)
  if (!pattern.months.has(wall.getUTCMonth() + 1)) return false
  const isDay = pattern.days.has(wall.getUTCDate())
  const isWeekday = pattern.weekdays.has(wall.getUTCDay())
  // Cron's old rule: where both are named, either will do.
  return pattern.isAnyDay || pattern.isAnyWeekday ? isDay && isWeekday : isDay || isWeekday
}
