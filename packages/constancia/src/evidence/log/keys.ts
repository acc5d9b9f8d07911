import { base64Of, keyMessage, type VerifierKey } from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import {
  type Draft,
  emptyHead,
  type Head,
  headOf,
  nothingSeen,
  type StoredEvent,
  seenOf,
  verifyChain,
} from '../../journal/index.js'
import { type Store, sealedLast } from '../../store/index.js'
import type { Signer } from '../index.js'
import { evidenceError } from '../index.js'
import { keyOf } from './signer.js'

/** A key as the governance stream tells. */
export interface LoggedKey {
  /** The whole verifier key. */
  readonly key: string
  /** The events that added it, and that retired or compromised it. */
  readonly addedSeq: number
  readonly endedSeq: number | undefined
  readonly state: 'active' | 'retired' | 'compromised'
  /** Of a compromised one: what it signed counts up to checkpoints of this size. */
  readonly lastGoodSize: number | undefined
  /** When it was added, UTC milliseconds since 1970. */
  readonly addedAtMs: number
}

const pageSize = 1_000

/** The keys of a log, folded from the governance stream as far as it was read. */
export class KeyLedger {
  readonly #keys = new Map<string, LoggedKey>()
  #head: Head = emptyHead(sealedLast)

  /** The last event that it was folded from. */
  get head(): Head {
    return this.#head
  }

  /** In the order in which they were added. */
  get keys(): readonly LoggedKey[] {
    return [...this.#keys.values()]
  }

  find(key: string): LoggedKey | undefined {
    return this.#keys.get(key)
  }

  /** Reads on, up to an event or to the end. What is read is verified first. Rejects with faults of the store. */
  async readFrom(store: Store, upToSeq = Number.MAX_SAFE_INTEGER): Promise<void> {
    while (this.#head.seq < upToSeq) {
      const limit = Math.min(pageSize, upToSeq - this.#head.seq)
      const events = await store.read(sealedLast, { fromSeq: this.#head.seq + 1, limit })
      verifyChain(sealedLast, this.#head, events)
      for (const event of events) this.#add(event)
      if (events.length < limit) return
    }
  }

  #add(event: StoredEvent): void {
    this.#head = headOf(event)
    if (!/^Key(?:Added|Retired|Compromised)$/.test(event.kind)) return
    const body = JSON.parse(event.body) as { readonly key: string; readonly lastGoodSize?: number }
    const known = this.#keys.get(body.key)
    if (event.kind === 'KeyAdded') {
      const fresh = { state: 'active', addedSeq: event.seq, endedSeq: undefined, lastGoodSize: undefined } as const
      if (known === undefined) this.#keys.set(body.key, { key: body.key, addedAtMs: event.at, ...fresh })
      return
    }
    if (known === undefined) return
    const endedSeq = known.endedSeq ?? event.seq
    if (event.kind === 'KeyRetired') {
      const state = known.state === 'compromised' ? known.state : 'retired'
      this.#keys.set(body.key, { ...known, state, endedSeq })
      return
    }
    const lastGoodSize = Math.min(known.lastGoodSize ?? Number.MAX_SAFE_INTEGER, body.lastGoodSize ?? 0)
    this.#keys.set(body.key, { ...known, state: 'compromised', endedSeq, lastGoodSize })
  }
}

/** The key of a log that is to sign, and what signs with it. */
export interface LogKey {
  readonly origin: string
  readonly signer: Signer
  readonly key: VerifierKey
}

/** A key and what signs with it, under the name of a log. Throws `key_invalid`. */
export function logKey(origin: string, signer: Signer): LogKey {
  return { origin, signer, key: keyOf(origin, signer) }
}

/** Signs, and looks at once whether the signature is right: one that is not must not get into a log. Throws `key_invalid`. */
export async function signed({ key, signer }: LogKey, message: Uint8Array): Promise<Uint8Array> {
  const signature = await signer.sign(message)
  if (nodeCrypto.verifyEd25519(key.publicKey, message, signature)) return signature
  throw evidenceError(
    'key_invalid',
    `What the signer of ${key.text} returned is not a signature by that key. Nothing was sealed; see whether public key and private key belong together.`,
  )
}

/** The event that adds a key, endorsed by one that is active; by none where it is the first. */
export async function keyAdded(added: LogKey, endorser: LogKey | undefined): Promise<Draft> {
  const message = keyMessage(added.origin, added.key.text)
  const possession = base64Of(await signed(added, message))
  const endorsement =
    endorser === undefined ? null : { key: endorser.key.text, signature: base64Of(await signed(endorser, message)) }
  return { kind: 'KeyAdded', body: JSON.stringify({ key: added.key.text, possession, endorsement }), data: undefined }
}

/** The event that retires a key. */
export function keyRetired(key: string): Draft {
  return { kind: 'KeyRetired', body: JSON.stringify({ key }), data: undefined }
}

/** The event that says that somebody else may have a key, and up to which checkpoint what it signed counts. */
export function keyCompromised(key: string, lastGoodSize: number): Draft {
  return { kind: 'KeyCompromised', body: JSON.stringify({ key, lastGoodSize }), data: undefined }
}

/**
 * Adds the key to a log that has none: the first one needs nobody's leave. Of several processes that do it at once one does. Returns what
 * is known of keys then. Rejects with `key_not_active` where the log has other keys, and this one may not sign.
 */
export async function firstKey(store: Store, mine: LogKey): Promise<KeyLedger> {
  const ledger = new KeyLedger()
  for (;;) {
    await ledger.readFrom(store)
    if (ledger.keys.length > 0) {
      requireActive(ledger, mine)
      return ledger
    }
    const { head } = ledger
    const drafts = [await keyAdded(mine, undefined)]
    const seen = head.seq < 0 ? nothingSeen : seenOf(head)
    await store.record({ stream: sealedLast, head, drafts, by: 'system:evidence', seen })
  }
}

/** Throws `key_not_active` unless a key may sign, as far as the ledger was read. */
export function requireActive(ledger: KeyLedger, { key, origin }: LogKey): void {
  const known = ledger.find(key.text)
  if (known?.state === 'active') return
  const why = known === undefined ? 'was never added to it' : `was ${known.state}`
  throw evidenceError(
    'key_not_active',
    `The key ${key.text} may not sign for the log ${origin}: it ${why}. Nothing is sealed by this process, and runs go on. Give it a key that is active ` +
      '(constancia keys list), or add this one with: constancia keys rotate',
  )
}
