import { joined, sameBytes } from '../bytes.js'
import { UnknownAlgorithmError } from './algorithms.js'
import { DerError, DerReader, naturalOf, readWhole, smallNumberOf, tags } from './der.js'
import { readToken } from './stamp.js'

/** Bytes of a nonce. */
export const nonceBytes = 8

/**
 * The question to a time-stamping authority (`TimeStampReq` of RFC 3161, in DER): a time stamp over this SHA-256, with the certificate of whoever
 * signs it. Throws `RangeError` where the hash has not 32 bytes or the nonce not {@link nonceBytes}.
 */
export function stampRequest(hash: Uint8Array, nonce: Uint8Array): Uint8Array {
  if (hash.length !== 32 || nonce.length !== nonceBytes)
    throw new RangeError('A time stamp takes 32 bytes of hash and 8 of nonce.')
  const algorithm = Uint8Array.of(
    0x30,
    0x0d,
    0x06,
    0x09,
    0x60,
    0x86,
    0x48,
    0x01,
    0x65,
    0x03,
    0x04,
    0x02,
    0x01,
    0x05,
    0x00,
  )
  const imprint = element(tags.sequence, joined(algorithm, element(tags.octets, hash)))
  const version = Uint8Array.of(tags.integer, 1, 1)
  const certificates = Uint8Array.of(tags.boolean, 1, 0xff)
  return element(tags.sequence, joined(version, imprint, element(tags.integer, positive(nonce)), certificates))
}

function element(tag: number, content: Uint8Array): Uint8Array {
  return joined(Uint8Array.of(tag, content.length), content)
}

// Of a whole number the first bit is its sign, and there are no zeros in front.
function positive(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  const rest = first < 0 ? Uint8Array.of(0) : bytes.subarray(first)
  return (rest[0] ?? 0) >= 0x80 ? joined(Uint8Array.of(0), rest) : rest
}

/** What an authority answered. */
export type StampAnswer =
  /** The token in DER, nothing of it verified but its form and its nonce. */
  { readonly kind: 'token'; readonly token: Uint8Array } | { readonly kind: 'refused'; readonly why: string }

/** Reads an answer (`TimeStampResp`, in DER) to a question with this nonce. Nothing in it makes it throw. */
export function readStampAnswer(answer: Uint8Array, nonce: Uint8Array): StampAnswer {
  try {
    return readWhole(answer, tags.sequence, (parts) => {
      const status = new DerReader(parts.take(tags.sequence).content)
      const code = smallNumberOf(status.take(tags.integer))
      if (code > 1) return { kind: 'refused', why: `the authority gives no token (status ${code})` }
      const token = parts.take(tags.sequence).whole
      const given = readToken(token).nonce
      const asked = naturalOf(new DerReader(element(tags.integer, positive(nonce))).take(tags.integer))
      if (given === undefined || !sameBytes(given, asked))
        return { kind: 'refused', why: 'it answers another question' }
      return { kind: 'token', token }
    })
  } catch (error) {
    if (error instanceof DerError || error instanceof UnknownAlgorithmError)
      return { kind: 'refused', why: `what it sent is no token that can be read: ${error.message}` }
    throw error
  }
}
