/**
 * What a log sends to a witness: `add-checkpoint` of C2SP tlog-witness.
 *
 *   old <size>\n
 *   <base64 of a hash>\n     the consistency proof from the old size, 63 lines at most
 *   \n
 *   <signed note of a checkpoint>
 */
import {
  bytesOfBase64,
  type Checkpoint,
  type Note,
  noteBytesMax,
  parseCheckpoint,
  parseNote,
  proofHashCountMax,
  textOfUtf8,
  utf8Of,
} from '@constancia/verify'

/** Bytes of such a request, at most. */
export const requestBytesMax = noteBytesMax + 4_096

/** A request that was taken apart; nothing about it is verified. */
export interface AddCheckpoint {
  /** How many leaves the log thinks that the witness has cosigned. */
  readonly oldSize: number
  readonly proof: readonly Uint8Array[]
  readonly note: Note
  /** The note as it was sent. */
  readonly noteText: string
  readonly checkpoint: Checkpoint
}

/** A request, or why something is none. */
export type ReadRequest =
  | { readonly kind: 'request'; readonly request: AddCheckpoint }
  | { readonly kind: 'refused'; readonly why: string }

/** Takes a request apart. */
export function readRequest(bytes: Uint8Array): ReadRequest {
  const text = bytes.length > requestBytesMax ? undefined : textOfUtf8(bytes)
  const end = text?.indexOf('\n\n') ?? -1
  if (text === undefined || end < 0)
    return refused('it is no text of an old size, a proof, an empty line and a checkpoint')
  const [first = '', ...lines] = text.slice(0, end).split('\n')
  const oldSize = Number(/^old (?<size>0|[1-9]\d{0,15})$/.exec(first)?.groups?.['size'] ?? Number.NaN)
  if (!Number.isSafeInteger(oldSize)) return refused('its first line is not "old" and a size')
  if (lines.length > proofHashCountMax) return refused(`its proof has more than ${proofHashCountMax} hashes`)
  const proof = lines.map(bytesOfBase64)
  if (!isProof(proof)) return refused('a line of its proof is not the base64 of a hash')
  const noteText = text.slice(end + 2)
  const parsed = parseNote(utf8Of(noteText))
  if (parsed.kind === 'refused') return refused(`what follows the empty line is no signed note: ${parsed.why}`)
  const { note } = parsed
  const checkpoint = parseCheckpoint(note.text)
  if (checkpoint === undefined) return refused('its note is no checkpoint of origin, size and root alone')
  return { kind: 'request', request: { oldSize, proof, note, noteText, checkpoint } }
}

function isProof(hashes: readonly (Uint8Array | undefined)[]): hashes is readonly Uint8Array[] {
  return hashes.every((hash) => hash?.length === 32)
}

function refused(why: string): ReadRequest {
  return { kind: 'refused', why }
}
