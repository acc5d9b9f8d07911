import { sign } from 'node:crypto'
import {
  cosignature,
  cosignatureMessage,
  type Note,
  type NoteSignature,
  noteSignature,
  utf8Of,
  witnessKeyText,
} from '../../../dist/index.js'
import { beginMs, type Draft, type Signer, signerOf, written } from '../log.js'
import { receipt } from '../receipt.js'
import { type Case, caseOf, type Expected, runsOf, threeRuns } from './case.js'

/** Two witnesses; a third one is known to nobody. */
export const witnesses = {
  first: signerOf('witness.example/first', 5),
  second: signerOf('witness.example/second', 6),
  stranger: signerOf('witness.example/stranger', 7),
}

const seconds = beginMs / 1_000 + 3_600

/** The line of a witness under a checkpoint. */
export function cosigned({ text }: Note, { key, secret }: Signer, at = seconds): NoteSignature {
  return cosignature(key, at, sign(null, cosignatureMessage(at, text), secret))
}

type Line = (note: Note, draft: Draft) => NoteSignature

// The bundle of runs with lines under its checkpoints, counted from the first.
async function withLines(runs: readonly string[], lines: readonly (readonly [place: number, line: Line])[]) {
  const draft = threeRuns().draft(runs)
  for (const [place, line] of lines) addLine(draft, place, line)
  return written(draft)
}

function addLine(draft: Draft, place: number, line: Line): void {
  const checkpoint = draft.checkpoints.at(place)!
  const { note } = checkpoint
  const signatures = [...note.signatures, line(note, draft)]
  draft.checkpoints.splice(place, 1, { ...checkpoint, note: { ...note, signatures } })
}

const by =
  (witness: Signer, at?: number): Line =>
  (note) =>
    cosigned(note, witness, at)

const { first, second, stranger } = witnesses
const asked = (...some: readonly Signer[]): Expected => ({
  witnesses: some.map(({ key }) => witnessKeyText(key)),
})
const lacking = (...some: readonly Signer[]): Expected => ({ ...asked(...some), verdict: 'incomplete' })
const wrong: Expected = { ...asked(first), verdict: 'forged', check: 'witnesses' }

/** Files that witnesses cosigned, or did not. */
export async function witnessedCases(): Promise<Case[]> {
  return [...(await cosignedCases()), ...(await lackingCases()), ...(await wrongCases())]
}

async function cosignedCases(): Promise<Case[]> {
  const all = runsOf(threeRuns())
  const both = await withLines(all, [
    [2, by(first)],
    [2, by(second, seconds + 5)],
  ])
  const empty = threeRuns().draft([], {
    kind: 'interval',
    fromMs: beginMs + 7_200_000,
    toMs: beginMs + 7_200_001,
    count: 0,
  })
  addLine(empty, 0, by(first))
  const one = await receipt(threeRuns(), 'a', 2, (parts) => addLine(parts, 0, by(first)))
  const onlyFirst = await withLines(all, [[2, by(first)]])
  return [
    caseOf('witnessed-last-checkpoint', onlyFirst, asked(first)),
    caseOf('witnessed-checkpoint-before-the-last', await withLines(['a'], [[0, by(first)]]), asked(first)),
    caseOf('witnessed-by-two', both, asked(first, second)),
    caseOf('witnessed-by-one-of-two', onlyFirst, { ...asked(first, second), quorum: 1 }),
    caseOf(
      'witnessed-by-a-stranger-as-well',
      await withLines(all, [
        [2, by(stranger)],
        [2, by(first)],
      ]),
      asked(first),
    ),
    caseOf('witnessed-and-nobody-asks', onlyFirst),
    caseOf('witnessed-interval-without-runs', await written(empty), asked(first)),
    caseOf('witnessed-receipt', one, asked(first)),
  ]
}

async function lackingCases(): Promise<Case[]> {
  const all = runsOf(threeRuns())
  const early = await withLines(all, [
    [0, by(first)],
    [1, by(second)],
  ])
  const onlyFirst = await withLines(all, [[2, by(first)]])
  const ofStranger = await withLines(all, [[2, by(stranger)]])
  const plain = await withLines(all, [
    [2, ({ text }) => noteSignature(first.key, sign(null, utf8Of(text), first.secret))],
  ])
  const bare = await receipt(threeRuns(), 'a', 2)
  return [
    caseOf('unwitnessed-last-run', early, lacking(first)),
    caseOf('unwitnessed-last-run-and-allowed', early, { ...asked(first), allow: ['witnesses'] }),
    caseOf('unwitnessed-by-either-of-two', early, { ...lacking(first, second), quorum: 1 }),
    caseOf('unwitnessed-by-one-of-two', onlyFirst, lacking(first, second)),
    caseOf('unwitnessed-but-by-a-stranger', ofStranger, lacking(first)),
    caseOf('unwitnessed-and-no-witness-given', onlyFirst, { require: ['witnesses'], verdict: 'incomplete' }),
    caseOf('unwitnessed-signature-without-a-time', plain, lacking(first)),
    caseOf('unwitnessed-receipt', bare, lacking(first)),
  ]
}

async function wrongCases(): Promise<Case[]> {
  const all = runsOf(threeRuns())
  const last = (line: Line) => withLines(all, [[2, line]])
  const blank: Line = () => ({ ...keyOf(first), signature: new Uint8Array(72) })
  const elsewhere: Line = (_, { checkpoints }) => cosigned(checkpoints[1]!.note, first)
  const later: Line = (note) => {
    const line = cosigned(note, first)
    const signature = line.signature.slice()
    signature[7] = signature[7]! ^ 1
    return { ...line, signature }
  }
  const short: Line = (note) => ({ ...keyOf(first), signature: cosigned(note, first).signature.slice(0, 71) })
  const byAnother: Line = (note) => ({ ...keyOf(first), signature: cosigned(note, second).signature })
  const asPlain: Line = ({ text }) => ({ ...keyOf(first), signature: sign(null, utf8Of(text), first.secret) })
  const beyond: Line = ({ text }) => {
    const message = utf8Of(`cosignature/v1\ntime ${2n ** 53n}\n${text}`)
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(2n ** 53n)
    return { ...keyOf(first), signature: Buffer.concat([time, sign(null, message, first.secret)]) }
  }
  const oneRight = await withLines(all, [
    [1, blank],
    [2, by(first)],
  ])
  const oneOfTwo = await withLines(all, [
    [2, by(second)],
    [2, blank],
  ])
  return [
    caseOf('witness-signature-blank', await last(blank), wrong),
    caseOf('witness-signature-of-another-checkpoint', await last(elsewhere), wrong),
    caseOf('witness-time-changed', await last(later), wrong),
    caseOf('witness-time-too-large', await last(beyond), wrong),
    caseOf('witness-signature-cut', await last(short), wrong),
    caseOf('witness-signature-by-another', await last(byAnother), wrong),
    caseOf('witness-signature-without-a-time-under-its-id', await last(asPlain), wrong),
    caseOf('witness-wrong-under-an-earlier-checkpoint', oneRight, wrong),
    caseOf('witness-wrong-beside-enough-others', oneOfTwo, { ...wrong, ...asked(first, second), quorum: 1 }),
    caseOf('witness-wrong-and-allowed', await last(blank), { ...wrong, allow: ['witnesses'] }),
    caseOf('witness-wrong-and-nobody-asks', await last(blank)),
  ]
}

function keyOf({ key }: Signer): Pick<NoteSignature, 'name' | 'keyId'> {
  return { name: key.name, keyId: key.cosignatureKeyId }
}
