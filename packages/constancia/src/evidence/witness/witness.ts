import {
  checkConsistency,
  checkNote,
  cosignature,
  cosignatureMessage,
  hexOf,
  noteText,
  parseVerifierKey,
  type VerifierKey,
  verifySignature,
  witnessKeyText,
} from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import type { Clock, Contradiction, WitnessedHead, WitnessState } from '../../store/index.js'
import { evidenceError, type Signer } from '../index.js'
import { type AddCheckpoint, readRequest } from './request.js'

/** What a witness works with. */
export interface WitnessParts {
  /** Its name and public key. */
  readonly key: VerifierKey
  readonly signer: Signer
  /** Verifier keys of the logs that it cosigns for; each key's name is the log's origin, and a log may have several. */
  readonly logs: readonly string[]
  readonly state: WitnessState
  readonly clock: Pick<Clock, 'now'>
}

/** What it answers, as C2SP tlog-witness says. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422
  readonly type: 'text/plain; charset=utf-8' | 'text/x.tlog.size'
  readonly body: string
}

/**
 * Cosigns checkpoints of the logs that it knows, each only where it goes on from the one that it cosigned before. That comparison and what it
 * remembers are one step of its state, so that of requests at once, in whatever order, none takes it back.
 */
export class Witness {
  readonly #parts: WitnessParts
  readonly #logs: ReadonlyMap<string, readonly VerifierKey[]>

  private constructor(parts: WitnessParts, logs: ReadonlyMap<string, readonly VerifierKey[]>) {
    this.#parts = parts
    this.#logs = logs
  }

  /** Rejects with `key_invalid` where the key of a log is none, or is the witness's own. */
  static async of(parts: WitnessParts): Promise<Witness> {
    const logs = new Map<string, VerifierKey[]>()
    for (const text of parts.logs) {
      const parsed = await parseVerifierKey(nodeCrypto, text)
      if (parsed.kind === 'refused')
        throw invalid(`${JSON.stringify(text)} is not the verifier key of a log: ${parsed.why}.`)
      const { key } = parsed
      if (key.name === parts.key.name || hexOf(key.publicKey) === hexOf(parts.key.publicKey))
        throw invalid(`${text} is the witness itself: whoever runs a log is no witness of it.`)
      logs.set(key.name, [...(logs.get(key.name) ?? []), key])
    }
    return new Witness(parts, logs)
  }

  /** Its key, as auditors and logs are given it. */
  get key(): string {
    return witnessKeyText(this.#parts.key)
  }

  /** Names of the logs. */
  get origins(): readonly string[] {
    return [...this.#logs.keys()]
  }

  /**
   * Answers a request. What it cosigns it has kept before: 200 with its line; 400 for what is no request; 404 for a log that it does not know; 403 where no key
   * of that log signed; 409 where the log should say another old size, or has another root of the same size; 422 where the proof fails.
   * Rejects with faults of its state and its signer; then nothing was cosigned.
   */
  async add(bytes: Uint8Array): Promise<WitnessAnswer> {
    const read = readRequest(bytes)
    if (read.kind === 'refused') return told(400, `This is not a request: ${read.why}.`)
    const { request } = read
    const { origin, size } = request.checkpoint
    const keys = this.#logs.get(origin)
    if (keys === undefined) return told(404, 'This witness does not know the log.')
    if (!(await isSigned(request, keys))) return told(403, 'No key that this witness knows of the log has signed it.')
    if (request.oldSize > size) return told(400, 'The old size is greater than that of the checkpoint.')
    return this.#goOn(request, this.#parts.state.last(origin))
  }

  async #goOn(request: AddCheckpoint, last: WitnessedHead | undefined): Promise<WitnessAnswer> {
    const { oldSize, proof, checkpoint } = request
    const { size } = checkpoint
    const isOther = last?.size === size && last.root !== hexOf(checkpoint.root)
    if (isOther) this.#contradict('fork', request)
    if (isOther || (last?.size ?? 0) !== oldSize) return conflict(last?.size ?? 0)
    // From nothing anything goes on; to the same size nothing is to be proven, and the root was compared above.
    const isBare = last === undefined || oldSize === size
    const before = { size: oldSize, root: Buffer.from(last?.root ?? '', 'hex') }
    const goesOn = isBare
      ? proof.length === 0
      : await checkConsistency(nodeCrypto, { before, after: checkpoint }, proof)
    if (!goesOn) {
      if (!isBare) this.#contradict('unproven', request)
      return told(422, 'The proof does not show that the log goes on from what this witness has cosigned.')
    }
    const seconds = Math.max(this.#seconds(), last?.seconds ?? 0)
    const line = await this.#cosign(request, seconds)
    if (oldSize === size) return told(200, line)
    const isKept = this.#parts.state.advance(this.#headOf(request, seconds), oldSize)
    return isKept ? told(200, line) : conflict(this.#parts.state.last(checkpoint.origin)?.size ?? 0)
  }

  #headOf({ checkpoint, noteText: note }: AddCheckpoint, seconds: number): WitnessedHead {
    const { origin, size, root } = checkpoint
    return { origin, size, root: hexOf(root), note, seconds }
  }

  #contradict(kind: Contradiction['kind'], request: AddCheckpoint): void {
    this.#parts.state.contradict({ kind, ...this.#headOf(request, this.#seconds()) })
  }

  #seconds(): number {
    return Math.floor(this.#parts.clock.now() / 1_000)
  }

  async #cosign({ note: { text } }: AddCheckpoint, seconds: number): Promise<string> {
    const { key, signer } = this.#parts
    const message = cosignatureMessage(seconds, text)
    const signature = await signer.sign(message)
    if (!(await verifySignature(nodeCrypto, key.publicKey, { message, signature })))
      throw evidenceError(
        'key_invalid',
        `What the signer of ${key.name} returned is no signature by its key. Nothing was cosigned; see whether private and public key belong together.`,
      )
    const whole = noteText({ text, signatures: [cosignature(key, seconds, signature)] })
    return whole.slice(text.length + 1)
  }
}

// A line by a known key that is wrong spoils the note, whatever others say.
async function isSigned({ note }: AddCheckpoint, keys: readonly VerifierKey[]): Promise<boolean> {
  const found = await Promise.all(keys.map((key) => checkNote(nodeCrypto, note, key)))
  return found.includes('valid') && !found.includes('wrong')
}

function told(status: WitnessAnswer['status'], body: string): WitnessAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: body.endsWith('\n') ? body : `${body}\n` }
}

function conflict(size: number): WitnessAnswer {
  return { status: 409, type: 'text/x.tlog.size', body: `${size}\n` }
}

function invalid(what: string): Error {
  return evidenceError(
    'key_invalid',
    `${what} Nothing was cosigned; give the witness the verifier keys that the logs publish.`,
  )
}
