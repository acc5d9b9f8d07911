/** `@constancia/verify/node`: the cryptography of Node.js, for everything that takes a {@link Crypto}. */
import * as crypto from 'node:crypto'
import type { CertificateCrypto, Crypto, Sha256 } from './crypto.js'

/** Cryptography that answers at once. */
export interface NodeCrypto extends Crypto {
  sha256: Sha256
  verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
  sha256Stream: NonNullable<Crypto['sha256Stream']>
  readonly certificates: CertificateCrypto
}

// What comes before the 32 bytes of a public key in its DER form.
const spkiPrefix = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00)

// Of what is hashed at once, Node.js 20.12 and later have a way that takes half the time.
const hashAtOnce = crypto.hash
const sha256: Sha256 =
  typeof hashAtOnce === 'function'
    ? (bytes) => hashAtOnce('sha256', bytes, 'buffer')
    : (bytes) => {
        const hash = crypto.createHash('sha256')
        hash.update(bytes)
        return hash.digest()
      }

const nodeNames = { 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' } as const

/** The cryptography of Node.js. */
export const nodeCrypto: NodeCrypto = {
  sha256,
  verifyEd25519: (key, message, signature) => {
    if (key.length !== 32 || signature.length !== 64) return false
    const der = new Uint8Array(spkiPrefix.length + key.length)
    der.set(spkiPrefix)
    der.set(key, spkiPrefix.length)
    try {
      return crypto.verify(null, message, crypto.createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
    } catch {
      return false
    }
  },
  sha256Stream: () => {
    const hash = crypto.createHash('sha256')
    return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() }
  },
  certificates: {
    digest: (name, bytes) => {
      const hash = crypto.createHash(nodeNames[name])
      hash.update(bytes)
      return hash.digest()
    },
    verify: ({ scheme, spki, message, signature }) => {
      try {
        const key = crypto.createPublicKey({ key: spki, format: 'der', type: 'spki' })
        return crypto.verify(nodeNames[scheme.hash], message, { key, dsaEncoding: 'ieee-p1363' }, signature)
      } catch {
        return false
      }
    },
  },
}
