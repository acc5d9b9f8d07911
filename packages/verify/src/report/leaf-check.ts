import type { BundleLeaf } from '../bundle/index.js'
import { hexOf, utf8Of } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { fitsSize, headLeafText, leafPreimage, rootOfInclusion } from '../merkle/index.js'
import type { ChainCheck } from './chain-check.js'
import type { Findings } from './findings.js'

const rootCountMax = 64

/** Checks the leaves as they come, `leaves` and the part of `seen` that they decide, and keeps a few numbers of each. */
export class LeafCheck {
  readonly #crypto: Crypto
  readonly #findings: Findings
  readonly #chain: ChainCheck
  #isReceipt = false
  readonly #indices: number[] = []
  readonly #pathLengths: number[] = []
  /** The roots that the proofs lead to, and the first leaf of each: one, if all is well. */
  readonly #roots = new Map<string, BundleLeaf>()
  /** The event of governance that each of its leaves names. */
  readonly #governance = new Map<number, number>()
  /** Of each leaf whose events have seen a head of governance: its index, that head, and who has seen it. */
  readonly #heads: { readonly index: number; readonly head: number; readonly stream: string; readonly seq: number }[] =
    []

  constructor(crypto: Crypto, findings: Findings, chain: ChainCheck) {
    this.#crypto = crypto
    this.#findings = findings
    this.#chain = chain
  }

  async add(leaf: BundleLeaf): Promise<void> {
    this.#indices.push(leaf.index)
    this.#pathLengths.push(leaf.path.length)
    if (leaf.stream === 'governance') this.#governance.set(leaf.index, leaf.seq)
    this.#checkPlace(leaf)
    const made = this.#crypto.sha256(leafPreimage(utf8Of(headLeafText(leaf))))
    const leafHash = made instanceof Uint8Array ? made : await made
    const root = await rootOfInclusion(this.#crypto, { index: leaf.index, leafHash }, leaf.path)
    const text = root === undefined ? '' : hexOf(root)
    // A forger could make every leaf lead elsewhere: more than a few need not be kept to say that some do.
    if (!this.#roots.has(text) && this.#roots.size < rootCountMax) this.#roots.set(text, leaf)
  }

  #checkPlace({ stream: name, index, seq, hash }: BundleLeaf): void {
    const stream = this.#chain.streams.get(name)
    const fail = (message: string) => this.#findings.fail('leaves', message, { stream: name, seq })
    // Of governance, that is the leaf of a checkpoint, of which a receipt has nothing else.
    if (stream === undefined) {
      if (name !== 'governance' || this.#chain.streams.has('governance') || !this.#isReceipt)
        fail(`leaf ${index} is of a stream that is not in the file`)
      return
    }
    if (stream.leafSeq !== undefined && (name === 'governance' ? seq < stream.leafSeq : seq <= stream.leafSeq))
      fail(`leaf ${index} is of an event that an earlier leaf has passed`)
    stream.leafSeq = Math.max(seq, stream.leafSeq ?? 0)
    stream.leafIndex = index
    const stated = this.#chain.hashOf(stream, seq)
    if (stated === undefined) fail(`leaf ${index} seals event ${seq}, which is not in the file`)
    else if (stated !== hash) fail(`leaf ${index} seals another event ${seq}`)
    const checkpoint = stream.checkpointSeenBy(seq)
    if (checkpoint !== undefined && checkpoint[1] > index)
      this.#findings.fail('seen', `it has seen a checkpoint of size ${checkpoint[1]}, though leaf ${index} seals it`, {
        stream: name,
        seq: checkpoint[0],
      })
    const head = stream.governanceSeenBy(seq)
    if (head !== undefined && stream.name !== 'governance')
      this.#heads.push({ index, head: head[1], stream: name, seq: head[0] })
  }

  /** The file is a receipt: leaves of governance are of a stream that it does not have. */
  allowGovernance(): void {
    this.#isReceipt = true
  }

  /** The event of governance that a leaf names: `missing` where the leaf is not in the file, `other` where it is of another stream. */
  governanceAt(index: number): number | 'missing' | 'other' {
    const seq = this.#governance.get(index)
    if (seq !== undefined) return seq
    return this.#has(index) ? 'other' : 'missing'
  }

  #has(index: number): boolean {
    let from = 0
    let to = this.#indices.length
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#indices[middle] ?? 0) < index) from = middle + 1
      else to = middle
    }
    return this.#indices[from] === index
  }

  /** Whether all proofs lead to the root of the last checkpoint. */
  finish(last: { readonly size: number; readonly root: string }): void {
    const misfit = this.#indices.find((index, i) => !fitsSize(index, last.size, this.#pathLengths[i] ?? 0))
    if (misfit !== undefined)
      this.#findings.fail('leaves', `leaf ${misfit} has a proof for another tree than that of ${last.size} leaves`)
    for (const [root, leaf] of this.#roots)
      if (root !== last.root)
        this.#findings.fail('leaves', `leaf ${leaf.index} is not proven to be in the tree of the last checkpoint`, leaf)
  }

  /** Whether what was seen of governance was sealed with whoever saw it; sizes of the checkpoints, ascending. */
  finishHeads(sizes: readonly number[]): void {
    let next = 0
    for (const { index, head, stream, seq } of this.#heads) {
      while (next < sizes.length && (sizes[next] ?? 0) <= index) next += 1
      const sealed = next < sizes.length ? this.governanceAt((sizes[next] ?? 0) - 1) : 'missing'
      if (typeof sealed === 'number' && head > sealed)
        this.#findings.fail(
          'seen',
          `it has seen event ${head} of governance, though what seals it ends with event ${sealed}`,
          {
            stream,
            seq,
          },
        )
    }
  }
}
