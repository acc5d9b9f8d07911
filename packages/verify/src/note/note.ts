/**
 * A signed note of C2SP: a text, an empty line, and one line for each signature.
 *
 *   — <key name> <base64( key id ‖ signature )>
 *
 * Valid UTF-8 of 64 KiB at most; no character below U+0020 but the newlines; the text is not empty and ends with one. Stricter than C2SP:
 * key names are those of {@link isKeyName}, and there are 1 to 16 signatures, no two of one name and key id.
 */
import { base64Of, bytesOfBase64, bytesOfHex, hexOf, joined, textOfUtf8, utf8Of } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { isKeyName, type VerifierKey, verifySignature } from './key.js'

/** Bytes of a note, at most. */
export const noteBytesMax = 65_536
const signatureCountMax = 16

/** A note that was taken apart; nothing about it is verified. */
export interface Note {
  /** What is signed, its last newline included. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** One signature line. */
export interface NoteSignature {
  readonly name: string
  /** Lower-case hexadecimal of four bytes. */
  readonly keyId: string
  /** What follows the key id. */
  readonly signature: Uint8Array
}

/** A note, or why something is none. */
export type ParsedNote =
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'refused'; readonly why: string }

/** Takes a note apart. */
export function parseNote(bytes: Uint8Array): ParsedNote {
  if (bytes.length > noteBytesMax) return refused(`it has more than ${noteBytesMax} bytes`)
  const all = textOfUtf8(bytes)
  if (all === undefined) return refused('it is not valid UTF-8')
  if (hasControl(all)) return refused('it has a control character')
  const end = all.lastIndexOf('\n\n')
  if (end < 1 || !all.endsWith('\n')) return refused('it has no text, or no signatures after an empty line')
  const lines = all.slice(end + 2, -1).split('\n')
  if (lines.length > signatureCountMax) return refused(`it has more than ${signatureCountMax} signatures`)
  const signatures: NoteSignature[] = []
  for (const line of lines) {
    const signature = parseLine(line)
    if (signature === undefined) return refused(`${JSON.stringify(line.slice(0, 80))} is not a signature line`)
    if (signatures.some(({ name, keyId }) => name === signature.name && keyId === signature.keyId))
      return refused(`it has two signatures by ${signature.name}+${signature.keyId}`)
    signatures.push(signature)
  }
  return { kind: 'note', note: { text: all.slice(0, end + 1), signatures } }
}

function refused(why: string): ParsedNote {
  return { kind: 'refused', why }
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 32 && text[i] !== '\n') return true
  return false
}

function parseLine(line: string): NoteSignature | undefined {
  const [dash, name = '', data = '', ...more] = line.split(' ')
  const bytes = bytesOfBase64(data)
  if (dash !== '—' || !isKeyName(name) || bytes === undefined || bytes.length < 5 || more.length > 0) return undefined
  return { name, keyId: hexOf(bytes.subarray(0, 4)), signature: bytes.slice(4) }
}

/** The note as text: what {@link parseNote} takes apart. Throws `RangeError` where that would refuse it. */
export function noteText({ text, signatures }: Note): string {
  const lines = signatures.map(({ name, keyId, signature }) => {
    const bytes = joined(bytesOfHex(keyId) ?? new Uint8Array(0), signature)
    return `— ${name} ${base64Of(bytes)}\n`
  })
  const all = `${text}\n${lines.join('')}`
  const parsed = parseNote(utf8Of(all))
  if (parsed.kind === 'refused') throw new RangeError(`This is not a note: ${parsed.why}.`)
  return all
}

/** The line for a signature over the text of a note. */
export function noteSignature(key: VerifierKey, signature: Uint8Array): NoteSignature {
  return { name: key.name, keyId: key.noteKeyId, signature }
}

/** What a key has to say about a note: `absent` where no line of it is by this key. */
export type Signed = 'valid' | 'wrong' | 'absent'

/** Whether a note is signed by a key, over its text. */
export async function checkNote(crypto: Crypto, { text, signatures }: Note, key: VerifierKey): Promise<Signed> {
  const line = signatures.find(({ name, keyId }) => name === key.name && keyId === key.noteKeyId)
  if (line === undefined) return 'absent'
  const { signature } = line
  return (await verifySignature(crypto, key.publicKey, { message: utf8Of(text), signature })) ? 'valid' : 'wrong'
}
