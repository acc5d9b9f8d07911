import type { ReadEvent, ReadText } from '../bundle/index.js'
import { bytesOfHex, sameBytes, utf8Of, writeHex } from '../bytes.js'
import { genesisText } from '../chain.js'
import type { Crypto } from '../crypto.js'
import type { Findings } from './findings.js'
import { HashPool } from './hash-pool.js'
import { StreamState } from './stream-state.js'

const encoder = new TextEncoder()
const newline = 10
const minus = 45
const endKinds = new Set(['FlowCompleted', 'FlowFailed', 'FlowCancelled', 'FlowContinued'])

interface Commits {
  readonly bodyCommit: Uint8Array
  readonly dataCommit: Uint8Array | undefined
}

/** Checks the events of streams, one after the other: `chain`, `genesis`, `end`, `epochs`, and of `seen` what the events alone tell. */
export class ChainCheck {
  readonly #crypto: Crypto
  readonly #findings: Findings
  readonly #hashes = new HashPool()
  readonly #streams = new Map<string, StreamState>()
  /** The root of each checkpoint that an event has named, by its size, and which event did first. */
  readonly #named = new Map<number, { root: string; stream: string; seq: number }>()
  #current: StreamState | undefined
  /** The hash that the last event of the current stream states, or what comes before the first. */
  #prev: Uint8Array = new Uint8Array(32)

  constructor(crypto: Crypto, findings: Findings) {
    this.#crypto = crypto
    this.#findings = findings
  }

  /** The streams that were begun, by name, in the order of the file. */
  get streams(): ReadonlyMap<string, StreamState> {
    return this.#streams
  }

  /** A stream begins; of a receipt, somewhere after the hash `prev`. */
  async begin(name: string, eventCount: number, prev?: string): Promise<void> {
    const stream = new StreamState(name, eventCount)
    this.#prev = bytesOfHex(prev ?? '') ?? new Uint8Array(32)
    if (prev === undefined) this.#prev = await this.#hash(utf8Of(genesisText(name)))
    this.#streams.set(name, stream)
    this.#current = stream
  }

  /** An event of the stream that began last. Receipts may begin with any seq. */
  async add(event: ReadEvent, { isReceipt }: { readonly isReceipt: boolean }): Promise<void> {
    const stream = this.#current
    if (stream === undefined) throw new Error('An event has come before any stream.')
    const place = this.#hashes.push(event.hashBytes)
    if (stream.readCount === 0) {
      stream.firstPlace = place
      stream.firstSeq = isReceipt ? event.seq : 0
      stream.beganAt = event.at
    }
    await this.#checkChain(stream, event)
    if (!isReceipt) {
      this.#checkRun(stream, event)
      this.#checkSeen(stream, event)
    }
    this.#prev = event.hashBytes
    stream.lastAt = event.at
    stream.readCount += 1
  }

  /** The hash that a stream states for an event; undefined where there is no such event in the file. */
  hashOf(stream: StreamState, seq: number): string | undefined {
    const number = seq - stream.firstSeq
    return number >= 0 && number < stream.readCount ? this.#hashes.at(stream.firstPlace + number) : undefined
  }

  /** A checkpoint of the file: whether those who have seen one of its size have seen this one. */
  compareNamed(size: number, root: string): void {
    const named = this.#named.get(size)
    if (named !== undefined && named.root !== root)
      this.#findings.fail(
        'seen',
        `it has seen a checkpoint of size ${size} with another root than that in the file`,
        named,
      )
  }

  async #checkChain(stream: StreamState, event: ReadEvent): Promise<void> {
    const fail = (message: string) => this.#findings.fail('chain', message, { stream: stream.name, seq: event.seq })
    const seqDue = stream.firstSeq + stream.readCount
    if (event.seq !== seqDue) fail(`event ${seqDue} should be here`)
    if (event.at < stream.lastAt) fail('it is dated before the event before it')
    const bodyCommit = this.#commit(stream, event.body)
    const dataCommit = event.data === undefined ? undefined : this.#commit(stream, event.data)
    const made = this.#crypto.sha256(this.#header(stream, event, { bodyCommit, dataCommit }))
    const hash = made instanceof Uint8Array ? made : await made
    if (!sameBytes(hash, event.hashBytes)) fail('it does not fit its hash')
  }

  #commit(stream: StreamState, text: ReadText): Uint8Array {
    if (text.kind === 'text') return text.commit
    if (text.kind === 'withheld') stream.withheldCount += 1
    else stream.erasedCount += 1
    return bytesOfHex(text.commit) ?? new Uint8Array(32)
  }

  async #hash(bytes: Uint8Array): Promise<Uint8Array> {
    return this.#crypto.sha256(bytes)
  }

  readonly #scratch = new Uint8Array(2_048)

  /** What `headerText` says, as bytes in a place that the next header takes again. */
  #header(
    stream: StreamState,
    { seq, kind, atText, by, seen }: ReadEvent,
    { bodyCommit, dataCommit }: Commits,
  ): Uint8Array {
    const text = `constancia.event/v1\n${stream.name}\n${seq}\n${kind}\n${atText}\n${by}\n${seen}\n`
    const target = this.#scratch
    let at = encoder.encodeInto(text, target).written
    at = writeHex(target, at, bodyCommit)
    target[at++] = newline
    if (dataCommit === undefined) target[at++] = minus
    else at = writeHex(target, at, dataCommit)
    target[at++] = newline
    at = writeHex(target, at, this.#prev)
    target[at++] = newline
    return target.subarray(0, at)
  }

  #checkRun(stream: StreamState, event: ReadEvent): void {
    if (!stream.name.startsWith('run/')) return
    const about = { stream: stream.name, seq: event.seq }
    if (stream.readCount === 0 && event.kind !== 'FlowStarted')
      this.#findings.fail('genesis', `the run begins with ${event.kind} instead of FlowStarted`, about)
    if (stream.ended !== undefined) this.#findings.fail('end', `it comes after ${stream.ended}`, about)
    if (endKinds.has(event.kind)) stream.ended ??= event.kind
    const by = event.byParts
    if (by === 'other') return
    if (by.epoch < stream.epoch)
      this.#findings.fail('epochs', `its epoch is ${by.epoch}, though epoch ${stream.epoch} was there before`, about)
    if (by.epoch === stream.epoch && by.claim !== stream.claim)
      this.#findings.fail('epochs', `two claims have written in epoch ${by.epoch}`, about)
    if (by.epoch >= stream.epoch) {
      stream.epoch = by.epoch
      stream.claim = by.claim
    }
  }

  /** What was found right last: many events have seen the same. Only where governance is complete. */
  #rightSeen = ''

  #checkSeen(stream: StreamState, event: ReadEvent): void {
    const chain = this.#streams.get('governance')
    if (stream !== chain && event.seen === this.#rightSeen) return stream.see(event, true)
    const isHeadRight = this.#isHeadRight(event, chain)
    const isCheckpointRight = this.#isCheckpointRight(event)
    stream.see(event, isHeadRight)
    if (isHeadRight && isCheckpointRight && stream !== chain) this.#rightSeen = event.seen
  }

  #isHeadRight(event: ReadEvent, chain: StreamState | undefined): boolean {
    const { governance } = event.seenParts
    if (governance === undefined) return true
    if (chain === undefined || this.hashOf(chain, governance.seq) !== governance.hash)
      this.#failSeen(event, `it has seen an event ${governance.seq} of governance that is not in the chain`)
    else if (event.stream === 'governance' && governance.seq >= event.seq)
      this.#failSeen(event, 'it has seen an event of governance that is not before it')
    else return true
    return false
  }

  #isCheckpointRight(event: ReadEvent): boolean {
    const { checkpoint } = event.seenParts
    if (checkpoint === undefined) return true
    const { size, root } = checkpoint
    const named = this.#named.get(size)
    if (named === undefined) this.#named.set(size, { root, stream: event.stream, seq: event.seq })
    if (named === undefined || named.root === root) return true
    this.#failSeen(event, `it has seen another checkpoint of size ${size} than event ${named.seq} of ${named.stream}`)
    return false
  }

  #failSeen({ stream, seq }: ReadEvent, message: string): void {
    this.#findings.fail('seen', message, { stream, seq })
  }
}
