import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import {
  type BundleCheckpoint,
  type BundleEvent,
  type BundleLeaf,
  base64Of,
  checkpointText,
  commitPreimage,
  consistencyProof,
  cosignature,
  cosignatureMessage,
  genesisText,
  headerText,
  headLeafText,
  hexOf,
  inclusionProof,
  keyMessage,
  leafPreimage,
  type Note,
  noteSignature,
  noteText,
  rootAt,
  type Scope,
  treeSource,
  utf8Of,
  type VerifierKey,
  verifierKeyOf,
  writeBundle,
} from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'

const { sha256 } = nodeCrypto

/** A key with its secret; the same for the same name and number. */
export interface Signer {
  readonly key: VerifierKey
  readonly secret: KeyObject
}

/** The key of a log with a number. */
export function signerOf(name: string, number: number): Signer {
  const seed = createHash('sha256').update(`${name} ${number}`).digest()
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const secret = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
  const raw = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { key: verifierKeyOf(sha256, name, new Uint8Array(raw)), secret }
}

/** An event of a log, with the texts that a bundle may leave out. */
export interface LogEvent extends BundleEvent {
  readonly stream: string
}

/** What is said of an event beside its kind and texts. */
export interface Given {
  readonly data?: string
  readonly by?: string
  readonly at?: number
  /** Instead of the latest head of governance and the latest checkpoint. */
  readonly seen?: string
}

interface Sealed {
  readonly size: number
  readonly note: Note
}

/** What a bundle is made of, before it is written: forgers change it. */
export interface Draft {
  origin: string
  scope: Scope
  streams: { name: string; events: LogEvent[] }[]
  leaves: BundleLeaf[]
  checkpoints: BundleCheckpoint[]
  claim: ((text: string) => Note) | undefined
}

/** The origin of the logs of these tests. */
export const origin = 'bank.example/log'
/** When their first event is. */
export const beginMs = Date.UTC(2026, 1, 28, 23, 59, 0)

/** What logs differ in. */
export interface LogOptions {
  readonly number?: number
  readonly name?: string
  /** The first event is a second later. */
  readonly nowMs?: number
}

/** A log as an honest operator keeps it, in memory; everything about it, salts and keys too, follows from its number and what was done. */
export class Log {
  readonly origin: string
  readonly streams = new Map<string, LogEvent[]>()
  readonly leaves: { stream: string; seq: number; hash: string }[] = []
  readonly leafHashes: Uint8Array[] = []
  readonly sealed: Sealed[] = []
  readonly #sealedSeq = new Map<string, number>()
  readonly #number: number
  #saltCount = 0
  signer: Signer
  nowMs: number

  constructor({ number = 1, name = origin, nowMs = beginMs }: LogOptions = {}) {
    this.nowMs = nowMs
    this.#number = number
    this.origin = name
    this.signer = signerOf(name, number)
    this.addKey(this.signer, undefined)
  }

  salt(): string {
    const text = `salt ${this.#number} ${this.#saltCount++}`
    return createHash('sha256').update(text).digest('hex').slice(0, 32)
  }

  /** What a writer knows now. */
  seenNow(): string {
    const head = this.streams.get('governance')?.at(-1)
    const last = this.sealed.at(-1)
    const governance = head === undefined ? '-' : `${head.seq}:${head.hash}`
    const checkpoint = last === undefined ? '-' : `${last.size}:${hexOf(this.rootAt(last.size))}`
    return `${governance}/${checkpoint}`
  }

  rootAt(size: number): Uint8Array {
    return rootAt(treeSource(sha256, this.leafHashes), size)
  }

  append(stream: string, kind: string, body: string, given: Given = {}): LogEvent {
    const events = this.streams.get(stream) ?? []
    this.nowMs += 1_000
    const usual = stream.startsWith('run/') ? 'claim:c-1@1' : 'principal:root'
    const { data, by = usual, at = this.nowMs, seen = this.seenNow() } = given
    const bodyText = { kind: 'text', salt: this.salt(), text: body } as const
    const dataText = data === undefined ? undefined : ({ kind: 'text', salt: this.salt(), text: data } as const)
    const event = chained(events.at(-1), { stream, kind, at, by, seen, body: bodyText, data: dataText })
    events.push(event)
    this.streams.set(stream, events)
    return event
  }

  /** A run with so many events, which has ended or not. */
  run(id: string, eventCount: number, { isOpen = false, by }: { isOpen?: boolean; by?: string } = {}): void {
    const given = by === undefined ? {} : { by }
    for (let seq = 0; seq < eventCount; seq++) {
      const isLast = seq === eventCount - 1 && !isOpen && seq > 0
      const kind = seq === 0 ? 'FlowStarted' : isLast ? 'FlowCompleted' : 'StepCompleted'
      const body = seq === 0 ? '{"flow":"count","version":1,"actor":null,"contract":null}' : `{"op":"${seq - 1}"}`
      this.append(`run/${id}`, kind, body, { data: `"${'x'.repeat(seq % 7)}é"`, ...given })
    }
  }

  addKey(signer: Signer, endorser: Signer | undefined): LogEvent {
    return this.append('governance', 'KeyAdded', addedBody(this.origin, signer, endorser), { by: 'system:evidence' })
  }

  /** The new key is endorsed by the present one, which is retired. */
  rotate(number: number): void {
    const next = signerOf(this.origin, number)
    this.addKey(next, this.signer)
    this.append('governance', 'KeyRetired', JSON.stringify({ key: this.signer.key.text }), { by: 'system:evidence' })
    this.signer = next
  }

  /** Seals what grew, and governance last. */
  seal(seconds = Math.floor(this.nowMs / 1_000)): Sealed {
    const grown = [...this.streams].filter(
      ([name, events]) => name !== 'governance' && (this.#sealedSeq.get(name) ?? -1) < events.length - 1,
    )
    for (const [name, events] of [...grown, ['governance', this.streams.get('governance')!] as const]) {
      const { seq, hash } = events.at(-1)!
      this.#sealedSeq.set(name, seq)
      this.sealLeaf({ stream: name, seq, hash })
    }
    return this.checkpoint(seconds)
  }

  /** Signs the tree as it is. */
  checkpoint(seconds = Math.floor(this.nowMs / 1_000)): Sealed {
    const size = this.leaves.length
    const note = checkpointNote({ origin: this.origin, size, root: this.rootAt(size) }, this.signer, seconds)
    const sealed = { size, note }
    this.sealed.push(sealed)
    return sealed
  }

  /** Adds a leaf that no honest sealing would. */
  sealLeaf(leaf: { stream: string; seq: number; hash: string }): void {
    this.leaves.push(leaf)
    this.leafHashes.push(sha256(leafPreimage(utf8Of(headLeafText(leaf)))))
  }

  /** Gives a leaf another hash, and signs all checkpoints anew: what somebody can do who holds the key and whom nobody watches. */
  reseal(index: number, hash: string): void {
    const leaf = { ...this.leaves[index]!, hash }
    this.leaves[index] = leaf
    this.leafHashes[index] = sha256(leafPreimage(utf8Of(headLeafText(leaf))))
    for (const [i, { size }] of this.sealed.entries()) {
      const head = { origin: this.origin, size, root: this.rootAt(size) }
      this.sealed[i] = { size, note: checkpointNote(head, this.signer, Math.floor(this.nowMs / 1_000)) }
    }
  }

  /** What `prove` would put together for these runs. */
  draft(runs: readonly string[], scope?: Scope): Draft {
    const names = ['governance', ...runs.map((id) => `run/${id}`).sort()]
    const streams = names.map((name) => ({ name, events: [...this.streams.get(name)!] }))
    const size = this.leaves.length
    const source = treeSource(sha256, this.leafHashes)
    const ends = new Set(this.sealed.map((sealed) => sealed.size - 1))
    const leaves = this.leaves.flatMap((leaf, index) =>
      names.includes(leaf.stream) && (leaf.stream !== 'governance' || ends.has(index))
        ? [{ index, ...leaf, path: inclusionProof(source, index, size) }]
        : [],
    )
    const checkpoints = this.sealed.map(({ size: after, note }, i) => {
      const before = this.sealed[i - 1]?.size
      return { note, consistency: before === undefined ? [] : consistencyProof(source, before, after), tokens: [] }
    })
    const claim = scope?.kind === 'interval' ? (text: string) => signedNote(text, this.signer) : undefined
    return {
      origin: this.origin,
      scope: scope ?? { kind: 'runs', count: runs.length },
      streams,
      leaves,
      checkpoints,
      claim,
    }
  }

  bundle(runs: readonly string[], scope?: Scope): Promise<Buffer> {
    return written(this.draft(runs, scope))
  }
}

/** An event with its hash, behind another one. */
export function chained(before: LogEvent | undefined, event: Omit<LogEvent, 'seq' | 'hash'>): LogEvent {
  const { stream, kind, at, by, seen, body, data } = event
  const seq = before === undefined ? 0 : before.seq + 1
  const prev = before?.hash ?? hexOf(sha256(utf8Of(genesisText(stream))))
  const commit = (text: LogEvent['body']) =>
    text.kind === 'text' ? hexOf(sha256(commitPreimage(Buffer.from(text.salt, 'hex'), text.text))) : text.commit
  const dataCommit = data === undefined ? undefined : commit(data)
  const header = { stream, seq, kind, at, by, seen, bodyCommit: commit(body), dataCommit, prev }
  return { ...event, seq, hash: hexOf(sha256(utf8Of(headerText(header)))) }
}

/** The same text with only its commit left. */
export function without(text: LogEvent['body'], how: 'withheld' | 'erased'): LogEvent['body'] {
  if (text.kind !== 'text') return text
  return { kind: how, commit: hexOf(sha256(commitPreimage(Buffer.from(text.salt, 'hex'), text.text))) }
}

/** The body of an event that adds a key. */
export function addedBody(name: string, { key, secret }: Signer, endorser: Signer | undefined): string {
  const message = keyMessage(name, key.text)
  const signature = (by: KeyObject) => base64Of(sign(null, message, by))
  const endorsement = endorser === undefined ? null : { key: endorser.key.text, signature: signature(endorser.secret) }
  return JSON.stringify({ key: key.text, possession: signature(secret), endorsement })
}

/** A note signed by a key over its text. */
export function signedNote(text: string, { key, secret }: Signer): Note {
  return { text, signatures: [noteSignature(key, sign(null, utf8Of(text), secret))] }
}

/** A checkpoint, signed and cosigned. */
export function checkpointNote(
  head: { readonly origin: string; readonly size: number; readonly root: Uint8Array },
  signer: Signer,
  seconds: number,
): Note {
  const text = checkpointText(head)
  const timed = cosignature(signer.key, seconds, sign(null, cosignatureMessage(seconds, text), signer.secret))
  return { text, signatures: [...signedNote(text, signer).signatures, timed] }
}

/** A checkpoint as an auditor keeps it. */
export function kept(sealed: { readonly note: Note }): string {
  return noteText(sealed.note)
}

/** The bytes of a bundle. */
export async function written({ claim, ...draft }: Draft): Promise<Buffer> {
  const streams = draft.streams.map(({ name, events }) => ({ name, eventCount: events.length, events }))
  const pieces: Uint8Array[] = []
  const parts = { ...draft, streams, ...(claim === undefined ? {} : { claim }) }
  for await (const piece of writeBundle(parts, nodeCrypto)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The text of a bundle with an end line that fits again; a claim behind it is left out. */
export function repaired(text: string): string {
  const at = text.lastIndexOf('\nend ') + 1
  const body = text.slice(0, at)
  return `${body}end ${createHash('sha256').update(body).digest('hex')}\n`
}

/** Bytes as a source, in chunks of a size. */
export async function* chunks(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
