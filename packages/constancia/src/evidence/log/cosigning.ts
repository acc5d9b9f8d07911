import { base64Of, checkCosignature, parseNote, parseWitnessKey, utf8Of, type VerifierKey } from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import type { Checkpoint, Log } from '../../store/index.js'
import { type CosigningWitness, evidenceError } from '../index.js'
import { Errand, type Tell } from './errand.js'
import { TileProofs } from './tree.js'

/** A witness whose key was read. */
export interface KnownWitness {
  readonly witness: CosigningWitness
  readonly key: VerifierKey
}

/** Reads the key of a witness. Rejects with `invalid_evidence` where it is none, or has the name of the log. */
export async function knownWitness(origin: string, witness: CosigningWitness): Promise<KnownWitness> {
  const parsed = await parseWitnessKey(nodeCrypto, witness.key)
  if (parsed.kind === 'key' && parsed.key.name !== origin) return { witness, key: parsed.key }
  const why = parsed.kind === 'key' ? 'it has the name of the log, which is no witness of itself' : parsed.why
  throw evidenceError(
    'invalid_evidence',
    `The key of ${witness.name} cannot be used: ${why}. Nothing was opened; take the key that constancia witness new printed.`,
  )
}

/** What checkpoints are cosigned with. */
export interface CosigningParts extends KnownWitness {
  readonly log: Log
  readonly tell: Tell
}

// The witness tells once how far it is; between that and the next request another worker may have been there.
const triesMax = 4

/**
 * Has the newest checkpoint cosigned by one witness, and keeps the cosignature beside it. Those in between need none: that it goes on from them is proven.
 * A witness that is away delays nobody.
 */
export class Cosigning {
  readonly #parts: CosigningParts
  /** The greatest size that is known to be cosigned; undefined until it was looked up. */
  #cosignedSize: number | undefined
  readonly #errand: Errand

  constructor(parts: CosigningParts) {
    this.#parts = parts
    const { name } = parts.witness
    this.#errand = new Errand({
      tell: parts.tell,
      act: () => this.#cosign(),
      works: `${name} cosigns checkpoints again.`,
      fails: (reason) =>
        `${name} does not cosign checkpoints just now (${reason}). Runs and sealing go on, and it is asked again.`,
      levelOf: (error) => (error instanceof RefusedError ? 'error' : 'warn'),
    })
  }

  /** Asks for what is not cosigned yet. Never rejects: what was not cosigned is asked for the next time. */
  deliver(): Promise<void> {
    return this.#errand.run()
  }

  /** Resolves once nothing is under way. */
  settled(): Promise<void> {
    return this.#errand.settled()
  }

  async #cosign(): Promise<void> {
    const { log, key } = this.#parts
    const { checkpoint } = await log.state()
    if (checkpoint === undefined || this.#cosignedSize === checkpoint.size) return
    // Another worker may have been there before.
    const said = await log.attestationsUpTo({ size: checkpoint.size, limit: attestationsRead })
    const mine = said.find(({ kind, by }) => kind === 'cosignature' && by === key.text)
    this.#cosignedSize = mine?.size ?? this.#cosignedSize ?? 0
    if (this.#cosignedSize !== checkpoint.size) await this.#askFor(checkpoint)
  }

  async #askFor(checkpoint: Checkpoint): Promise<void> {
    const { log, witness, key } = this.#parts
    const { size, note: noteText } = checkpoint
    let oldSize = this.#cosignedSize ?? 0
    for (let tries = 0; tries < triesMax; tries += 1) {
      const isBare = oldSize === 0 || oldSize === size
      const proof = isBare ? [] : await new TileProofs(log).consistency(oldSize, size)
      const { status, body } = await witness.ask(requestText(oldSize, proof, noteText))
      if (status === 200) {
        await log.attest({ size, kind: 'cosignature', by: key.text, text: await lineOf(noteText, body, key) })
        this.#cosignedSize = size
        return
      }
      const found = status === 409 ? sizeOf(body) : undefined
      if (found === undefined) throw refusal(status, body)
      if (found > size) return this.#behind(found)
      if (found === oldSize) throw new RefusedError(`it has cosigned another history of ${found} leaves`)
      oldSize = found
    }
    throw new Error('it tells another size each time')
  }

  // Another worker has sealed meanwhile, or this database is not what it was.
  async #behind(found: number): Promise<void> {
    const { size } = await this.#parts.log.state()
    if (found > size)
      throw new RefusedError(
        `it has cosigned ${found} leaves, and this log has ${size}: the database lost its newest part, or is another one`,
      )
  }
}

const attestationsRead = 64

// `add-checkpoint` of C2SP tlog-witness.
function requestText(oldSize: number, proof: readonly Uint8Array[], noteText: string): string {
  return `old ${oldSize}\n${proof.map((hash) => `${base64Of(hash)}\n`).join('')}\n${noteText}`
}

/** The witness has seen a history that this log does not go on from. */
class RefusedError extends Error {}

function refusal(status: number, body: string): Error {
  if (status === 422) return new RefusedError('it says that the log does not go on from what it has cosigned')
  return new Error(`it answered ${status}: ${JSON.stringify(body.slice(0, 200))}`)
}

function sizeOf(body: string): number | undefined {
  const size = /^(?:0|[1-9]\d{0,15})\n$/.test(body) ? Number(body) : Number.NaN
  return Number.isSafeInteger(size) ? size : undefined
}

// Of what it answered, the line by the key that it was known by; other keys say nothing.
async function lineOf(noteText: string, body: string, key: VerifierKey): Promise<string> {
  const text = noteText.slice(0, noteText.lastIndexOf('\n\n') + 2)
  const parsed = parseNote(utf8Of(text + body))
  if (parsed.kind === 'refused') throw new Error(`what it answered is no signature lines: ${parsed.why}`)
  const { signed } = await checkCosignature(nodeCrypto, parsed.note, key)
  if (signed !== 'valid') throw new Error(`its cosignature is ${signed} under its key`)
  const at = parsed.note.signatures.findIndex((one) => one.name === key.name && one.keyId === key.cosignatureKeyId)
  return body.split('\n')[at] ?? ''
}
