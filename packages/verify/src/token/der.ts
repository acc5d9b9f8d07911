/**
 * Strict DER: definite lengths in their shortest form, tags below 31, and nothing behind the end. What is not so is refused by {@link DerError}; only this
 * folder catches it. Reading makes no copies: every part is a view of the bytes that were given.
 */

/** What was read is no strict DER, or is not made as it should be. */
export class DerError extends Error {}

/** One element, with all of its bytes and its content alone. */
export interface Der {
  /** The first byte: class, whether it has parts, number. */
  readonly tag: number
  readonly content: Uint8Array
  readonly whole: Uint8Array
}

/** Tags as they stand in the bytes. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** The tag of a context-specific element, which has parts unless it is said that it has none. */
export function contextTag(number: number, hasParts = true): number {
  return (hasParts ? 0xa0 : 0x80) | number
}

/** Takes elements from bytes, one after the other. */
export class DerReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Takes the next element, which has to have this tag. */
  take(tag: number): Der {
    const found = this.takeIf(tag)
    if (found === undefined) throw new DerError(`an element of tag ${tag} should be here`)
    return found
  }

  /** The same where the next element has this tag; undefined, and nothing is taken, where it has another or there is none. */
  takeIf(tag: number): Der | undefined {
    return this.#bytes[this.#at] === tag ? this.#take() : undefined
  }

  /** Takes the next element, whatever it is. */
  takeAny(): Der {
    return this.#take()
  }

  /** Nothing may be left. */
  end(): void {
    if (!this.isAtEnd) throw new DerError('there is something behind what should be here')
  }

  #take(): Der {
    const start = this.#at
    const tag = this.#byte()
    if ((tag & 0x1f) === 0x1f) throw new DerError('a tag is too great')
    const length = this.#length()
    const begin = this.#at
    if (length > this.#bytes.length - begin) throw new DerError('an element goes beyond the end')
    this.#at = begin + length
    return { tag, content: this.#bytes.subarray(begin, this.#at), whole: this.#bytes.subarray(start, this.#at) }
  }

  #length(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    const count = first & 0x7f
    if (count === 0 || count > 4) throw new DerError('a length is not definite, or too great')
    let length = 0
    for (let i = 0; i < count; i++) length = length * 256 + this.#byte()
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerError('a length is not in its shortest form')
    return length
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new DerError('an element goes beyond the end')
    this.#at += 1
    return byte
  }
}

/** Reads bytes that are one element of this tag, and hands its parts to a function that has to take all of them. */
export function readWhole<T>(bytes: Uint8Array, tag: number, read: (parts: DerReader) => T): T {
  const reader = new DerReader(bytes)
  const element = reader.take(tag)
  reader.end()
  return readParts(element, read)
}

/** Hands the parts of an element to a function that has to take all of them. */
export function readParts<T>({ content }: Der, read: (parts: DerReader) => T): T {
  const parts = new DerReader(content)
  const value = read(parts)
  parts.end()
  return value
}

/** All parts of an element. */
export function partsOf(element: Der): Der[] {
  return readParts(element, (parts) => {
    const all: Der[] = []
    while (!parts.isAtEnd) all.push(parts.takeAny())
    return all
  })
}

/** An object identifier in dotted decimal. */
export function oidOf({ content }: Der): string {
  const numbers: number[] = []
  let number = 0
  let isOpen = false
  for (const byte of content) {
    if (!isOpen && byte === 0x80) throw new DerError('an object identifier is not in its shortest form')
    number = number * 128 + (byte & 0x7f)
    if (number > Number.MAX_SAFE_INTEGER) throw new DerError('an object identifier has a number that is too great')
    isOpen = byte >= 0x80
    if (isOpen) continue
    numbers.push(number)
    number = 0
  }
  const [first, ...more] = numbers
  if (first === undefined || isOpen) throw new DerError('an object identifier ends too early')
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - 40 * root, ...more].join('.')
}

/** A whole number of at least 0, as its bytes without leading zeros. */
export function naturalOf({ content }: Der): Uint8Array {
  const [first, second = 0] = content
  if (first === undefined || first >= 0x80) throw new DerError('a number is none, or below 0')
  if (first === 0 && content.length > 1 && second < 0x80) throw new DerError('a number is not in its shortest form')
  return first === 0 ? content.subarray(1) : content
}

/** A whole number from 0 to 2^48 - 1. */
export function smallNumberOf(element: Der): number {
  const bytes = naturalOf(element)
  if (bytes.length > 6) throw new DerError('a number is too great')
  return bytes.reduce((number, byte) => number * 256 + byte, 0)
}

/** True or false. */
export function booleanOf({ content }: Der): boolean {
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw new DerError('a boolean is none')
  return content[0] === 0xff
}

/** A text of bits whose number is a multiple of eight. */
export function bitBytesOf({ content }: Der): Uint8Array {
  if (content[0] !== 0) throw new DerError('a text of bits does not end with a whole byte')
  return content.subarray(1)
}

const utcPattern = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})()Z$/
const timePattern = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{0,8}[1-9]))?Z$/

/** A moment as UTC milliseconds since 1970, fractions of a millisecond cut off. */
export function momentOfDer({ tag, content }: Der): number {
  const text = String.fromCharCode(...content.subarray(0, 32))
  const found = (tag === tags.utcTime ? utcPattern : timePattern).exec(
    tag === tags.utcTime || tag === tags.time ? text : '',
  )
  if (found === null) throw new DerError('a moment is none')
  const [year = 0, month = 0, ...rest] = found.slice(1, 7).map(Number)
  const [day = 0, hour = 0, minute = 0, second = 0] = rest
  const century = tag === tags.time ? 0 : year < 50 ? 2_000 : 1_900
  const fraction = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3))
  const ms = Date.UTC(century + year, month - 1, day, hour, minute, second, fraction)
  // What does not exist, such as the 31st of June, would have become another moment.
  const made = new Date(ms).toISOString().replace(/[-T:]/g, '').slice(0, 14)
  if (
    made !==
    `${String(century + year).padStart(4, '0')}${text.slice(tag === tags.time ? 4 : 2, tag === tags.time ? 14 : 12)}`
  )
    throw new DerError('a moment does not exist')
  return ms
}
