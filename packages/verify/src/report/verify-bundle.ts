import {
  type BundleItem,
  claimText,
  type ReadCheckpoint,
  type ReadEvent,
  readBundle,
  type Scope,
  UnreadableBundleError,
} from '../bundle/index.js'
import { hexOf, utf8Of } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import {
  type Checkpoint,
  isOrigin,
  type Note,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  type VerifierKey,
} from '../note/index.js'
import { type AuditAnswer, unproven } from './answers.js'
import { ChainCheck } from './chain-check.js'
import { CheckpointCheck, type LastCheckpoint } from './checkpoint-check.js'
import { Findings } from './findings.js'
import { GovernanceCheck } from './governance-check.js'
import { isActive, KeyHistory } from './key-history.js'
import { LeafCheck } from './leaf-check.js'
import { notProven, notProvenByReceipt } from './not-proven.js'
import { type ReceiptReport, receiptOf } from './receipt.js'
import {
  type CheckName,
  checkNames,
  type Report,
  type RunReport,
  receiptCheckNames,
  replayCheckNames,
  type VerdictOfFile,
} from './report.js'
import { firstSigners } from './signers.js'
import type { StreamState } from './stream-state.js'
import { TokenCheck } from './token-check.js'
import { type GivenWitnesses, givenWitnesses, WitnessCheck } from './witness-check.js'

/** What a file is verified with. */
export interface VerifyOptions {
  readonly crypto: Crypto
  /** Verifier keys that are trusted, at least one; their name is the origin. */
  readonly keys: readonly string[]
  /** The log that it has to be of. */
  readonly origin: string
  /** A checkpoint of this log that the auditor has kept, as a signed note; its signatures are not looked at again. */
  readonly earlier?: string
  /** Certificates that are trusted for tokens: of time-stamping authorities or of those who vouch for them, in DER. Without any, no token is evaluated. */
  readonly authorities?: readonly Uint8Array[]
  /** Keys of witnesses that are trusted: each has got it from the witness itself. */
  readonly witnesses?: readonly string[]
  /** How many of them it takes, all unless set. */
  readonly quorum?: number
  /** Checks that must have been evaluated even if they do not apply to such a file. All that apply have to be, or the verdict is `incomplete`. */
  readonly require?: readonly CheckName[]
  /** Checks that may stay unevaluated all the same, where the rest is enough: texts were withheld, say. */
  readonly allow?: readonly CheckName[]
  /** Is told every part of the file as it is read, before it is checked: nothing of it is proven by that. */
  readonly watch?: (item: BundleItem) => void
}

/**
 * Verifies a bundle or a receipt from its bytes, in one pass. All checks are performed whatever they find; a file that is none is a report like any
 * other. Memory is bounded by the largest text of the file, 32 bytes an event and some numbers for each run and leaf. Throws `RangeError` where a key, the
 * origin, a certificate, the earlier checkpoint or the quorum is none, and what the source throws.
 */
export async function verifyBundle(source: AsyncIterable<Uint8Array>, options: VerifyOptions): Promise<Report> {
  const { crypto, origin } = options
  if (!isOrigin(origin)) throw new RangeError(`${JSON.stringify(origin)} is not the origin of a log.`)
  const keys = await givenKeys(options)
  const { witnesses = [], quorum } = options
  const given = { keys, witnesses: await givenWitnesses({ crypto, origin, keys, witnesses, quorum }) }
  const verification = new Verification(options, given, earlierOf(options))
  try {
    for await (const item of readBundle(source, crypto)) {
      options.watch?.(item)
      await verification.add(item)
    }
    await verification.finish()
  } catch (error) {
    if (!(error instanceof UnreadableBundleError)) throw error
    verification.findings.unreadable(error.message)
  }
  return verification.report()
}

async function givenKeys({ crypto, keys, origin }: VerifyOptions): Promise<VerifierKey[]> {
  if (keys.length === 0) throw new RangeError('A file is verified with at least one key that is trusted.')
  return Promise.all(
    keys.map(async (text) => {
      const parsed = await parseVerifierKey(crypto, text)
      if (parsed.kind === 'refused') throw new RangeError(`${JSON.stringify(text)} is no verifier key: ${parsed.why}.`)
      if (parsed.key.name !== origin) throw new RangeError(`The key ${text} is not of the log ${origin}.`)
      return parsed.key
    }),
  )
}

function earlierOf({ earlier, origin }: VerifyOptions): Checkpoint | undefined {
  if (earlier === undefined) return undefined
  const parsed = parseNote(utf8Of(earlier))
  const checkpoint = parsed.kind === 'note' ? parseCheckpoint(parsed.note.text) : undefined
  if (checkpoint === undefined) throw new RangeError('The earlier checkpoint is no signed note of a checkpoint.')
  if (checkpoint.origin !== origin)
    throw new RangeError(`The earlier checkpoint is of ${checkpoint.origin}, not of ${origin}.`)
  return checkpoint
}

/** Whom the verifier trusts. */
interface Given {
  readonly keys: readonly VerifierKey[]
  readonly witnesses: GivenWitnesses
}

/** One file while it is read. */
class Verification {
  readonly findings = new Findings()
  readonly #options: VerifyOptions
  readonly #chain: ChainCheck
  readonly #keys: KeyHistory
  readonly #leaves: LeafCheck
  readonly #governance: GovernanceCheck
  readonly #tokens: TokenCheck
  readonly #witnesses: WitnessCheck
  #checkpoints: CheckpointCheck
  readonly #earlier: Checkpoint | undefined
  #kind: 'bundle' | 'receipt' | undefined
  #origin = ''
  #prev: string | undefined
  #scope: Scope | undefined
  #receipt: ReceiptReport | undefined
  #end = ''
  #claim: Note | undefined
  #last: LastCheckpoint | undefined

  constructor(options: VerifyOptions, { keys, witnesses }: Given, earlier: Checkpoint | undefined) {
    this.#options = options
    const { crypto, authorities = [] } = options
    this.#tokens = new TokenCheck(crypto, this.findings, authorities)
    this.#earlier = earlier
    this.#chain = new ChainCheck(crypto, this.findings)
    this.#keys = new KeyHistory(crypto, this.findings, keys)
    this.#leaves = new LeafCheck(crypto, this.findings, this.#chain)
    this.#governance = new GovernanceCheck(crypto, this.findings)
    this.#witnesses = new WitnessCheck(crypto, this.findings, witnesses)
    this.#checkpoints = this.#checkpointCheck(false)
  }

  #checkpointCheck(isReceipt: boolean): CheckpointCheck {
    const { crypto } = this.#options
    const { findings } = this
    return new CheckpointCheck({
      crypto,
      findings,
      keys: this.#keys,
      leaves: this.#leaves,
      earlier: this.#earlier,
      isReceipt,
    })
  }

  async add(item: BundleItem): Promise<void> {
    switch (item.kind) {
      case 'bundle':
        this.#kind = 'bundle'
        this.#scope = item.scope
        return this.#begin(item.origin)
      case 'receipt':
        this.#kind = 'receipt'
        this.#prev = item.prev
        this.#leaves.allowGovernance()
        this.#checkpoints = this.#checkpointCheck(true)
        return this.#begin(item.origin)
      case 'stream':
        if (this.#kind === 'bundle') this.#governance.begin(item.name)
        return this.#chain.begin(item.name, item.eventCount, this.#prev)
      case 'event':
        return this.#addEvent(item.event)
      case 'leaf':
        return this.#leaves.add(item.leaf)
      case 'checkpoint':
        return this.#addCheckpoint(item)
      case 'end':
        this.#end = item.hash
        if (item.hash !== item.digest) this.findings.fail('digest', `the end line should say ${item.digest}`)
        return
      case 'claim':
        this.#claim = item.note
    }
  }

  async #addCheckpoint(item: ReadCheckpoint): Promise<void> {
    const { note, checkpoint } = item
    this.#checkOrigin('the checkpoint', checkpoint.origin)
    this.#chain.compareNamed(checkpoint.size, hexOf(checkpoint.root))
    await this.#tokens.add(item)
    await this.#witnesses.add(note, checkpoint.size, (name, keyId) => this.#keys.by(name, keyId).length > 0)
    await this.#checkpoints.add(item)
  }

  async #addEvent(event: ReadEvent): Promise<void> {
    const isReceipt = this.#kind === 'receipt'
    await this.#chain.add(event, { isReceipt })
    if (isReceipt) {
      this.#receipt ??= receiptOf(event)
      return
    }
    this.#governance.add(event)
    if (event.stream === 'governance') await this.#keys.add(event, this.#origin)
  }

  #begin(origin: string): void {
    this.#origin = origin
    this.#checkOrigin('the file', origin)
  }

  #checkOrigin(what: string, origin: string): void {
    const { origin: wanted } = this.#options
    if (origin !== wanted) this.findings.fail('origin', `${what} is of ${origin}, not of ${wanted}`)
  }

  /** What only the whole file decides. */
  async finish(): Promise<void> {
    if (this.#kind === 'bundle') this.#governance.finish()
    this.#tokens.finish()
    const last = this.#checkpoints.finish()
    this.#last = last
    if (last === undefined) return
    this.#leaves.finish(last)
    this.#leaves.finishHeads(this.#checkpoints.sizes)
    this.#checkCoverage()
    this.#witnesses.finish(this.#lastIndex())
    await this.#checkClaim(last)
  }

  /** Of the last leaves of what is to be proven. */
  #lastIndex(): number {
    const proven = [...this.#chain.streams.values()].filter(
      ({ name }) => this.#kind === 'receipt' || name !== 'governance',
    )
    return proven.reduce((last, { leafIndex }) => Math.max(last, leafIndex), -1)
  }

  #checkCoverage(): void {
    for (const { name, leafSeq } of this.#chain.streams.values())
      if (name !== 'governance' && leafSeq === undefined)
        this.findings.fail('coverage', 'nothing of it is sealed by a checkpoint', { stream: name, weight: 'unsealed' })
  }

  async #checkClaim(last: LastCheckpoint): Promise<void> {
    const scope = this.#scope
    if (scope?.kind !== 'interval') return
    const note = this.#claim
    if (note === undefined) this.findings.fail('claim', 'the interval has no claim', { weight: 'incomplete' })
    else await this.#checkClaimNote(note, scope, last)
    for (const { name, beganAt } of this.#chain.streams.values()) {
      const isInside = name === 'governance' || (beganAt >= scope.fromMs && beganAt < scope.toMs)
      if (!isInside) this.findings.fail('claim', 'the run did not begin in the interval', { stream: name })
    }
  }

  async #checkClaimNote(note: Note, scope: Scope, { size, governanceSeq, counts }: LastCheckpoint): Promise<void> {
    const [, claimed = ''] = note.text.split('\n')
    if (note.text.startsWith('constancia.claim/v1\n')) this.#checkOrigin('the claim', claimed)
    if (note.text !== claimText(this.#origin, scope, this.#end))
      this.findings.fail('claim', 'the claim is about something else than this file')
    const signers = await firstSigners(this.#options.crypto, this.#keys, note)
    const isSigned = signers.some((known) => isActive(known, governanceSeq ?? -1) && size <= known.sizeMax)
    if (!counts)
      this.findings.unevaluated('claim', 'who signs for the log cannot be said: its last checkpoint does not count')
    else if (!isSigned) this.findings.fail('claim', 'the claim is not signed by a key that is active')
  }

  #applying(): readonly CheckName[] {
    const names: readonly CheckName[] = this.#kind === 'receipt' ? receiptCheckNames : checkNames
    const { witnesses = [], authorities = [] } = this.#options
    const isGiven = { witnesses: witnesses.length > 0, tokens: authorities.length > 0 }
    return names.filter((name) => (name !== 'witnesses' && name !== 'tokens') || isGiven[name])
  }

  report(): Report {
    const names = this.#applying()
    const { require = [], allow = [] } = this.#options
    const required = new Set([...names, ...require].filter((name) => !allow.includes(name)))
    const last = this.#last
    const signer = last?.signedBy[0]
    const checks = this.findings.results(names)
    const law = this.#chain.streams.get('governance')
    const witnesses = this.#witnesses.reports()
    const verdict = this.findings.verdict([...required], names)
    // What the replay could not evaluate is told question by question: the other answers stand. None rests on a token.
    for (const name of [...replayCheckNames, 'tokens'] as const) required.delete(name)
    const standing = this.findings.verdict([...required], names)
    const runs = [...this.#chain.streams.values()]
      .filter(({ name }) => name.startsWith('run/'))
      .map((stream) => this.#runOf(stream, standing))
    return {
      verdict,
      kind: this.#kind,
      origin: this.#options.origin,
      scope: this.#scope,
      checks,
      runs,
      receipt: this.#receipt,
      decisionCount: this.#governance.decisionCount,
      seal: last && { size: last.size, root: last.root, key: signer?.known.key.text, seconds: signer?.seconds },
      tokens: this.#tokens.reports,
      witnesses,
      unknownSigners: this.#witnesses.unknown,
      notProven:
        this.#receipt === undefined
          ? notProven({ checks, runs, law: law && { lastSeq: law.readCount - 1, sealedSeq: law.leafSeq }, witnesses })
          : notProvenByReceipt(checks, this.#receipt, witnesses),
    }
  }

  #runOf(stream: StreamState, verdict: VerdictOfFile): RunReport {
    const { name, leafSeq, leafIndex, readCount } = stream
    return {
      run: name.slice('run/'.length),
      eventCount: readCount,
      sealedSeq: leafSeq,
      beganAt: stream.beganAt,
      ended: stream.ended,
      sealedSeconds: leafSeq === undefined ? undefined : this.#checkpoints.secondsOf(leafIndex),
      witnessed: leafSeq === undefined ? [] : this.#witnesses.witnessesOf(leafIndex),
      withheldCount: stream.withheldCount,
      erasedCount: stream.erasedCount,
      answers: this.#answersOf(stream, verdict),
    }
  }

  #answersOf({ name, leafSeq, firstSeq, readCount }: StreamState, verdict: VerdictOfFile): readonly AuditAnswer[] {
    const answers = this.#governance.answers(name)
    const lastSeq = firstSeq + readCount - 1
    if (verdict !== 'proven') return unproven(answers, `The file is ${verdict}: nothing in it is proven. What it says:`)
    if (leafSeq === lastSeq) return answers
    return unproven(answers, `Events ${(leafSeq ?? -1) + 1} to ${lastSeq} are not sealed yet. What the journal says:`)
  }
}
