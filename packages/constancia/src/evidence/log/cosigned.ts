import { type Note, noteText, parseNote, utf8Of } from '@constancia/verify'
import type { Attestation, Checkpoint, Log } from '../../store/index.js'

// So many are read at once: of each checkpoint every witness has one at most.
const readAtOnce = 64
const lineCountMax = 16

/** Sizes of the greatest checkpoint, up to one, that each witness has cosigned. Rejects with faults of the store. */
export async function lastCosigned(log: Log, upTo: Pick<Checkpoint, 'size'>): Promise<number[]> {
  const found = new Map<string, number>()
  for (const { kind, by, size } of await log.attestationsUpTo({ size: upTo.size, limit: readAtOnce }))
    if (kind === 'cosignature' && !found.has(by)) found.set(by, size)
  return [...new Set(found.values())]
}

/** The size of the first checkpoint with a leaf that somebody has cosigned: the closest bound of when it was there. Undefined where none was, up to one. */
export async function firstCosigned(
  log: Log,
  leafIndex: number,
  upTo: Pick<Checkpoint, 'size'>,
): Promise<number | undefined> {
  const said = await log.attestations({ fromSize: leafIndex + 1, limit: readAtOnce })
  return said.find(({ kind, size }) => kind === 'cosignature' && size <= upTo.size)?.size
}

/** The note of a checkpoint with the lines of those who have cosigned it behind its own. Rejects with faults of the store. */
export async function cosignedNote(log: Log, { size, note }: Checkpoint): Promise<Note> {
  const said = (await log.attestations({ fromSize: size, limit: readAtOnce })).filter((one) => one.size === size)
  return withLines(own(note, size), said)
}

function own(text: string, size: number): Note {
  const parsed = parseNote(utf8Of(text))
  if (parsed.kind === 'refused') throw new RangeError(`the checkpoint of ${size} leaves is no note: ${parsed.why}`)
  return parsed.note
}

// A line that is none, or that would be there twice, is left out: nobody has verified what a store keeps.
function withLines(note: Note, said: readonly Attestation[]): Note {
  let whole = note
  for (const { kind, text } of said) {
    if (kind !== 'cosignature' || whole.signatures.length >= lineCountMax) continue
    const parsed = parseNote(utf8Of(`${noteText(whole)}${text}\n`))
    if (parsed.kind === 'note') whole = parsed.note
  }
  return whole
}
