import { cliError } from './errors.js'

export { momentText } from '@constancia/verify'

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** Reads a duration such as `90s`, `15m`, `12h`, `30d` or `2w` into milliseconds. Throws `usage`. */
export function parseAge(text: string, what: string): number {
  const [, count, unit] = /^(\d{1,6})(s|m|h|d|w)$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) return Number(count) * unitsMs[unit as keyof typeof unitsMs]
  throw cliError(
    'usage',
    `${what} takes a number and a unit, such as 90s, 15m, 12h, 30d or 2w, but it was ${JSON.stringify(text)}. Nothing was done.`,
  )
}

/** A duration in its two largest units: `12 ms`, `3.4 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs))
  if (ms < 1_000) return `${ms} ms`
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 3_600) return pair([Math.floor(seconds / 60), 'min'], [seconds % 60, 's'])
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1_440) return pair([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min'])
  const hours = Math.floor(minutes / 60)
  return pair([Math.floor(hours / 24), 'd'], [hours % 24, 'h'])
}

type Part = readonly [count: number, unit: string]

function pair([count, unit]: Part, [rest, smaller]: Part): string {
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${smaller}`
}

/** A duration in its largest unit alone, for a column of a table: `12 s`, `5 min`, `3 d`. */
export function ageText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}

/** How far away a moment is: `in 2 h 5 min`, `3 d ago`. */
export function fromNowText(atMs: number, nowMs: number): string {
  return atMs > nowMs ? `in ${durationText(atMs - nowMs)}` : `${durationText(nowMs - atMs)} ago`
}

/** Reads a moment: a day, a time of UTC, or so long from now: `2026-12-31`, `2026-12-31T23:00Z`, `30d`. Throws `usage`. */
export function parseMoment(text: string, what: string, nowMs: number): number {
  return momentOf(text, { what, relative: (ms) => nowMs + ms, example: 'so long from now' })
}

/** Reads a moment as {@link parseMoment} does, but `30d` is so long ago. Throws `usage`. */
export function parsePast(text: string, what: string, nowMs: number): number {
  return momentOf(text, { what, relative: (ms) => nowMs - ms, example: 'so long ago' })
}

interface MomentReading {
  readonly what: string
  /** What an age means. */
  readonly relative: (ms: number) => number
  readonly example: string
}

function momentOf(text: string, { what, relative, example }: MomentReading): number {
  if (/^\d{1,6}[smhdw]$/.test(text)) return relative(parseAge(text, what))
  const isMoment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z)?$/.test(text)
  const ms = isMoment ? Date.parse(text) : Number.NaN
  // A day that does not exist, such as the 30th of February, would be read as another one.
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10))) return ms
  throw cliError(
    'usage',
    `${what} takes a day, a time of UTC, or ${example}, such as 2026-12-31, 2026-12-31T23:00Z or 30d, but it was ${JSON.stringify(text)}. Nothing was done.`,
  )
}
