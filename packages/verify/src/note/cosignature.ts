/**
 * A timestamped cosignature of C2SP tlog-cosignature: what follows the key id in its line is the time in seconds since 1970, eight bytes, big-endian, then an
 * Ed25519 signature over
 *
 *   cosignature/v1\n
 *   time <seconds>\n
 *   <text of the note>
 */
import { joined, utf8Of } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { type VerifierKey, verifySignature } from './key.js'
import type { Note, NoteSignature, Signed } from './note.js'

/** What a cosignature is over. */
export function cosignatureMessage(seconds: number, text: string): Uint8Array {
  return utf8Of(`cosignature/v1\ntime ${seconds}\n${text}`)
}

/** The line for a cosignature made at `seconds` since 1970. Throws `RangeError` unless that is a safe integer that is not negative. */
export function cosignature(key: VerifierKey, seconds: number, signature: Uint8Array): NoteSignature {
  if (!Number.isSafeInteger(seconds) || seconds < 0) throw new RangeError(`${seconds} is no time of a cosignature.`)
  const time = new DataView(new ArrayBuffer(8))
  time.setBigUint64(0, BigInt(seconds))
  return {
    name: key.name,
    keyId: key.cosignatureKeyId,
    signature: joined(new Uint8Array(time.buffer), signature),
  }
}

/** What a key says about a note by a cosignature, and when it said it, in seconds since 1970. */
export interface Cosigned {
  readonly signed: Signed
  /** Undefined unless it is valid. */
  readonly seconds: number | undefined
}

/** Whether a note is cosigned by a key, and when. A time beyond 2^53 - 1 is wrong. */
export async function checkCosignature(crypto: Crypto, note: Note, key: VerifierKey): Promise<Cosigned> {
  const line = note.signatures.find(({ name, keyId }) => name === key.name && keyId === key.cosignatureKeyId)
  if (line === undefined) return { signed: 'absent', seconds: undefined }
  const { signature } = line
  if (signature.length !== 72) return { signed: 'wrong', seconds: undefined }
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset, 8).getBigUint64(0))
  if (!Number.isSafeInteger(seconds)) return { signed: 'wrong', seconds: undefined }
  const message = cosignatureMessage(seconds, note.text)
  const isValid = await verifySignature(crypto, key.publicKey, { message, signature: signature.slice(8) })
  return isValid ? { signed: 'valid', seconds } : { signed: 'wrong', seconds: undefined }
}
