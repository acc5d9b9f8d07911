/**
 * The hash chain of a stream.
 *
 *   commit  = SHA-256( salt ‖ text )          16 bytes of salt, then the text as UTF-8; one for body, one for data
 *   hash    = SHA-256( header )               the header is the text that {@link headerText} makes, as UTF-8
 *   prev    = the hash of the event before; for seq 0 SHA-256( "constancia.genesis/v1\n" stream "\n" )
 *
 * A header is ten lines, each ended by "\n": the format's name, stream, seq (decimal), kind, at
 * (`YYYY-MM-DDTHH:MM:SS.mmmZ`), by, seen, commit of body, commit of data ("-" where there is none), prev; hashes are
 * lower-case hex. No field can hold a newline, so two different headers never have the same text.
 */

/** What the hash of an event covers. */
export interface EventHeader {
  readonly stream: string
  /** Position in the stream, from 0 without gaps. */
  readonly seq: number
  readonly kind: string
  /** UTC milliseconds since 1970. */
  readonly at: number
  readonly by: string
  readonly seen: string
  /** Lower-case hex. */
  readonly bodyCommit: string
  /** Lower-case hex, or undefined where the event carries no data. */
  readonly dataCommit: string | undefined
  /** Lower-case hex hash of the event before, or {@link genesisText} hashed. */
  readonly prev: string
}

/** Bytes of salt before every committed text. */
export const saltBytes = 16

const encoder = new TextEncoder()

// Preimages are cut from a common piece of memory: most are smaller than what it costs to ask for memory of their own.
const slabBytes = 65_536
let slab = new Uint8Array(slabBytes)
let slabUsed = 0

/** The bytes whose SHA-256 is the commit of a text. Throws `RangeError` unless the salt has {@link saltBytes} bytes. */
export function commitPreimage(salt: Uint8Array, text: string): Uint8Array {
  if (salt.length !== saltBytes) throw new RangeError(`A salt has ${saltBytes} bytes, not ${salt.length}.`)
  // A UTF-16 unit takes three bytes at most.
  const bytesMax = saltBytes + 3 * text.length
  if (bytesMax > slabBytes / 4) return write(new Uint8Array(bytesMax), salt, text)
  if (slabUsed + bytesMax > slabBytes) {
    slab = new Uint8Array(slabBytes)
    slabUsed = 0
  }
  const preimage = write(slab.subarray(slabUsed), salt, text)
  slabUsed += preimage.length
  return preimage
}

function write(target: Uint8Array, salt: Uint8Array, text: string): Uint8Array {
  target.set(salt)
  const { written } = encoder.encodeInto(text, target.subarray(saltBytes))
  return target.subarray(0, saltBytes + written)
}

/** The text whose SHA-256 is `prev` of a stream's first event. */
export function genesisText(stream: string): string {
  return `constancia.genesis/v1\n${stream}\n`
}

/** The text whose SHA-256 is the hash of an event. */
export function headerText(header: EventHeader): string {
  const at = dateText(header.at)
  return (
    `constancia.event/v1\n${header.stream}\n${header.seq}\n${header.kind}\n${at}\n${header.by}\n${header.seen}\n` +
    `${header.bodyCommit}\n${header.dataCommit ?? '-'}\n${header.prev}\n`
  )
}

let datedMs = Number.NaN
let datedText = ''

// Many events are of the same millisecond.
function dateText(ms: number): string {
  if (ms !== datedMs) {
    datedText = new Date(ms).toISOString()
    datedMs = ms
  }
  return datedText
}
