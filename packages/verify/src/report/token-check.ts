import type { ReadCheckpoint } from '../bundle/index.js'
import { bytesOfBase64, utf8Of } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { checkToken, trustedCertificates } from '../token/index.js'
import type { Findings } from './findings.js'
import type { TokenReport } from './report.js'

const reportCountMax = 1_000

/** Checks the tokens of checkpoints as they come: `tokens`. */
export class TokenCheck {
  readonly #crypto: Crypto
  readonly #findings: Findings
  readonly #anchors: readonly Uint8Array[]
  readonly #reports: TokenReport[] = []
  readonly #open: string[] = []
  #hasValid = false
  #count = 0

  /** Throws `RangeError` where one of the trusted certificates is none. */
  constructor(crypto: Crypto, findings: Findings, anchors: readonly Uint8Array[]) {
    trustedCertificates(anchors)
    this.#crypto = crypto
    this.#findings = findings
    this.#anchors = anchors
  }

  /** The first thousand, in the order of the file. */
  get reports(): readonly TokenReport[] {
    return this.#reports
  }

  async add({ note, checkpoint: { size }, tokens }: ReadCheckpoint): Promise<void> {
    for (const token of tokens) {
      const report = await this.#reportOf(size, bytesOfBase64(token) ?? new Uint8Array(), utf8Of(note.text))
      const { result, why = '' } = report
      const message = `a token over the checkpoint of size ${size}: ${why}`
      if (result === 'refused') this.#findings.fail('tokens', message)
      if (result === 'not_evaluated' && this.#open.length < reportCountMax) this.#open.push(message)
      if (result === 'valid') this.#hasValid = true
      this.#count += 1
      if (this.#count <= reportCountMax) this.#reports.push(report)
    }
  }

  /** The file was read to its end: where none of its tokens counts, nothing was evaluated. Several authorities may have said something: who trusts one needs no word of the others. */
  finish(): void {
    if (this.#anchors.length === 0 || this.#hasValid) return
    for (const message of this.#open) this.#findings.unevaluated('tokens', message)
    if (this.#count === 0)
      this.#findings.unevaluated('tokens', 'no checkpoint in the file has a token of a time-stamping authority')
  }

  async #reportOf(size: number, token: Uint8Array, text: Uint8Array): Promise<TokenReport> {
    const nothing = { size, why: undefined, authority: undefined, atMs: undefined, accuracyMs: undefined }
    const { certificates: crypto } = this.#crypto
    if (this.#anchors.length === 0 || crypto === undefined) {
      const why =
        crypto === undefined ? 'there is no cryptography for it here' : 'no certificate of an authority was given'
      return { ...nothing, result: 'not_evaluated', why }
    }
    const found = await checkToken(token, text, { crypto, anchors: this.#anchors })
    if (found.kind !== 'valid') return { ...nothing, result: found.kind, why: found.why }
    const { authority, atMs, accuracyMs } = found
    return { ...nothing, result: 'valid', authority, atMs, accuracyMs }
  }
}
