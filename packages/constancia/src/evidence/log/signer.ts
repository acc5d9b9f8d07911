/**
 * A private key is one of two texts:
 *
 * - PEM of an Ed25519 private key (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it;
 * - a signer key of C2SP signed-note: `PRIVATE+KEY+<name>+<key id>+<base64( 0x01 ‖ 32 bytes of seed )>`.
 */
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { base64Of, bytesOfBase64, type VerifierKey, verifierKeyOf } from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import { evidenceError, type Signer, type SignerSource } from '../index.js'

const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const keyBytes = 32
const signerKeyPattern = /^PRIVATE\+KEY\+(?<name>[^+\s]+)\+(?<id>[0-9a-f]{8})\+(?<data>[A-Za-z0-9+/=]+)\s*$/

/** Reads a private key from its text. Throws an `Error` that says why it is none. */
export function signerOf(text: string): Signer {
  if (text.startsWith('-----BEGIN')) return signerOfKey(createPrivateKey(text))
  const { name = '', id = '', data = '' } = signerKeyPattern.exec(text)?.groups ?? {}
  const bytes = bytesOfBase64(data)
  if (bytes?.length !== 1 + keyBytes || bytes[0] !== 1) throw new Error('it is neither PEM nor a signer key')
  const signer = signerOfSeed(bytes.subarray(1))
  if (verifierKeyOf(nodeCrypto.sha256, name, signer.publicKey).noteKeyId !== id)
    throw new Error('its id is not that of its name and key')
  return signer
}

function signerOfSeed(seed: Uint8Array): Signer {
  const der = Buffer.concat([pkcs8Prefix, seed])
  return signerOfKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
}

function signerOfKey(key: KeyObject): Signer {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is of the kind ${key.asymmetricKeyType}`)
  // Not as JWK: Node.js 20 holds the key's lock meanwhile, for which a collection that finds what generated the key waits for ever.
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return {
    publicKey: new Uint8Array(spki.subarray(-keyBytes)),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  }
}

/** A fresh key for a log: the text of its private part, to be kept, and of its public one, to be given away. */
export function newKey(origin: string): { readonly signerKey: string; readonly verifierKey: string } {
  // A private key of Ed25519 is 32 bytes that nobody can guess (RFC 8032).
  const seed = randomBytes(keyBytes)
  const { noteKeyId, text } = keyOf(origin, signerOfSeed(seed))
  const data = base64Of(Buffer.concat([Uint8Array.of(1), seed]))
  return { signerKey: `PRIVATE+KEY+${origin}+${noteKeyId}+${data}\n`, verifierKey: text }
}

/** The verifier key of a signer, under the name of its log. Throws `key_invalid` for one of low order. */
export function keyOf(origin: string, { publicKey }: Pick<Signer, 'publicKey'>): VerifierKey {
  try {
    return verifierKeyOf(nodeCrypto.sha256, origin, publicKey)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw evidenceError(
      'key_invalid',
      `The key cannot sign for ${origin}. ${reason} Nothing was sealed; take another key.`,
    )
  }
}

/** Gets a signer. Rejects with `key_invalid`, and with what whoever provides it throws. */
export async function signerFrom(source: SignerSource): Promise<Signer> {
  if (typeof source === 'function') return source()
  if (!('place' in source)) return source
  try {
    return signerOf(source.read())
  } catch (cause) {
    throw unreadable(source.place, cause)
  }
}

// Never what was in it: it may be a key after all.
function unreadable(where: string, cause: unknown): Error {
  return evidenceError(
    'key_invalid',
    `The key in ${where} cannot be used (${cause instanceof Error ? cause.message : String(cause)}). Nothing was sealed. It has to hold an Ed25519 ` +
      'private key, as PEM or as a signer key of C2SP signed-note; constancia keys new writes one.',
  )
}
