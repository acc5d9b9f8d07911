import type { ReadCheckpoint } from '../bundle/index.js'
import { hexOf } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { checkConsistency, type TreeHead } from '../merkle/index.js'
import type { Checkpoint } from '../note/index.js'
import type { Findings } from './findings.js'
import { isActive, type KeyHistory, type KnownKey } from './key-history.js'
import type { LeafCheck } from './leaf-check.js'
import { type Cosigner, type Signers, signersOf } from './signers.js'

/** The last checkpoint of a file, and what it counts by. */
export interface LastCheckpoint {
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly root: string
  readonly signedBy: readonly Cosigner[]
  /** The event of governance that its last leaf names; undefined where that leaf is missing or another's. */
  readonly governanceSeq: number | undefined
  /** Whether it counts, trusted or not. */
  readonly counts: boolean
}

/** What the checks of checkpoints stand on. */
export interface CheckpointDeps {
  readonly crypto: Crypto
  readonly findings: Findings
  readonly keys: KeyHistory
  readonly leaves: LeafCheck
  /** The auditor's own. */
  readonly earlier: Checkpoint | undefined
  readonly isReceipt: boolean
}

/** Checks the checkpoints as they come: `checkpoints`, `consistency`, and of `leaves` whether each has its leaf of governance. */
export class CheckpointCheck {
  readonly #deps: CheckpointDeps
  readonly #sizes: number[] = []
  /** By the operator's clock; NaN where nobody known has signed. */
  readonly #seconds: number[] = []
  /** Checkpoints without a line by a known key. */
  readonly #unknownSizes: number[] = []
  #last: { readonly head: TreeHead; readonly signers: Signers; readonly governanceSeq: number | undefined } | undefined
  #foundEarlier = false

  constructor(deps: CheckpointDeps) {
    this.#deps = deps
  }

  /** Sizes of those that came, ascending. */
  get sizes(): readonly number[] {
    return this.#sizes
  }

  async add({ note, checkpoint, consistency }: ReadCheckpoint): Promise<void> {
    const { crypto, findings, keys, earlier } = this.#deps
    const { size, root } = checkpoint
    const before = this.#last?.head
    const isConsistent =
      before === undefined || (await checkConsistency(crypto, { before, after: checkpoint }, consistency))
    if (!isConsistent)
      findings.fail('consistency', `the checkpoint of size ${size} does not extend that of size ${before?.size}`)
    if (earlier?.size === size) {
      this.#foundEarlier = true
      if (hexOf(earlier.root) !== hexOf(root))
        findings.fail('consistency', `the checkpoint of size ${size} has another root than yours`)
    }
    const signers = await signersOf(crypto, keys, note)
    this.#checkSigners(size, signers)
    this.#sizes.push(size)
    this.#seconds.push(signers.signedBy[0]?.seconds ?? Number.NaN)
    this.#last = { head: checkpoint, signers, governanceSeq: this.#governanceOf(size) }
  }

  #checkSigners(size: number, { knownCount, wrongCount, signedBy }: Signers): void {
    const fail = (message: string) => this.#deps.findings.fail('checkpoints', message)
    if (wrongCount > 0) fail(`the checkpoint of size ${size} has a wrong signature by a known key`)
    else if (knownCount > 0 && signedBy.length === 0)
      fail(`the checkpoint of size ${size} lacks the signature of a known key and its cosignature, in this order`)
    if (knownCount === 0) this.#unknownSizes.push(size)
  }

  #governanceOf(size: number): number | undefined {
    const leaf = this.#deps.leaves.governanceAt(size - 1)
    if (typeof leaf === 'number') return leaf
    const weight = leaf === 'missing' ? 'incomplete' : undefined
    const problem = leaf === 'missing' ? 'is not in the file' : 'is not of governance'
    this.#deps.findings.fail('leaves', `leaf ${size - 1}, the last of the checkpoint of size ${size}, ${problem}`, {
      weight,
    })
    return undefined
  }

  /** When the first checkpoint was made that contains a leaf, by the operator's clock; undefined where nobody known says so. */
  secondsOf(leafIndex: number): number | undefined {
    const seconds = this.#seconds[this.#sizes.findIndex((size) => size > leafIndex)]
    return seconds === undefined || Number.isNaN(seconds) ? undefined : seconds
  }

  /** Judges the last one, and compares it with the auditor's. */
  finish(): LastCheckpoint | undefined {
    if (this.#last === undefined) return undefined
    const { head, signers, governanceSeq } = this.#last
    const { findings, earlier } = this.#deps
    const counting = signers.signedBy.filter(({ known }) => this.#counts(known, head.size, governanceSeq))
    const last = { size: head.size, root: hexOf(head.root), signedBy: signers.signedBy, governanceSeq }
    this.#judge(last, { counting, isKnown: signers.knownCount > 0 })
    if (earlier !== undefined && earlier.size > head.size)
      findings.fail('consistency', `your checkpoint has ${earlier.size} leaves, the last one here only ${head.size}`)
    else if (earlier !== undefined && !this.#foundEarlier)
      findings.unevaluated('consistency', `the file has no proof from your checkpoint of size ${earlier.size}`, {
        weight: 'incomplete',
      })
    return { ...last, counts: counting.length > 0 }
  }

  #counts(known: KnownKey, size: number, governanceSeq: number | undefined): boolean {
    if (this.#deps.isReceipt) return true
    return governanceSeq !== undefined && isActive(known, governanceSeq) && size <= known.sizeMax
  }

  #judge(
    { size, signedBy, governanceSeq }: Omit<LastCheckpoint, 'counts'>,
    { counting, isKnown }: { readonly counting: readonly Cosigner[]; readonly isKnown: boolean },
  ): void {
    const { findings } = this.#deps
    const name = `the last checkpoint, of size ${size},`
    if (!isKnown) {
      findings.fail('checkpoints', `${name} has no signature by a key that is known`, { weight: 'unverifiable' })
      return
    }
    const [unknown] = this.#unknownSizes
    if (unknown !== undefined)
      findings.fail('checkpoints', `the checkpoint of size ${unknown} has no signature by a key that is known`)
    if (signedBy.length === 0) return
    if (governanceSeq === undefined && !this.#deps.isReceipt)
      findings.unevaluated(
        'checkpoints',
        `whether the key of ${name} was active cannot be said: its leaf of governance is missing`,
      )
    else if (counting.length === 0)
      findings.fail('checkpoints', `${name} is signed by a key that was not active, or is compromised`)
    else if (!counting.some(({ known }) => known.isTrusted))
      findings.fail('checkpoints', `${name} is signed by a key that is not trusted`, { weight: 'unverifiable' })
  }
}
