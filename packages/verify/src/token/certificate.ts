import { sameBytes } from '../bytes.js'
import { type Algorithm, algorithmOf, type PublicKey, publicKeyOf } from './algorithms.js'
import {
  bitBytesOf,
  booleanOf,
  contextTag,
  type Der,
  DerError,
  type DerReader,
  momentOfDer,
  naturalOf,
  oidOf,
  readParts,
  readWhole,
  smallNumberOf,
  tags,
} from './der.js'

/** A certificate of X.509, as far as tokens need it. */
export interface Certificate {
  /** All of it, in DER. */
  readonly der: Uint8Array
  /** What is signed. */
  readonly signed: Uint8Array
  readonly algorithm: Algorithm
  readonly signature: Uint8Array
  /** The number that its issuer gave it, without leading zeros. */
  readonly serial: Uint8Array
  /** Names in DER: they are compared byte for byte. */
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  /** From and until when it is valid, both included; UTC milliseconds since 1970. */
  readonly fromMs: number
  readonly untilMs: number
  readonly key: PublicKey
  readonly extensions: Extensions
}

/** What the extensions of a certificate say. */
export interface Extensions {
  readonly isAuthority: boolean
  /** How many certificates of authorities may be between it and the last one; undefined for any number. */
  readonly pathMax: number | undefined
  /** The bits of its first byte, from the highest downwards; undefined where it says nothing. */
  readonly keyUsage: number | undefined
  /** What it is for, and whether that is critical. */
  readonly purposes: { readonly oids: readonly string[]; readonly isCritical: boolean } | undefined
  readonly keyId: Uint8Array | undefined
  /** Critical ones that are not understood here: whoever has one is not taken. */
  readonly unknownCritical: readonly string[]
}

/** Reads a certificate. Throws `DerError` where it is none, and `UnknownAlgorithmError` for kinds of keys that are not taken. */
export function readCertificate(der: Uint8Array): Certificate {
  return readWhole(der, tags.sequence, (parts) => {
    const signed = parts.take(tags.sequence)
    const algorithm = parts.take(tags.sequence)
    const signature = bitBytesOf(parts.take(tags.bits))
    const said = readParts(signed, (inner) => readSigned(inner, algorithm))
    return { der, signed: signed.whole, algorithm: algorithmOf(algorithm), signature, ...said }
  })
}

type Said = Omit<Certificate, 'der' | 'signed' | 'algorithm' | 'signature'>

function readSigned(parts: DerReader, algorithm: Der): Said {
  const version = parts.takeIf(contextTag(0))
  const isThird = version !== undefined && readParts(version, (inner) => smallNumberOf(inner.take(tags.integer))) === 2
  const serial = naturalOf(parts.take(tags.integer))
  // Whoever could change the one outside the signature could make it mean something else.
  if (!sameBytes(parts.take(tags.sequence).whole, algorithm.whole))
    throw new DerError('a certificate names two algorithms of its signature')
  const issuer = parts.take(tags.sequence).whole
  const [fromMs = 0, untilMs = 0] = readParts(parts.take(tags.sequence), (times) => [
    momentOfDer(times.takeAny()),
    momentOfDer(times.takeAny()),
  ])
  const subject = parts.take(tags.sequence).whole
  const key = publicKeyOf(parts.take(tags.sequence))
  parts.takeIf(contextTag(1, false))
  parts.takeIf(contextTag(2, false))
  const listed = parts.takeIf(contextTag(3))
  if (listed !== undefined && !isThird)
    throw new DerError('a certificate has extensions that its version does not have')
  const extensions = listed === undefined ? [] : readParts(listed, readExtensions)
  return { serial, issuer, subject, fromMs, untilMs, key, extensions: extensionsOf(extensions) }
}

interface Extension {
  readonly oid: string
  readonly isCritical: boolean
  readonly value: Uint8Array
}

function readExtensions(parts: DerReader): Extension[] {
  const found: Extension[] = []
  readParts(parts.take(tags.sequence), (list) => {
    while (!list.isAtEnd)
      found.push(
        readParts(list.take(tags.sequence), (one) => {
          const oid = oidOf(one.take(tags.oid))
          const critical = one.takeIf(tags.boolean)
          return {
            oid,
            isCritical: critical !== undefined && booleanOf(critical),
            value: one.take(tags.octets).content,
          }
        }),
      )
  })
  if (new Set(found.map(({ oid }) => oid)).size < found.length)
    throw new DerError('a certificate has an extension twice')
  return found
}

const oids = {
  keyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basic: '2.5.29.19',
  policies: '2.5.29.32',
  purposes: '2.5.29.37',
}
const understood = new Set(Object.values(oids))

function extensionsOf(list: readonly Extension[]): Extensions {
  const find = (oid: string) => list.find((one) => one.oid === oid)
  const [basic, usage, purposes, keyId] = [find(oids.basic), find(oids.keyUsage), find(oids.purposes), find(oids.keyId)]
  return {
    ...(basic === undefined
      ? { isAuthority: false, pathMax: undefined }
      : readWhole(basic.value, tags.sequence, readBasic)),
    keyUsage: usage && readWhole(wrapped(usage.value), tags.sequence, (parts) => parts.take(tags.bits).content[1] ?? 0),
    purposes: purposes && {
      oids: readWhole(purposes.value, tags.sequence, readOids),
      isCritical: purposes.isCritical,
    },
    keyId: keyId && readWhole(wrapped(keyId.value), tags.sequence, (parts) => parts.take(tags.octets).content),
    unknownCritical: list.filter(({ oid, isCritical }) => isCritical && !understood.has(oid)).map(({ oid }) => oid),
  }
}

// A value that is one plain element, as the only part of a sequence.
function wrapped(value: Uint8Array): Uint8Array {
  if (value.length > 127) throw new DerError('an extension is longer than it can be')
  const whole = new Uint8Array(2 + value.length)
  whole.set([tags.sequence, value.length])
  whole.set(value, 2)
  return whole
}

function readBasic(parts: DerReader): Pick<Extensions, 'isAuthority' | 'pathMax'> {
  const authority = parts.takeIf(tags.boolean)
  const pathMax = parts.takeIf(tags.integer)
  return {
    isAuthority: authority !== undefined && booleanOf(authority),
    pathMax: pathMax && smallNumberOf(pathMax),
  }
}

function readOids(parts: DerReader): string[] {
  const found: string[] = []
  while (!parts.isAtEnd) found.push(oidOf(parts.take(tags.oid)))
  return found
}

/** What a name says, for people: its texts, the most general first. */
export function nameText(name: Uint8Array): string {
  const words: string[] = []
  readWhole(name, tags.sequence, (sets) => {
    while (!sets.isAtEnd)
      readParts(sets.take(tags.set), (set) => {
        while (!set.isAtEnd)
          readParts(set.take(tags.sequence), (pair) => {
            pair.take(tags.oid)
            words.push(new TextDecoder().decode(pair.takeAny().content))
          })
      })
  })
  return words.join(', ').slice(0, 200)
}
