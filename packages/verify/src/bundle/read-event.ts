import { bytesOfHex, isUtf8, textOfUtf8 } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { PlainSha256 } from '../sha256.js'
import type { ByteReader } from './byte-reader.js'
import { type ByClaim, byOf, isHash, isKind, momentOf, numberOf, type Seen, seenOf, textBytesMax } from './grammar.js'
import type { Kept } from './kept.js'

/** A text that was read. */
export type ReadText =
  /** `commit` is that of salt and text, computed. A large text is decoded each time it is asked for: most of them nobody needs. */
  | {
      readonly kind: 'text'
      readonly salt: Uint8Array
      readonly commit: Uint8Array
      /** Of the text as UTF-8. */
      readonly byteCount: number
      readonly text: string
    }
  | { readonly kind: 'withheld' | 'erased'; readonly commit: string }

/** An event that was read; nothing about it is verified but its form. */
export interface ReadEvent {
  readonly stream: string
  readonly seq: number
  readonly kind: string
  readonly at: number
  /** The moment as it is in the file. */
  readonly atText: string
  readonly by: string
  readonly byParts: ByClaim | 'other'
  /** As it is in the file. */
  readonly seen: string
  readonly seenParts: Seen
  readonly hash: string
  /** The same as 32 bytes. */
  readonly hashBytes: Uint8Array
  readonly body: ReadText
  readonly data: ReadText | undefined
}

/** What events are read with. */
export interface Reading {
  readonly reader: ByteReader
  readonly crypto: Crypto
  readonly kept: Kept
}

/** Takes an event: its line, its body, its data. */
export async function readEvent({ reader, crypto, kept }: Reading, stream: string): Promise<ReadEvent> {
  const line = reader.lineAtHand() ?? (await reader.line())
  const [word, seqText = '', kind = '', atText = '', by = '', seen = '', hash = '', ...more] = line.split(' ')
  const seq = numberOf(seqText)
  const at = momentOf(atText)
  const byParts = byOf(by)
  const seenParts = seenOf(seen)
  const hashBytes = hash.length === 64 ? bytesOfHex(hash) : undefined
  if (word !== 'event' || more.length > 0 || seq === undefined)
    throw reader.unreadable('it is not the line of an event')
  if (!isKind(kind)) throw reader.unreadable('the kind of the event is none')
  if (at === undefined) throw reader.unreadable('the moment of the event does not exist')
  if (byParts === undefined) throw reader.unreadable('the writer of the event is none')
  if (seenParts === undefined) throw reader.unreadable('what the event has seen is not readable')
  if (hashBytes === undefined) throw reader.unreadable('the hash of the event is none')
  kept.event(kind)
  if (seenParts.checkpoint !== undefined) kept.named(seenParts.checkpoint.size)
  const body = await readText({ reader, crypto, kept }, 'body', kind)
  if (body === undefined || body.kind === 'erased') throw reader.unreadable('a body cannot be missing')
  const data = await readText({ reader, crypto, kept }, 'data', kind)
  return { stream, seq, kind, at, atText, by, byParts, seen, seenParts, hash, hashBytes, body, data }
}

async function readText(
  { reader, crypto, kept }: Reading,
  name: 'body' | 'data',
  kind: string,
): Promise<ReadText | undefined> {
  const line = reader.lineAtHand() ?? (await reader.line())
  const [word, one = '', two = '', ...more] = line.split(' ')
  if (line === 'data none' && name === 'data') return undefined
  if (word !== name || more.length > 0) throw reader.unreadable(`it is not the line of a ${name}`)
  if (one === 'withheld' || one === 'erased') {
    if (!isHash(two)) throw reader.unreadable('the commit is none')
    return { kind: one, commit: two }
  }
  const byteCount = numberOf(two)
  const salt = one.length === 32 ? bytesOfHex(one) : undefined
  if (salt === undefined || byteCount === undefined) throw reader.unreadable(`it is not the line of a ${name}`)
  if (byteCount > textBytesMax) throw reader.unreadable(`the text has more than ${textBytesMax} bytes`)
  kept.text(kind, name, byteCount)
  // The newline after it is taken with it: a copy of a large text less.
  const all = reader.bytesAtHand(byteCount + 1) ?? (await reader.bytes(byteCount + 1))
  if (all[byteCount] !== 10) throw reader.unreadable('the text does not end where it should')
  const bytes = all.subarray(0, byteCount)
  if (byteCount > smallBytesMax) return largeText({ reader, crypto }, salt, bytes)
  const text = textOfUtf8(bytes)
  if (text === undefined) throw reader.unreadable('the text is not valid UTF-8')
  scratch.set(salt)
  scratch.set(bytes, salt.length)
  const made = crypto.sha256(scratch.subarray(0, salt.length + byteCount))
  return { kind: 'text', salt, commit: made instanceof Uint8Array ? made : await made, byteCount, text }
}

const smallBytesMax = 65_536
// Where a text is put behind its salt to be hashed: what hashes takes it at once.
const scratch = new Uint8Array(16 + smallBytesMax)

// Neither joined with its salt nor decoded until somebody wants it: a copy or two of 16 MiB less.
function largeText(
  { reader, crypto }: { readonly reader: ByteReader; readonly crypto: Crypto },
  salt: Uint8Array,
  bytes: Uint8Array,
): ReadText {
  if (!isUtf8(bytes)) throw reader.unreadable('the text is not valid UTF-8')
  const hash = crypto.sha256Stream?.() ?? new PlainSha256()
  hash.update(salt)
  hash.update(bytes)
  const kept = bytes.slice()
  return {
    kind: 'text',
    salt,
    commit: hash.digest(),
    byteCount: kept.length,
    get text() {
      return textOfUtf8(kept) ?? ''
    },
  }
}
