import { type Algorithm, algorithmOf, hashOf } from './algorithms.js'
import {
  booleanOf,
  contextTag,
  type Der,
  DerError,
  type DerReader,
  momentOfDer,
  naturalOf,
  oidOf,
  partsOf,
  readParts,
  readWhole,
  smallNumberOf,
  tags,
} from './der.js'

const signedData = '1.2.840.113549.1.7.2'
const stampInfo = '1.2.840.113549.1.9.16.1.4'
const attributes = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.47',
}
const sha256 = '2.16.840.1.101.3.4.2.1'
const certificateCountMax = 16

/** A time-stamp token of RFC 3161 that was read; nothing about it is verified but its form. */
export interface StampToken {
  /** The `TSTInfo`, which its signer vouches for. */
  readonly info: Uint8Array
  /** What was stamped: the hash and its algorithm. */
  readonly imprint: { readonly algorithm: Algorithm; readonly hash: Uint8Array }
  /** When, by the authority's clock: UTC milliseconds since 1970. */
  readonly genTimeMs: number
  /** How far that may be off, in milliseconds; undefined where the token does not say. */
  readonly accuracyMs: number | undefined
  /** The number that the question carried, without leading zeros. */
  readonly nonce: Uint8Array | undefined
  /** In DER, as the token carries them. */
  readonly certificates: readonly Uint8Array[]
  readonly signer: StampSigner
}

/** Who signed a token, and what. */
export interface StampSigner {
  /** How its certificate is named: by issuer and number, or by the id of its key. */
  readonly id: { readonly issuer: Uint8Array; readonly serial: Uint8Array } | { readonly keyId: Uint8Array }
  /** Of the digest over the `TSTInfo` and over what is signed. */
  readonly digest: Algorithm
  readonly algorithm: Algorithm
  readonly signature: Uint8Array
  /** The signed attributes as a set, which is what is signed. */
  readonly signed: Uint8Array
  /** Those of the attributes that count. */
  readonly messageDigest: Uint8Array
  readonly certificateHash: { readonly algorithm: Algorithm | undefined; readonly hash: Uint8Array }
}

/** Reads a token. Throws `DerError` where it is none, and `UnknownAlgorithmError` for hashes that are not known. */
export function readToken(der: Uint8Array): StampToken {
  return readWhole(der, tags.sequence, (parts) => {
    requireOid(parts, signedData)
    const [content] = partsOf(parts.take(contextTag(0)))
    if (content?.tag !== tags.sequence) throw new DerError('the token holds nothing that is signed')
    return readParts(content, readSignedData)
  })
}

function requireOid(parts: DerReader, wanted: string): void {
  const oid = oidOf(parts.take(tags.oid))
  if (oid !== wanted) throw new DerError(`${oid} is where ${wanted} should be`)
}

function readSignedData(parts: DerReader): StampToken {
  if (smallNumberOf(parts.take(tags.integer)) !== 3) throw new DerError('the token is of another version')
  const digests = partsOf(parts.take(tags.set)).map((one) => hashOf(algorithmOf(one)))
  const info = readParts(parts.take(tags.sequence), (inner) => {
    requireOid(inner, stampInfo)
    return readParts(inner.take(contextTag(0)), (one) => one.take(tags.octets).content)
  })
  const listed = parts.takeIf(contextTag(0))
  parts.takeIf(contextTag(1))
  const certificates = listed === undefined ? [] : partsOf(listed).filter(({ tag }) => tag === tags.sequence)
  if (certificates.length > certificateCountMax)
    throw new DerError(`the token has more than ${certificateCountMax} certificates`)
  const [signer, ...others] = partsOf(parts.take(tags.set))
  if (signer?.tag !== tags.sequence || others.length > 0) throw new DerError('the token has not exactly one signer')
  const said = readParts(signer, readSigner)
  if (!digests.includes(hashOf(said.digest)))
    throw new DerError('the signer uses a hash that the token does not announce')
  return {
    info,
    ...readWhole(info, tags.sequence, readInfo),
    certificates: certificates.map(({ whole }) => whole),
    signer: said,
  }
}

function readInfo(parts: DerReader): Pick<StampToken, 'imprint' | 'genTimeMs' | 'accuracyMs' | 'nonce'> {
  if (smallNumberOf(parts.take(tags.integer)) !== 1) throw new DerError('what is stamped is of another version')
  oidOf(parts.take(tags.oid))
  const imprint = readParts(parts.take(tags.sequence), (inner) => ({
    algorithm: algorithmOf(inner.take(tags.sequence)),
    hash: inner.take(tags.octets).content,
  }))
  naturalOf(parts.take(tags.integer))
  const genTimeMs = momentOfDer(parts.take(tags.time))
  const accuracy = parts.takeIf(tags.sequence)
  const ordering = parts.takeIf(tags.boolean)
  if (ordering !== undefined) booleanOf(ordering)
  const nonce = parts.takeIf(tags.integer)
  parts.takeIf(contextTag(0))
  // Extensions may change what it means; none are known.
  if (parts.takeIf(contextTag(1)) !== undefined) throw new DerError('what is stamped has extensions')
  return {
    imprint,
    genTimeMs,
    accuracyMs: accuracy && readParts(accuracy, readAccuracy),
    nonce: nonce && naturalOf(nonce),
  }
}

function readAccuracy(parts: DerReader): number {
  const seconds = parts.takeIf(tags.integer)
  const millis = parts.takeIf(contextTag(0, false))
  const micros = parts.takeIf(contextTag(1, false))
  const numberOf = (part: Der | undefined): number => (part === undefined ? 0 : smallNumberOf(part))
  return numberOf(seconds) * 1_000 + numberOf(millis) + Math.ceil(numberOf(micros) / 1_000)
}

function readSigner(parts: DerReader): StampSigner {
  const version = smallNumberOf(parts.take(tags.integer))
  const named = parts.takeIf(tags.sequence)
  const id = named === undefined ? { keyId: parts.take(contextTag(0, false)).content } : readParts(named, readNamed)
  if (version !== (named === undefined ? 3 : 1)) throw new DerError('the signer is of another version')
  const digest = algorithmOf(parts.take(tags.sequence))
  const set = parts.take(contextTag(0))
  const algorithm = algorithmOf(parts.take(tags.sequence))
  const signature = parts.take(tags.octets).content
  parts.takeIf(contextTag(1))
  // What is signed are the attributes as a plain set, whatever tag they have in the token.
  const signed = Uint8Array.from(set.whole)
  signed[0] = tags.set
  return { id, digest, algorithm, signature, signed, ...readAttributes(set) }
}

function readNamed(parts: DerReader): { issuer: Uint8Array; serial: Uint8Array } {
  return { issuer: parts.take(tags.sequence).whole, serial: naturalOf(parts.take(tags.integer)) }
}

function readAttributes(set: Der): Pick<StampSigner, 'messageDigest' | 'certificateHash'> {
  const values = new Map<string, Der>()
  for (const attribute of partsOf(set))
    readParts(attribute, (parts) => {
      const oid = oidOf(parts.take(tags.oid))
      const [value, ...others] = partsOf(parts.take(tags.set))
      if (value === undefined || others.length > 0 || values.has(oid))
        throw new DerError('a signed attribute has not exactly one value')
      values.set(oid, value)
    })
  const find = (oid: string, tag: number, what: string): Der => {
    const value = values.get(oid)
    if (value?.tag !== tag) throw new DerError(`the signer does not sign ${what}`)
    return value
  }
  const kind = oidOf(find(attributes.contentType, tags.oid, 'the kind of what it signs'))
  if (kind !== stampInfo) throw new DerError('the signer signs something else than a time stamp')
  const certificate = find(attributes.signingCertificate, tags.sequence, 'which certificate is its own (ESSCertIDv2)')
  return {
    messageDigest: find(attributes.messageDigest, tags.octets, 'the digest of the time stamp').content,
    certificateHash: readParts(certificate, readSigningCertificate),
  }
}

function readSigningCertificate(parts: DerReader): StampSigner['certificateHash'] {
  const [first] = partsOf(parts.take(tags.sequence))
  parts.takeIf(tags.sequence)
  if (first?.tag !== tags.sequence) throw new DerError('the signer names no certificate')
  return readParts(first, (inner) => {
    const algorithm = inner.takeIf(tags.sequence)
    const hash = inner.take(tags.octets).content
    inner.takeIf(tags.sequence)
    return { algorithm: algorithm && algorithmOf(algorithm), hash }
  })
}

/** SHA-256, as algorithms name it. */
export const sha256Algorithm: Algorithm = { oid: sha256, parameters: undefined }
