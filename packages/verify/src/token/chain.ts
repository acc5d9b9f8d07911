import { sameBytes } from '../bytes.js'
import type { CertificateCrypto } from '../crypto.js'
import { rawSignature, schemeOf } from './algorithms.js'
import type { Certificate } from './certificate.js'

/** The bit of `keyUsage` that lets a key sign certificates. */
const signsCertificates = 0x04
const depthMax = 8
// A forger may send many certificates of one name: so many signatures are verified, and no more.
const triesMax = 64

/** What a path is looked for with. */
export interface PathSearch {
  readonly crypto: CertificateCrypto
  /** Those that are trusted. */
  readonly anchors: readonly Certificate[]
  /** Those that may be on the way. */
  readonly others: readonly Certificate[]
  /** When all of them have to be valid, UTC milliseconds since 1970. */
  readonly atMs: number
}

/** Whether a certificate is a trusted one, or leads to one by signatures of authorities that were valid then. */
export async function leadsToAnchor(search: PathSearch, from: Certificate): Promise<boolean> {
  const tries = { left: triesMax }
  return leads(search, { at: from, way: [from] }, tries)
}

interface Place {
  readonly at: Certificate
  /** From the first one up to here. */
  readonly way: readonly Certificate[]
}

async function leads(search: PathSearch, { at, way }: Place, tries: { left: number }): Promise<boolean> {
  if (search.anchors.some((anchor) => sameBytes(anchor.der, at.der))) return true
  if (way.length > depthMax) return false
  for (const issuer of [...search.anchors, ...search.others]) {
    if (!sameBytes(issuer.subject, at.issuer) || way.some((one) => sameBytes(one.der, issuer.der))) continue
    if (!mayIssue(issuer, way.length - 1, search.atMs) || tries.left === 0) continue
    tries.left -= 1
    if (!(await hasSigned(search.crypto, issuer, at))) continue
    if (await leads(search, { at: issuer, way: [...way, issuer] }, tries)) return true
  }
  return false
}

function mayIssue({ extensions, fromMs, untilMs }: Certificate, between: number, atMs: number): boolean {
  const { isAuthority, pathMax, keyUsage, unknownCritical } = extensions
  const isValid = atMs >= fromMs && atMs <= untilMs
  const maySign = keyUsage === undefined || (keyUsage & signsCertificates) !== 0
  return isAuthority && maySign && isValid && between <= (pathMax ?? between) && unknownCritical.length === 0
}

async function hasSigned(
  crypto: CertificateCrypto,
  issuer: Certificate,
  { algorithm, signature, signed }: Certificate,
): Promise<boolean> {
  try {
    const raw = rawSignature(issuer.key, signature)
    const scheme = schemeOf(algorithm, issuer.key)
    return (
      raw !== undefined && (await crypto.verify({ scheme, spki: issuer.key.spki, message: signed, signature: raw }))
    )
  } catch {
    // Of an algorithm that is not known, or not of its form: another path may do.
    return false
  }
}
