import { bytesOfHex } from './bytes.js'
import type { CertificateCrypto, Crypto } from './crypto.js'
import { verifyPlainEd25519 } from './ed25519.js'
import { PlainSha256 } from './sha256.js'

/**
 * The cryptography of a browser, or of anything that has `crypto.subtle`. Where that has no Ed25519, or where there is none at all, signatures are
 * verified in JavaScript, some milliseconds each. Hashing answers at once, in JavaScript: what a bundle hashes is small, and asking `subtle` takes longer.
 */
export function webCrypto(subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle): Crypto {
  let verify: Promise<Crypto['verifyEd25519']> | undefined
  return {
    sha256: (bytes) => {
      const hash = new PlainSha256()
      hash.update(bytes)
      return hash.digest()
    },
    verifyEd25519: async (key, message, signature) => {
      verify ??= verifierOf(subtle)
      return (await verify)(key, message, signature)
    },
    ...(subtle === undefined ? {} : { certificates: certificatesWith(subtle) }),
  }
}

function certificatesWith(subtle: SubtleCrypto): CertificateCrypto {
  return {
    digest: async (hash, bytes) => new Uint8Array(await subtle.digest(hash, bytes.slice())),
    verify: async ({ scheme, spki, message, signature }) => {
      const { hash } = scheme
      const algorithm =
        scheme.kind === 'rsa' ? { name: 'RSASSA-PKCS1-v1_5', hash } : { name: 'ECDSA', namedCurve: scheme.curve, hash }
      const key = await subtle.importKey('spki', spki.slice(), algorithm, false, ['verify']).catch(() => undefined)
      return key !== undefined && subtle.verify(algorithm, key, signature.slice(), message.slice())
    },
  }
}

/** Only what takes a good signature and refuses a bad one is relied on: a browser that knows no Ed25519 would call every signature wrong. */
async function verifierOf(subtle: SubtleCrypto | undefined): Promise<Crypto['verifyEd25519']> {
  if (subtle === undefined) return verifyPlainEd25519
  const { key, message, signature } = known
  const own = verifierWith(subtle)
  const bad = signature.slice()
  bad[63] = (bad[63] ?? 0) ^ 1
  const answers = [await own(key, message, signature), await own(key, message, bad)]
  return answers[0] === true && answers[1] === false ? own : verifyPlainEd25519
}

function verifierWith(subtle: SubtleCrypto): Crypto['verifyEd25519'] {
  return async (key, message, signature) => {
    const imported = await subtle.importKey('raw', key.slice(), 'Ed25519', false, ['verify']).catch(() => undefined)
    if (imported === undefined) return false
    return subtle.verify('Ed25519', imported, signature.slice(), message.slice())
  }
}

// The second test of RFC 8032, section 7.1.
const known = {
  key: bytesOfHex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c') ?? new Uint8Array(0),
  message: Uint8Array.of(0x72),
  signature:
    bytesOfHex(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
        '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ) ?? new Uint8Array(0),
}
