import type { RunStatus } from '../store/index.js'
import { durationText } from './durations.js'
import type { Paint } from './paint.js'
import { cut, padEnd, padStart, printable, widthOf } from './text.js'
import type { Entry } from './timeline.js'
import type { Mood } from './told.js'

/** How a timeline is drawn. */
export interface Drawing {
  readonly width: number
  readonly paint: Paint
  /** All that an event carries, on lines below it; undefined for nothing, or where it is not wanted. */
  readonly full: ((entry: Entry) => string | undefined) | undefined
  /** What became of children. */
  readonly childStatus: ReadonlyMap<string, RunStatus>
}

const seqWidth = 5
const timeWidth = 12
const opWidthMin = 4
const marks: Readonly<Record<Mood, string>> = { begin: '▶', good: '✓', bad: '✗', wait: '…', plain: '·' }

/** Draws a timeline line by line, so that a long one needs no memory. `lastClaim` is the claim that wrote before the first. */
export function* timelineLines(entries: readonly Entry[], drawing: Drawing, lastClaim?: number): Generator<string> {
  let claim = lastClaim
  for (const entry of entries) {
    if (entry.claim !== undefined && entry.claim !== claim) {
      yield takeoverLine(entry, drawing)
      claim = entry.claim
    }
    yield entryLine(entry, drawing)
    const full = drawing.full?.(entry)
    if (full !== undefined) for (const line of full.split('\n')) yield `${' '.repeat(seqWidth + 3)}${line}`
  }
}

function takeoverLine({ claim, seq }: Entry, { paint, width }: Drawing): string {
  const before = seq === 1 ? 'event 0' : `events 0–${seq - 1}`
  const text = claim === 1 ? 'claim 1 executes from here' : `claim ${claim} re-read ${before}, executes from here`
  return paint.faint(cut(`${' '.repeat(seqWidth + 1)}── ${text} ${'─'.repeat(width)}`, width - 1).replace('…', '─'))
}

function entryLine(entry: Entry, { width, paint, full, childStatus }: Drawing): string {
  const time = entry.seq === 0 ? '' : `+${durationText(entry.sinceStartMs)}`
  const op = entry.op ?? '-'
  const begin = `${padStart(String(entry.seq), seqWidth)}  ${padEnd(time, timeWidth)}${padEnd(op, Math.max(opWidthMin, widthOf(op)))} `
  const mark = marks[entry.mood]
  const data = entry.data === '' || full !== undefined ? '' : `  ${entry.data}`
  const room = Math.max(20, width - widthOf(begin) - 2)
  const text = entry.text + noteOf(entry, childStatus)
  const [shownText, shownData] = share(text, data, room)
  return `${paint.faint(begin)}${moodPaint(entry.mood, paint)(mark)} ${shownText}${paint.faint(shownData)}`
}

// What happened goes first; what it carries gets the rest.
function share(text: string, data: string, room: number): readonly [string, string] {
  const shown = cut(text, room)
  const left = room - widthOf(shown)
  return [shown, left < 6 ? '' : cut(data, left)]
}

function noteOf(entry: Entry, childStatus: ReadonlyMap<string, RunStatus>): string {
  const status = entry.child === undefined ? undefined : childStatus.get(entry.child)
  const from = entry.claim === undefined ? ` by ${printable(entry.by.replace(/^(principal|system):/, ''))}` : ''
  const unread = entry.isRead === false ? ', unread' : ''
  return `${from}${unread}${status === undefined ? '' : ` (${status})`}`
}

function moodPaint(mood: Mood, paint: Paint): (text: string) => string {
  if (mood === 'good') return paint.good
  if (mood === 'bad') return paint.bad
  return mood === 'plain' ? paint.faint : paint.accent
}
