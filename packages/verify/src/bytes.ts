/**
 * How bytes are written as text. Each reading function takes exactly what its writing function makes and nothing else, so that
 * one value has one text: lower-case hexadecimal; base64 of the standard alphabet, with padding and unused bits of zero.
 */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const sextets = new Map([...alphabet].map((letter, value) => [letter, value]))

/** Bytes as lower-case hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  // In one piece: what is put together bit by bit keeps many times its length, and hashes are kept by the hundred thousand.
  const target = new Uint8Array(2 * bytes.length)
  writeHex(target, 0, bytes)
  return latin1.decode(target)
}

const latin1 = new TextDecoder('latin1')

// The value of each hexadecimal digit by its character code; 255 for what is none.
const hexValues = new Uint8Array(128).fill(255)
for (const [value, digit] of [...'0123456789abcdef'].entries()) hexValues[digit.charCodeAt(0)] = value

/** The bytes that lower-case hexadecimal stands for; undefined for any other text. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length >> 1)
  if (text.length % 2 !== 0) return undefined
  for (let i = 0; i < bytes.length; i++) {
    const high = hexValues[text.charCodeAt(2 * i)] ?? 255
    const low = hexValues[text.charCodeAt(2 * i + 1)] ?? 255
    if (high + low > 30) return undefined
    bytes[i] = (high << 4) | low
  }
  return bytes
}

const hexCodes = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/** Writes bytes as the characters of lower-case hexadecimal. Returns where what follows begins. */
export function writeHex(target: Uint8Array, at: number, bytes: Uint8Array): number {
  let next = at
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    target[next++] = hexCodes[byte >> 4] as number
    target[next++] = hexCodes[byte & 15] as number
  }
  return next
}

/** Bytes as base64 with padding. */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    for (const shift of [18, 12, 6, 0]) text += alphabet[(word >> shift) & 63]
  }
  const spare = (3 - (bytes.length % 3)) % 3
  return spare === 0 ? text : text.slice(0, -spare) + '='.repeat(spare)
}

/** The bytes that a base64 text stands for; undefined unless {@link base64Of} would write exactly this text. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const letters = text.replace(/=+$/, '')
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4))
  let word = 0
  let at = 0
  for (let i = 0; i < letters.length; i++) {
    word = ((word << 6) | (sextets.get(letters[i] ?? '') ?? 0)) & 0xff_ffff
    const bits = ((i % 4) + 1) * 6
    if (i % 4 > 0) bytes[at++] = (word >> (bits - 8 * (i % 4))) & 255
  }
  return base64Of(bytes) === text ? bytes : undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A text as UTF-8. A surrogate without its partner becomes U+FFFD. */
export function utf8Of(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The text that UTF-8 bytes stand for, a byte order mark included; undefined where they are not valid UTF-8. */
export function textOfUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether bytes are valid UTF-8, without making a text of them. */
export function isUtf8(bytes: Uint8Array): boolean {
  const pieces = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes)
      pieces.decode(bytes.subarray(at, at + pieceBytes), { stream: true })
    pieces.decode()
    return true
  } catch {
    return false
  }
}

const pieceBytes = 65_536

/** Several pieces as one. */
export function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Whether two pieces are byte for byte the same. Takes longer the more they agree: not for secrets. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}
