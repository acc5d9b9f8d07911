import { byOf, type ReadEvent, type ReadText } from '../bundle/index.js'
import { bytesOfHex, hexOf, joined, utf8Of } from '../bytes.js'
import { genesisText, headerText } from '../chain.js'
import type { Crypto } from '../crypto.js'
import type { Findings } from './findings.js'
import { HashPool } from './hash-pool.js'
import { StreamState } from './stream-state.js'

const endKinds = new Set(['FlowCompleted', 'FlowFailed', 'FlowCancelled', 'FlowContinued'])

/** Checks the events of streams, one after the other: `chain`, `genesis`, `end`, `epochs`, and of `seen` what the events alone tell. */
export class ChainCheck {
  readonly #crypto: Crypto
  readonly #findings: Findings
  readonly #hashes = new HashPool()
  readonly #streams = new Map<string, StreamState>()
  /** The root of each checkpoint that an event has named, by its size, and which event did first. */
  readonly #named = new Map<number, { root: string; stream: string; seq: number }>()
  #current: StreamState | undefined

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
    stream.prev = prev ?? (await this.#hash(utf8Of(genesisText(name))))
    this.#streams.set(name, stream)
    this.#current = stream
  }

  /** An event of the stream that began last. Receipts may begin with any seq. */
  async add(event: ReadEvent, { isReceipt }: { readonly isReceipt: boolean }): Promise<void> {
    const stream = this.#current
    if (stream === undefined) throw new Error('An event has come before any stream.')
    const place = this.#hashes.push(event.hash)
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
    stream.prev = event.hash
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
    const bodyCommit = await this.#commit(stream, event.body)
    const dataCommit = event.data === undefined ? undefined : await this.#commit(stream, event.data)
    const { seq, kind, at, by, seen } = event
    const header = { stream: stream.name, seq, kind, at, by, seen, bodyCommit, dataCommit, prev: stream.prev }
    if ((await this.#hash(utf8Of(headerText(header)))) !== event.hash) fail('it does not fit its hash')
  }

  async #commit(stream: StreamState, text: ReadText): Promise<string> {
    if (text.kind === 'text') return this.#hash(joined(bytesOfHex(text.salt) ?? new Uint8Array(0), text.bytes))
    if (text.kind === 'withheld') stream.withheldCount += 1
    else stream.erasedCount += 1
    return text.commit
  }

  async #hash(bytes: Uint8Array): Promise<string> {
    const made = this.#crypto.sha256(bytes)
    return hexOf(made instanceof Uint8Array ? made : await made)
  }

  #checkRun(stream: StreamState, event: ReadEvent): void {
    if (!stream.name.startsWith('run/')) return
    const about = { stream: stream.name, seq: event.seq }
    if (stream.readCount === 0 && event.kind !== 'FlowStarted')
      this.#findings.fail('genesis', `the run begins with ${event.kind} instead of FlowStarted`, about)
    if (stream.ended !== undefined) this.#findings.fail('end', `it comes after ${stream.ended}`, about)
    if (endKinds.has(event.kind)) stream.ended ??= event.kind
    const by = byOf(event.by)
    if (by === undefined || by === 'other') return
    if (by.epoch < stream.epoch)
      this.#findings.fail('epochs', `its epoch is ${by.epoch}, though epoch ${stream.epoch} was there before`, about)
    if (by.epoch === stream.epoch && by.claim !== stream.claim)
      this.#findings.fail('epochs', `two claims have written in epoch ${by.epoch}`, about)
    if (by.epoch >= stream.epoch) {
      stream.epoch = by.epoch
      stream.claim = by.claim
    }
  }

  #checkSeen(stream: StreamState, event: ReadEvent): void {
    const { governance, checkpoint } = event.seenParts
    const about = { stream: stream.name, seq: event.seq }
    const chain = this.#streams.get('governance')
    if (governance !== undefined && (chain === undefined || this.hashOf(chain, governance.seq) !== governance.hash))
      this.#findings.fail(
        'seen',
        `it has seen an event ${governance.seq} of governance that is not in the chain`,
        about,
      )
    else if (governance !== undefined && stream === chain && governance.seq >= event.seq)
      this.#findings.fail('seen', 'it has seen an event of governance that is not before it', about)
    stream.see(event)
    if (checkpoint === undefined) return
    const named = this.#named.get(checkpoint.size)
    if (named === undefined) this.#named.set(checkpoint.size, { root: checkpoint.root, ...about })
    else if (named.root !== checkpoint.root)
      this.#findings.fail(
        'seen',
        `it has seen another checkpoint of size ${checkpoint.size} than event ${named.seq} of ${named.stream}`,
        about,
      )
  }
}
