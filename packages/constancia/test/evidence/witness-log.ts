import { createHash } from 'node:crypto'
import {
  base64Of,
  checkpointText,
  consistencyProof,
  hexOf,
  leafPreimage,
  noteSignature,
  noteText,
  rootAt,
  treeSource,
  utf8Of,
} from '../../../verify/dist/index.js'
import { nodeCrypto } from '../../../verify/dist/node.js'
import { type LogKey, logKey, newKey, signerOf } from '../../dist/evidence/log/index.js'

const { sha256 } = nodeCrypto

/** A log that tells whoever asks whatever history it is told to. */
export class ToldLog {
  readonly mine: LogKey
  readonly #leaves: readonly Uint8Array[]

  /** Histories of the same words are the same as far as both go. */
  constructor(mine: LogKey, words: readonly string[]) {
    this.mine = mine
    this.#leaves = words.map((word) => sha256(leafPreimage(utf8Of(word))))
  }

  get key(): string {
    return this.mine.key.text
  }

  rootOf(size: number): string {
    return hexOf(rootAt(treeSource(sha256, this.#leaves), size))
  }

  proof(before: number, size: number): string[] {
    if (before === 0 || before === size) return []
    return consistencyProof(treeSource(sha256, this.#leaves), before, size).map((hash) => base64Of(hash))
  }

  async note(size: number, by = this.mine): Promise<string> {
    const { origin } = this.mine
    const text = checkpointText({ origin, size, root: rootAt(treeSource(sha256, this.#leaves), size) })
    return noteText({ text, signatures: [noteSignature(by.key, await by.signer.sign(utf8Of(text)))] })
  }

  /** The body of a request. */
  async request(
    before: number,
    size: number,
    change: { readonly proof?: readonly string[]; readonly by?: LogKey } = {},
  ) {
    const { proof = this.proof(before, size), by } = change
    return `old ${before}\n${proof.map((line) => `${line}\n`).join('')}\n${await this.note(size, by)}`
  }
}

/** So many words, beginning with these of another history. */
export function words(count: number, name = 'leaf'): string[] {
  return Array.from({ length: count }, (_, place) => `${name} ${place}`)
}

/** The key of a log, the same for the same number. */
export function keyOfLog(origin: string): LogKey {
  return logKey(origin, signerOf(newKey(origin).signerKey))
}

/** A hash of nothing in particular. */
export function someHash(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
