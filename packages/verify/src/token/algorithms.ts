import type { HashName, SignatureScheme } from '../crypto.js'
import { bitBytesOf, type Der, DerError, DerReader, naturalOf, oidOf, readParts, tags } from './der.js'

const hashes: ReadonlyMap<string, HashName> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'SHA-256'],
  ['2.16.840.1.101.3.4.2.2', 'SHA-384'],
  ['2.16.840.1.101.3.4.2.3', 'SHA-512'],
])

const rsaEncryption = '1.2.840.113549.1.1.1'
const ecPublicKey = '1.2.840.10045.2.1'

/** Signature algorithms that name their hash. */
const schemes: ReadonlyMap<string, { readonly kind: 'rsa' | 'ecdsa'; readonly hash: HashName }> = new Map([
  ['1.2.840.113549.1.1.11', { kind: 'rsa', hash: 'SHA-256' }],
  ['1.2.840.113549.1.1.12', { kind: 'rsa', hash: 'SHA-384' }],
  ['1.2.840.113549.1.1.13', { kind: 'rsa', hash: 'SHA-512' }],
  ['1.2.840.10045.4.3.2', { kind: 'ecdsa', hash: 'SHA-256' }],
  ['1.2.840.10045.4.3.3', { kind: 'ecdsa', hash: 'SHA-384' }],
  ['1.2.840.10045.4.3.4', { kind: 'ecdsa', hash: 'SHA-512' }],
])

const curves: ReadonlyMap<string, { readonly curve: 'P-256' | 'P-384' | 'P-521'; readonly bytes: number }> = new Map([
  ['1.2.840.10045.3.1.7', { curve: 'P-256', bytes: 32 }],
  ['1.3.132.0.34', { curve: 'P-384', bytes: 48 }],
  ['1.3.132.0.35', { curve: 'P-521', bytes: 66 }],
])

/** Bits of an RSA modulus, at least; and at most, so that nobody is kept busy. */
const modulusBitsMin = 2_048
const modulusBitsMax = 8_192

/** Something is asked for that this verifier does not know: neither right nor wrong. */
export class UnknownAlgorithmError extends Error {}

/** An algorithm and its parameters. */
export interface Algorithm {
  readonly oid: string
  readonly parameters: Der | undefined
}

/** Reads an `AlgorithmIdentifier`. */
export function algorithmOf(element: Der): Algorithm {
  if (element.tag !== tags.sequence) throw new DerError('an algorithm is none')
  return readParts(element, (parts) => {
    const oid = oidOf(parts.take(tags.oid))
    return { oid, parameters: parts.isAtEnd ? undefined : parts.takeAny() }
  })
}

/** The hash that an algorithm is. Throws {@link UnknownAlgorithmError}. */
export function hashOf({ oid, parameters }: Algorithm): HashName {
  const hash = hashes.get(oid)
  if (hash === undefined) throw new UnknownAlgorithmError(`the hash ${oid} is not known`)
  requireNull(parameters)
  return hash
}

function requireNull(parameters: Der | undefined): void {
  if (parameters !== undefined && (parameters.tag !== 0x05 || parameters.content.length > 0))
    throw new DerError('an algorithm has parameters that it cannot have')
}

/** A public key with its kind. */
export interface PublicKey {
  /** `SubjectPublicKeyInfo` in DER. */
  readonly spki: Uint8Array
  readonly kind: 'rsa' | 'P-256' | 'P-384' | 'P-521'
}

/** Reads a `SubjectPublicKeyInfo`. Throws {@link UnknownAlgorithmError} for kinds, curves and sizes that are not taken. */
export function publicKeyOf(element: Der): PublicKey {
  return readParts(element, (parts) => {
    const { oid, parameters } = algorithmOf(parts.take(tags.sequence))
    const key = bitBytesOf(parts.take(tags.bits))
    if (oid === rsaEncryption) {
      requireNull(parameters)
      requireModulus(key)
      return { spki: element.whole, kind: 'rsa' }
    }
    const named = oid === ecPublicKey && parameters?.tag === tags.oid ? curves.get(oidOf(parameters)) : undefined
    if (named === undefined) throw new UnknownAlgorithmError(`a public key of the kind ${oid} is not known`)
    if (key[0] !== 4 || key.length !== 1 + 2 * named.bytes) throw new DerError('a public key is not a plain point')
    return { spki: element.whole, kind: named.curve }
  })
}

function requireModulus(key: Uint8Array): void {
  const reader = new DerReader(key)
  const modulus = readParts(reader.take(tags.sequence), (parts) => {
    const number = naturalOf(parts.take(tags.integer))
    naturalOf(parts.take(tags.integer))
    return number
  })
  reader.end()
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24
  if (bits < modulusBitsMin || bits > modulusBitsMax)
    throw new UnknownAlgorithmError(`an RSA key of ${bits} bits is not taken`)
}

/** How a signature by a key is verified, by its algorithm and, where that names none, its hash. Throws {@link UnknownAlgorithmError}. */
export function schemeOf({ oid, parameters }: Algorithm, { kind }: PublicKey, hash?: HashName): SignatureScheme {
  const named = oid === rsaEncryption && hash !== undefined ? ({ kind: 'rsa', hash } as const) : schemes.get(oid)
  if (named === undefined) throw new UnknownAlgorithmError(`the signature algorithm ${oid} is not known`)
  requireNull(parameters)
  if (hash !== undefined && named.hash !== hash) throw new DerError('a signature names two hashes')
  if ((named.kind === 'rsa') !== (kind === 'rsa')) throw new DerError('a signature is of another kind than its key')
  return kind === 'rsa' ? { kind: 'rsa', hash: named.hash } : { kind: 'ecdsa', curve: kind, hash: named.hash }
}

/** A signature as the platforms take it: of ECDSA, r and s with the length of the curve; undefined where it is none. */
export function rawSignature({ kind }: PublicKey, signature: Uint8Array): Uint8Array | undefined {
  if (kind === 'rsa') return signature
  const { bytes = 0 } = [...curves.values()].find(({ curve }) => curve === kind) ?? {}
  const reader = new DerReader(signature)
  const numbers = readParts(reader.take(tags.sequence), (parts) => [
    naturalOf(parts.take(tags.integer)),
    naturalOf(parts.take(tags.integer)),
  ])
  reader.end()
  const raw = new Uint8Array(2 * bytes)
  for (const [place, number] of numbers.entries()) {
    if (number.length > bytes) return undefined
    raw.set(number, (place + 1) * bytes - number.length)
  }
  return raw
}
