/** The bounds and the fields of a bundle; docs/evidence-format.md, sections 1 and 4, says the same. */

/** Bytes of a line outside texts and notes, at most. */
export const lineBytesMax = 1_024
/** Bytes of a line that is a token, at most. */
export const tokenBytesMax = 65_536
/** Bytes of a text, at most. */
export const textBytesMax = 16_777_216
/** Tokens of a checkpoint, at most. */
export const tokenCountMax = 16
/** Events of one stream, at most. */
export const streamEventCountMax = 100_000
/** Votes in one stream, at most: each is compared with those before it. */
export const voteCountMax = 10_000
/** Bytes of the texts of one stream that a replay may have to keep, at most; which these are, `keptKinds` says. */
export const keptBytesMax = 33_554_432
/** Checkpoints that the events of a bundle name, at most. */
export const namedCountMax = 200_000
/** Events of a bundle, at most. */
export const eventCountMax = 2_000_000
/** Runs of a bundle, at most. */
export const runCountMax = 100_000
/** Leaves of a bundle, at most. */
export const leafCountMax = 500_000
/** Checkpoints of a bundle, at most. */
export const checkpointCountMax = 20_000

/** The first line of a bundle. */
export const bundleFormat = 'constancia.bundle/v1'
/** The first line of a receipt. */
export const receiptFormat = 'constancia.receipt/v1'

const numberPattern = /^(?:0|[1-9]\d{0,15})$/
const hashPattern = /^[0-9a-f]{64}$/
const kindPattern = /^[A-Z][A-Za-z0-9]{0,63}$/
const id = '[A-Za-z0-9._:~-]{1,200}'
const streamPattern = new RegExp(`^(?:governance|refusals|run/${id})$`)
const byPattern = new RegExp(`^(?:claim:(?<claim>${id})@(?<epoch>\\d{1,16})|principal:${id}|system:${id})$`)
const seenPattern = /^(?:-|(?<seq>\d{1,16}):(?<hash>[0-9a-f]{64}))\/(?:-|(?<size>[1-9]\d{0,15}):(?<root>[0-9a-f]{64}))$/
const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** A number of decimal digits without leading zeros, 2^53 - 1 at most; undefined for anything else. */
export function numberOf(text: string): number | undefined {
  const number = numberPattern.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** Whether a text is a hash: 64 lower-case hexadecimal digits. */
export function isHash(text: string): boolean {
  return hashPattern.test(text)
}

/** Whether a text is the kind of an event. */
export function isKind(text: string): boolean {
  return kindPattern.test(text)
}

/** Whether a text is the name of a stream. */
export function isStreamName(text: string): boolean {
  return streamPattern.test(text)
}

/** Whether a text is the name of the stream of a run. */
export function isRunStream(text: string): boolean {
  return text.startsWith('run/') && isStreamName(text)
}

/** Who wrote an event, if it was a claim. */
export interface ByClaim {
  readonly claim: string
  readonly epoch: number
}

/** Reads who wrote an event: `other` for a principal or a part of the system; undefined for what is none of all. */
export const byOf: (text: string) => ByClaim | 'other' | undefined = remembered((text) => {
  const groups = byPattern.exec(text)?.groups
  if (groups === undefined) return undefined
  const { claim, epoch } = groups
  if (claim === undefined || epoch === undefined) return 'other'
  const number = numberOf(epoch)
  return number === undefined ? undefined : { claim, epoch: number }
})

/** Many events have the same writer and have seen the same: what was read last is kept. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly value: T } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, value: read(text) }
    return last.value
  }
}

/** What the writer of an event knew. */
export interface Seen {
  readonly governance: { readonly seq: number; readonly hash: string } | undefined
  /** The root in lower-case hexadecimal. */
  readonly checkpoint: { readonly size: number; readonly root: string } | undefined
}

const nothingSeen: Seen = { governance: undefined, checkpoint: undefined }

/** Reads what the writer of an event knew; undefined for what is no such text. */
export const seenOf: (text: string) => Seen | undefined = remembered((text) => {
  if (text === '-/-') return nothingSeen
  const { seq, hash, size, root } = seenPattern.exec(text)?.groups ?? {}
  const seqNumber = seq === undefined ? undefined : numberOf(seq)
  const sizeNumber = size === undefined ? undefined : numberOf(size)
  const hasFailed = (seq !== undefined && seqNumber === undefined) || (size !== undefined && sizeNumber === undefined)
  if (!seenPattern.test(text) || hasFailed) return undefined
  return {
    governance: seqNumber === undefined || hash === undefined ? undefined : { seq: seqNumber, hash },
    checkpoint: sizeNumber === undefined || root === undefined ? undefined : { size: sizeNumber, root },
  }
})

let lastDay = { text: '', ms: undefined as number | undefined }

/** UTC milliseconds since 1970 of a moment that exists, `YYYY-MM-DDTHH:MM:SS.mmmZ`; undefined for anything else. */
export function momentOf(text: string): number | undefined {
  if (!momentPattern.test(text)) return undefined
  const day = text.slice(0, 10)
  // Only whether the day exists is worth a question to the platform.
  if (day !== lastDay.text) lastDay = { text: day, ms: dayOf(day) }
  const hours = Number(text.slice(11, 13))
  const minutes = Number(text.slice(14, 16))
  const seconds = Number(text.slice(17, 19))
  if (lastDay.ms === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined
  return lastDay.ms + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + Number(text.slice(20, 23))
}

function dayOf(text: string): number | undefined {
  const ms = Date.parse(`${text}T00:00:00.000Z`)
  return ms >= 0 && momentText(ms).startsWith(text) ? ms : undefined
}

/** A moment as text, from UTC milliseconds since 1970. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString()
}
