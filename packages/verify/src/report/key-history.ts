import type { ReadEvent } from '../bundle/index.js'
import { bytesOfBase64, utf8Of } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { parseVerifierKey, type VerifierKey, verifySignature } from '../note/index.js'
import { jsonBytesMax, parseStrictJson } from '../strict-json.js'
import type { Findings } from './findings.js'

/** A key that the verifier knows. */
export interface KnownKey {
  readonly key: VerifierKey
  /** Whether the verifier was given it, or one that is trusted endorsed it. */
  readonly isTrusted: boolean
  /** The event of governance that added it; undefined for one that was given and was not added. */
  addedSeq: number | undefined
  /** The event that retired or compromised it. */
  endedSeq: number | undefined
  /** Checkpoints beyond this size do not count. */
  sizeMax: number
}

/** What both signatures of a key event are over. */
export function keyMessage(origin: string, keyText: string): Uint8Array {
  return utf8Of(`constancia.key/v1\n${origin}\n${keyText}\n`)
}

/** Folds the key events of governance, and checks them: `keys`. */
export class KeyHistory {
  readonly #crypto: Crypto
  readonly #findings: Findings
  readonly #known = new Map<string, KnownKey>()
  readonly #byId = new Map<string, readonly KnownKey[]>()
  #addedCount = 0

  constructor(crypto: Crypto, findings: Findings, given: readonly VerifierKey[]) {
    this.#crypto = crypto
    this.#findings = findings
    const sizeMax = Number.MAX_SAFE_INTEGER
    for (const key of given) this.#keep({ key, isTrusted: true, addedSeq: undefined, endedSeq: undefined, sizeMax })
  }

  /** The keys whose name and key id, of one kind of signature or the other, these are. */
  by(name: string, keyId: string): readonly KnownKey[] {
    return this.#byId.get(`${name}+${keyId}`) ?? []
  }

  #keep(known: KnownKey): void {
    const { key } = known
    this.#known.set(key.text, known)
    for (const keyId of [key.noteKeyId, key.cosignatureKeyId]) {
      const others = this.by(key.name, keyId).filter((other) => other.key.text !== key.text)
      this.#byId.set(`${key.name}+${keyId}`, [...others, known])
    }
  }

  /** An event of governance; those that are not about keys are passed over. */
  async add(event: ReadEvent, origin: string): Promise<void> {
    if (!event.kind.startsWith('Key')) return
    const problem = await this.#apply(event, origin)
    if (problem !== undefined)
      this.#findings.fail('keys', `${event.kind}: ${problem}`, { stream: event.stream, seq: event.seq })
  }

  async #apply({ kind, body, seq }: ReadEvent, origin: string): Promise<string | undefined> {
    const names = bodyNames[kind]
    if (names === undefined) return undefined
    if (body.kind !== 'text') return 'its body is withheld'
    const fields = body.byteCount > jsonBytesMax ? undefined : fieldsOf(body.text, names)
    if (fields === undefined) return `its body is not an object of ${names.join(', ')}`
    const { key: text, lastGoodSize } = fields
    if (typeof text !== 'string') return 'the key is no text'
    if (kind === 'KeyAdded') return this.#add(seq, { ...fields, key: text }, origin)
    const known = this.#known.get(text)
    if (known?.addedSeq === undefined) return 'the key was not added before'
    if (kind === 'KeyCompromised') {
      if (!Number.isSafeInteger(lastGoodSize) || (lastGoodSize as number) < 0) return 'the last good size is no number'
      known.sizeMax = Math.min(known.sizeMax, lastGoodSize as number)
    }
    known.endedSeq ??= seq
    return undefined
  }

  async #add(
    seq: number,
    body: Record<string, unknown> & { key: string },
    origin: string,
  ): Promise<string | undefined> {
    const isFirst = this.#addedCount === 0
    const parsed = await parseVerifierKey(this.#crypto, body.key)
    if (parsed.kind === 'refused') return `the key is none: ${parsed.why}`
    const { key } = parsed
    if (key.name !== origin) return `the key has the name ${key.name} instead of the origin's`
    const known = this.#known.get(key.text)
    if (known?.addedSeq !== undefined) return 'the key was added before'
    const message = keyMessage(origin, key.text)
    if (!(await this.#isSigned(key, message, body['possession']))) return 'it is not signed by the key itself'
    let isEndorsedByTrusted = false
    if (body['endorsement'] !== null || !isFirst) {
      if (isFirst) return 'the first key has an endorsement'
      const endorsement = recordOf(body['endorsement'], ['key', 'signature'])
      const endorser = typeof endorsement?.['key'] === 'string' ? this.#known.get(endorsement['key']) : undefined
      if (endorser === undefined || !isActive(endorser, seq - 1)) return 'it is not endorsed by an active key'
      if (!(await this.#isSigned(endorser.key, message, endorsement?.['signature']))) return 'its endorsement is wrong'
      isEndorsedByTrusted = endorser.isTrusted
    }
    this.#addedCount += 1
    const isTrusted = known?.isTrusted === true || isEndorsedByTrusted
    this.#keep({ key, isTrusted, addedSeq: seq, endedSeq: undefined, sizeMax: Number.MAX_SAFE_INTEGER })
    return undefined
  }

  async #isSigned({ publicKey }: VerifierKey, message: Uint8Array, base64: unknown): Promise<boolean> {
    const signature = typeof base64 === 'string' ? bytesOfBase64(base64) : undefined
    return signature !== undefined && verifySignature(this.#crypto, publicKey, { message, signature })
  }
}

/** Whether a key may sign at a position of governance. */
export function isActive({ addedSeq, endedSeq }: KnownKey, seq: number): boolean {
  return addedSeq !== undefined && addedSeq <= seq && (endedSeq === undefined || endedSeq > seq)
}

const bodyNames: Readonly<Record<string, readonly string[]>> = {
  KeyAdded: ['key', 'possession', 'endorsement'],
  KeyRetired: ['key'],
  KeyCompromised: ['key', 'lastGoodSize'],
}

function fieldsOf(text: string, names: readonly string[]): Record<string, unknown> | undefined {
  const parsed = parseStrictJson(text)
  return parsed.kind === 'value' ? recordOf(parsed.value, names) : undefined
}

/** An object with these names in this order, and no others. */
function recordOf(value: unknown, names: readonly string[]): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.keys(value).join() === names.join() ? (value as Record<string, unknown>) : undefined
}
