import { sameBytes } from '../bytes.js'
import type { CertificateCrypto } from '../crypto.js'
import { hashOf, rawSignature, schemeOf, UnknownAlgorithmError } from './algorithms.js'
import { type Certificate, nameText, readCertificate } from './certificate.js'
import { leadsToAnchor } from './chain.js'
import { DerError } from './der.js'
import { readToken, type StampToken, sha256Algorithm } from './stamp.js'

const timeStamping = '1.3.6.1.5.5.7.3.8'
/** Bits of `keyUsage`: digital signature, and non-repudiation. */
const signs = 0x80 | 0x40

/** What a token comes to. */
export type TokenResult =
  /** The authority says that the text was there at `atMs` (UTC milliseconds since 1970), give or take `accuracyMs` where it says so. */
  | {
      readonly kind: 'valid'
      readonly authority: string
      readonly atMs: number
      readonly accuracyMs: number | undefined
    }
  /** It is no token, is over something else, or is not signed as it should be. */
  | { readonly kind: 'refused'; readonly why: string }
  /** It is by an authority that is not trusted here, or by algorithms that are not known: it says nothing. */
  | { readonly kind: 'not_evaluated'; readonly why: string }

/** What tokens are verified with. */
export interface TokenTrust {
  readonly crypto: CertificateCrypto
  /** Of authorities, or of those who vouch for them, in DER. */
  readonly anchors: readonly Uint8Array[]
}

/** Reads certificates that are trusted. Throws `RangeError` where one is none. */
export function trustedCertificates(anchors: readonly Uint8Array[]): readonly Certificate[] {
  return anchors.map((der, place) => {
    try {
      return readCertificate(der)
    } catch (error) {
      if (!(error instanceof DerError || error instanceof UnknownAlgorithmError)) throw error
      throw new RangeError(
        `Certificate ${place + 1} of the time-stamping authority is none that can be taken: ${error.message}.`,
      )
    }
  })
}

/**
 * Verifies a token of RFC 3161, in DER, over the SHA-256 of a text: its imprint, the digest and the signature over its signed attributes, that these name
 * its certificate (ESSCertIDv2), and that this certificate is for time stamps and nothing else, was valid then, and leads to a trusted one. That
 * no certificate was revoked is not looked at. Throws `RangeError` where a trusted certificate is none; nothing in a token makes it throw.
 */
export async function checkToken(token: Uint8Array, text: Uint8Array, trust: TokenTrust): Promise<TokenResult> {
  const anchors = trustedCertificates(trust.anchors)
  try {
    return await judge(readToken(token), { text, crypto: trust.crypto, anchors })
  } catch (error) {
    if (error instanceof DerError) return { kind: 'refused', why: error.message }
    if (error instanceof UnknownAlgorithmError) return { kind: 'not_evaluated', why: error.message }
    throw error
  }
}

interface Given {
  readonly text: Uint8Array
  readonly crypto: CertificateCrypto
  readonly anchors: readonly Certificate[]
}

async function judge(token: StampToken, { text, crypto, anchors }: Given): Promise<TokenResult> {
  const imprintHash = hashOf(token.imprint.algorithm)
  if (imprintHash !== 'SHA-256' || !sameBytes(token.imprint.hash, await crypto.digest('SHA-256', text)))
    return refused('it is over something else than this checkpoint')
  const own = await ownCertificate(token, anchors, crypto)
  if (typeof own === 'string') return refused(own)
  const problem = unfit(own, token.genTimeMs) ?? (await unsigned(token, own, crypto))
  if (problem !== undefined) return refused(problem)
  const others = token.certificates.flatMap(readIfTaken)
  const authority = nameText(own.subject)
  if (!(await leadsToAnchor({ crypto, anchors, others, atMs: token.genTimeMs }, own)))
    return { kind: 'not_evaluated', why: `it is by ${authority}, which no given certificate vouches for` }
  return { kind: 'valid', authority, atMs: token.genTimeMs, accuracyMs: token.accuracyMs }
}

function refused(why: string): TokenResult {
  return { kind: 'refused', why }
}

// What is on the way to a trusted certificate may be of kinds that are not known: then it is not on the way.
function readIfTaken(der: Uint8Array): Certificate[] {
  try {
    return [readCertificate(der)]
  } catch (error) {
    if (error instanceof DerError || error instanceof UnknownAlgorithmError) return []
    throw error
  }
}

// The certificate that the signed attributes name, among those of the token and those that are trusted: a signature alone may fit several.
async function ownCertificate(
  token: StampToken,
  anchors: readonly Certificate[],
  crypto: CertificateCrypto,
): Promise<Certificate | string> {
  const { algorithm = sha256Algorithm, hash } = token.signer.certificateHash
  const name = hashOf(algorithm)
  for (const der of [...token.certificates, ...anchors.map((anchor) => anchor.der)]) {
    if (!sameBytes(await crypto.digest(name, der), hash)) continue
    const certificate = readCertificate(der)
    return isNamed(token, certificate) ? certificate : 'it names two certificates as that of its signer'
  }
  return 'the certificate of its signer is neither in it nor among those that were given'
}

function isNamed({ signer: { id } }: StampToken, { issuer, serial, extensions }: Certificate): boolean {
  if ('keyId' in id) return extensions.keyId !== undefined && sameBytes(id.keyId, extensions.keyId)
  return sameBytes(id.issuer, issuer) && sameBytes(id.serial, serial)
}

function unfit({ extensions, fromMs, untilMs }: Certificate, atMs: number): string | undefined {
  const { purposes, keyUsage, unknownCritical } = extensions
  if (purposes?.isCritical !== true || purposes.oids.length !== 1 || purposes.oids[0] !== timeStamping)
    return 'the certificate of its signer is not for time stamps, critically and alone'
  if (keyUsage !== undefined && (keyUsage & signs) === 0) return 'the key of its signer is not for signatures'
  if (unknownCritical.length > 0)
    return `the certificate of its signer has the extension ${unknownCritical[0]}, which is critical and not known`
  if (atMs < fromMs || atMs > untilMs) return 'the certificate of its signer was not valid at the time that it says'
  return undefined
}

async function unsigned(
  { info, signer }: StampToken,
  { key }: Certificate,
  crypto: CertificateCrypto,
): Promise<string | undefined> {
  const hash = hashOf(signer.digest)
  if (!sameBytes(await crypto.digest(hash, info), signer.messageDigest)) return 'its signer signed another time stamp'
  const signature = rawSignature(key, signer.signature)
  const scheme = schemeOf(signer.algorithm, key, hash)
  const isRight =
    signature !== undefined && (await crypto.verify({ scheme, spki: key.spki, message: signer.signed, signature }))
  return isRight ? undefined : 'its signature is wrong'
}
