import type { Crypto } from '../crypto.js'
import { checkCosignature, checkNote, type Note, type NoteSignature } from '../note/index.js'
import type { KeyHistory, KnownKey } from './key-history.js'

/** Who has signed a checkpoint. */
export interface Signers {
  /** Lines by a known key, and those of them that are wrong. */
  readonly knownCount: number
  readonly wrongCount: number
  /** The keys whose signature is the first line and whose cosignature the second; one, unless two keys share an id. */
  readonly signedBy: readonly Cosigner[]
}

/** A key that has signed and cosigned, and when it says that it has. */
export interface Cosigner {
  readonly known: KnownKey
  readonly seconds: number
}

/** Verifies every line of a checkpoint that is by a known key. */
export async function signersOf(crypto: Crypto, keys: KeyHistory, note: Note): Promise<Signers> {
  let knownCount = 0
  let wrongCount = 0
  const valid: ValidLine[][] = []
  for (const line of note.signatures) {
    const known = keys.by(line.name, line.keyId)
    const lines = await validLines(crypto, { note, line }, known)
    knownCount += known.length > 0 ? 1 : 0
    wrongCount += known.length > 0 && lines.length === 0 ? 1 : 0
    valid.push(lines)
  }
  const [first = [], second = []] = valid
  const signedBy = first
    .filter(({ seconds }) => seconds === undefined)
    .flatMap(({ known }) =>
      second.flatMap((other) =>
        other.known === known && other.seconds !== undefined ? [{ known, seconds: other.seconds }] : [],
      ),
    )
  return { knownCount, wrongCount, signedBy }
}

/** The keys that have signed the text of a note by its first line. */
export async function firstSigners(crypto: Crypto, keys: KeyHistory, note: Note): Promise<readonly KnownKey[]> {
  const line = note.signatures[0]
  if (line === undefined) return []
  const lines = await validLines(crypto, { note, line }, keys.by(line.name, line.keyId))
  return lines.filter(({ seconds }) => seconds === undefined).map(({ known }) => known)
}

/** A line that a key has written: over the text alone, or with a time. */
interface ValidLine {
  readonly known: KnownKey
  readonly seconds: number | undefined
}

async function validLines(
  crypto: Crypto,
  { note: { text }, line }: { readonly note: Note; readonly line: NoteSignature },
  candidates: readonly KnownKey[],
): Promise<ValidLine[]> {
  const alone: Note = { text, signatures: [line] }
  const valid: ValidLine[] = []
  for (const known of candidates) {
    if ((await checkNote(crypto, alone, known.key)) === 'valid') valid.push({ known, seconds: undefined })
    const { seconds } = await checkCosignature(crypto, alone, known.key)
    if (seconds !== undefined) valid.push({ known, seconds })
  }
  return valid
}
