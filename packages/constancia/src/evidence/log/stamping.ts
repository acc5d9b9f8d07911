import {
  base64Of,
  certificatesIn,
  checkToken,
  nonceBytes,
  parseNote,
  readStampAnswer,
  stampRequest,
  tokenBytesMax,
  utf8Of,
} from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import type { Checkpoint, Clock, Log } from '../../store/index.js'
import type { TimeStampingAuthority } from '../index.js'
import { Errand, type Tell } from './errand.js'

/** What tokens are got with. */
export interface StampingParts {
  readonly log: Log
  readonly authority: TimeStampingAuthority
  readonly clock: Pick<Clock, 'now'>
  readonly randomBytes: (count: number) => Uint8Array
  readonly tell: Tell
}

const pageSize = 500
// One that did not answer is asked again after so long, or after its own interval if that is shorter.
const retryMs = 60_000

/**
 * Gets tokens of one authority over checkpoints that this process made, not more often than its interval says, whoever else seals. What it
 * answers is verified before it is kept. One that is away delays nobody.
 */
export class Stamping {
  readonly #parts: StampingParts
  #offered: Checkpoint | undefined
  #lastAtMs: number | undefined
  #notBeforeMs = Number.NEGATIVE_INFINITY
  readonly #errand: Errand

  constructor(parts: StampingParts) {
    this.#parts = parts
    const { name } = parts.authority
    this.#errand = new Errand({
      tell: parts.tell,
      act: () => this.#getDue(),
      works: `Checkpoints get tokens of ${name} again.`,
      fails: (reason) =>
        `Checkpoints get no token of ${name} (${reason}). Runs and sealing go on, and it is asked again.`,
    })
  }

  /** A checkpoint that was made just now; it takes the place of one that has no token yet. */
  offer(checkpoint: Checkpoint): void {
    this.#offered = checkpoint
  }

  /** Gets a token over what was offered last, if one is due. Never rejects: what failed is tried again later. */
  async stamp(): Promise<void> {
    if (this.#offered === undefined || this.#parts.clock.now() < this.#notBeforeMs) return
    await this.#errand.run()
  }

  /** Resolves once nothing is under way. */
  settled(): Promise<void> {
    return this.#errand.settled()
  }

  async #getDue(): Promise<void> {
    const checkpoint = this.#offered
    if (checkpoint === undefined) return
    try {
      if (await this.#isDue(checkpoint)) await this.#get(checkpoint)
    } catch (error) {
      const { clock, authority } = this.#parts
      this.#notBeforeMs = clock.now() + Math.min(retryMs, authority.everyMs)
      throw error
    }
    if (this.#offered === checkpoint) this.#offered = undefined
  }

  // What another worker got counts as well.
  async #isDue(checkpoint: Checkpoint): Promise<boolean> {
    const { everyMs } = this.#parts.authority
    const isOver = (lastMs: number | undefined): boolean => lastMs === undefined || checkpoint.atMs - lastMs >= everyMs
    if (!isOver(this.#lastAtMs)) return false
    this.#lastAtMs = (await this.#lastStamped(checkpoint.atMs - everyMs)) ?? this.#lastAtMs
    return isOver(this.#lastAtMs)
  }

  // When the last checkpoint with a token of this authority was made, looked for no further back than some time.
  async #lastStamped(fromMs: number): Promise<number | undefined> {
    const { log, authority } = this.#parts
    let size = Number.MAX_SAFE_INTEGER
    for (;;) {
      const some = await log.attestationsUpTo({ size, limit: pageSize })
      const found = some.find(({ kind, by }) => kind === 'token' && by === authority.name)
      if (found !== undefined) return (await log.checkpointUpTo(found.size))?.atMs
      const last = some.at(-1)
      if (last === undefined || some.length < pageSize) return undefined
      const oldest = await log.checkpointUpTo(last.size)
      if (oldest === undefined || oldest.atMs <= fromMs) return undefined
      // A page that is full of one size would come again.
      size = last.size < size ? last.size : size - 1
    }
  }

  async #get({ size, note, atMs }: Checkpoint): Promise<void> {
    const { log, authority, randomBytes } = this.#parts
    const parsed = parseNote(utf8Of(note))
    if (parsed.kind === 'refused') throw new Error(`the checkpoint of ${size} leaves is no note: ${parsed.why}`)
    const text = utf8Of(parsed.note.text)
    const nonce = randomBytes(nonceBytes)
    const answer = readStampAnswer(await authority.ask(stampRequest(nodeCrypto.sha256(text), nonce)), nonce)
    if (answer.kind === 'refused') throw new Error(answer.why)
    const anchors = authority.trusted().flatMap(certificatesIn)
    const found = await checkToken(answer.token, text, { crypto: nodeCrypto.certificates, anchors })
    if (found.kind !== 'valid') throw new Error(`its token is not taken: ${found.why}`)
    const token = base64Of(answer.token)
    if (token.length > tokenBytesMax) throw new Error(`its token has more than ${tokenBytesMax} characters`)
    await log.attest({ size, kind: 'token', by: authority.name, text: token })
    this.#lastAtMs = atMs
  }
}
