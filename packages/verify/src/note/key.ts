/**
 * A verifier key of C2SP signed-note: `<name>+<key id>+<base64( algorithm ‖ public key )>`. The key id is the first four bytes of
 * SHA-256( name ‖ "\n" ‖ algorithm ‖ public key ), in hexadecimal. The algorithm is 0x01, an Ed25519 signature over the text of a note; the
 * same key makes timestamped cosignatures, whose algorithm is 0x04 and whose key id therefore is another.
 */
import { base64Of, bytesOfBase64, hexOf, joined, utf8Of } from '../bytes.js'
import type { Crypto, Sha256 } from '../crypto.js'

/** What a signature of a note is over: its text, or its text and a time. */
export type SignatureAlgorithm = 'note' | 'cosignature'

const algorithmBytes: Record<SignatureAlgorithm, number> = { note: 1, cosignature: 4 }

/** A key that signs notes. */
export interface VerifierKey {
  readonly name: string
  /** 32 bytes; never of low order. */
  readonly publicKey: Uint8Array
  /** As in a signature line, lower-case hexadecimal of four bytes, of its signatures over a note's text. */
  readonly noteKeyId: string
  /** The same of its timestamped cosignatures. */
  readonly cosignatureKeyId: string
  /** The whole verifier key. */
  readonly text: string
}

/** A key, or why a text is none. */
export type ParsedKey =
  | { readonly kind: 'key'; readonly key: VerifierKey }
  | { readonly kind: 'refused'; readonly why: string }

const namePattern = /^[A-Za-z0-9._:~/-]{1,200}$/
const keyPattern = /^(?<name>[^+]+)\+(?<id>[0-9a-f]{8})\+(?<data>[A-Za-z0-9+/=]{1,100})$/

/** Whether a text is the name of a key: 1 to 200 of `A-Z a-z 0-9 . _ : ~ / -`. */
export function isKeyName(text: string): boolean {
  return namePattern.test(text)
}

/** Whether a text is the name of a log: that of a key which begins with a letter or a digit, and not with `constancia.`. */
export function isOrigin(text: string): boolean {
  return isKeyName(text) && /^[A-Za-z0-9]/.test(text) && !text.startsWith('constancia.')
}

/** Reads a verifier key. Refused is also one of low order, whose id is not its own, or of another algorithm. */
export function parseVerifierKey(crypto: Crypto, text: string): Promise<ParsedKey> {
  return parseKey(crypto, text, 'note')
}

/**
 * Reads the key of a witness: as {@link parseVerifierKey}, but with the algorithm 4 and the id that goes with it, because a witness makes cosignatures alone.
 */
export function parseWitnessKey(crypto: Crypto, text: string): Promise<ParsedKey> {
  return parseKey(crypto, text, 'cosignature')
}

const algorithmNames: Record<SignatureAlgorithm, string> = {
  note: 'an Ed25519 signature over a note',
  cosignature: 'a timestamped Ed25519 cosignature',
}

async function parseKey(crypto: Crypto, text: string, wanted: SignatureAlgorithm): Promise<ParsedKey> {
  const { name = '', id = '', data = '' } = keyPattern.exec(text)?.groups ?? {}
  if (!isKeyName(name)) return refused('it is not written as <name>+<key id>+<base64>')
  const bytes = bytesOfBase64(data)
  if (bytes === undefined) return refused('its last part is not strict base64')
  const algorithm = algorithmBytes[wanted]
  if (bytes[0] !== algorithm) return refused(`its algorithm is not ${algorithm}, ${algorithmNames[wanted]}`)
  if (bytes.length !== 33) return refused(`its public key has ${bytes.length - 1} bytes instead of 32`)
  const publicKey = bytes.slice(1)
  if (isLowOrder(publicKey)) return refused('its public key is of low order: signatures under it mean nothing')
  const ids = await Promise.all(
    (['note', 'cosignature'] as const).map(async (kind) =>
      idOf(await crypto.sha256(keyIdPreimage(name, kind, publicKey))),
    ),
  )
  const [noteKeyId = '', cosignatureKeyId = ''] = ids
  const right = wanted === 'note' ? noteKeyId : cosignatureKeyId
  if (right !== id) return refused(`its id is ${id}, but that of its name and public key is ${right}`)
  return { kind: 'key', key: { name, publicKey, noteKeyId, cosignatureKeyId, text } }
}

function refused(why: string): ParsedKey {
  return { kind: 'refused', why }
}

function keyIdPreimage(name: string, algorithm: SignatureAlgorithm, publicKey: Uint8Array): Uint8Array {
  return joined(utf8Of(`${name}\n`), Uint8Array.of(algorithmBytes[algorithm]), publicKey)
}

function idOf(hash: Uint8Array): string {
  return hexOf(hash.subarray(0, 4))
}

/** The key that a name and a public key make. Throws `RangeError` for a name or a public key that is none. */
export function verifierKeyOf(sha256: Sha256, name: string, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new RangeError(`${JSON.stringify(name)} is not the name of a key.`)
  if (publicKey.length !== 32) throw new RangeError(`A public key has 32 bytes, not ${publicKey.length}.`)
  if (isLowOrder(publicKey)) throw new RangeError('The public key is of low order: signatures under it mean nothing.')
  const noteKeyId = idOf(sha256(keyIdPreimage(name, 'note', publicKey)))
  const cosignatureKeyId = idOf(sha256(keyIdPreimage(name, 'cosignature', publicKey)))
  const data = base64Of(joined(Uint8Array.of(algorithmBytes.note), publicKey))
  return { name, publicKey, noteKeyId, cosignatureKeyId, text: `${name}+${noteKeyId}+${data}` }
}

/** The key of a witness as it is given away: what {@link parseWitnessKey} reads. */
export function witnessKeyText({ name, publicKey, cosignatureKeyId }: VerifierKey): string {
  return `${name}+${cosignatureKeyId}+${base64Of(joined(Uint8Array.of(algorithmBytes.cosignature), publicKey))}`
}

// The y coordinates of the eight points of low order, with those that are the same modulo p; the sign bit is apart.
const lowOrder = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/** Whether a public key is one of the fourteen encodings of the eight points of low order, for which some signatures fit any message. */
export function isLowOrder(publicKey: Uint8Array): boolean {
  // Not `slice`: that of a Node.js Buffer shares its bytes, and the caller's key would be changed.
  const unsigned = new Uint8Array(publicKey)
  unsigned[31] = (unsigned[31] ?? 0) & 0x7f
  return lowOrder.has(hexOf(unsigned))
}

/** Whether a signature is that of a message under a key; never under a key of low order. */
export async function verifySignature(
  crypto: Crypto,
  publicKey: Uint8Array,
  { message, signature }: { readonly message: Uint8Array; readonly signature: Uint8Array },
): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64 || isLowOrder(publicKey)) return false
  return crypto.verifyEd25519(publicKey, message, signature)
}
