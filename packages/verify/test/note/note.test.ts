import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  base64Of,
  checkCosignature,
  checkNote,
  checkpointText,
  cosignature,
  cosignatureMessage,
  type Note,
  noteSignature,
  noteText,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  utf8Of,
  type VerifierKey,
  verifierKeyOf,
} from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'

// The example of the C2SP signed-note specification.
const neumannKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const neumannNote =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n" +
  '\n' +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

async function keyOf(text: string): Promise<VerifierKey> {
  const parsed = await parseVerifierKey(nodeCrypto, text)
  if (parsed.kind === 'refused') throw new Error(parsed.why)
  return parsed.key
}

function noteOf(text: string): Note {
  const parsed = parseNote(utf8Of(text))
  if (parsed.kind === 'refused') throw new Error(parsed.why)
  return parsed.note
}

function freshKey(name: string): { key: VerifierKey; secret: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
  return {
    key: verifierKeyOf(nodeCrypto.sha256, name, raw),
    secret: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })),
  }
}

describe('T18 a signed note', () => {
  test('the example of its specification is verified, and no other text with its signature', async () => {
    const key = await keyOf(neumannKey)
    expect([key.name, key.noteKeyId, key.text]).toEqual(['PeterNeumann', 'c74f20a3', neumannKey])
    expect(await checkNote(nodeCrypto, noteOf(neumannNote), key)).toBe('valid')
    expect(await checkNote(nodeCrypto, noteOf(neumannNote.replace('answer', 'question')), key)).toBe('wrong')
    const { key: other } = freshKey('PeterNeumann')
    expect(await checkNote(nodeCrypto, noteOf(neumannNote), other)).toBe('absent')
    expect(noteText(noteOf(neumannNote))).toBe(neumannNote)
    expect(verifierKeyOf(nodeCrypto.sha256, key.name, key.publicKey)).toEqual(key)
  })

  test('every single bit of the example counts', async () => {
    const key = await keyOf(neumannKey)
    const bytes = utf8Of(neumannNote)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const parsed = parseNote(flipped)
      if (parsed.kind === 'note') expect(await checkNote(nodeCrypto, parsed.note, key)).not.toBe('valid')
    }
  })

  const line = neumannNote.split('\n').at(-2)!
  test.each([
    ['nothing', ''],
    ['no text', `\n${line}\n`],
    ['no signature', 'text\n\n'],
    ['no empty line', `text\n${line}\n`],
    ['no newline at its end', neumannNote.slice(0, -1)],
    ['something after its end', `${neumannNote}x`],
    ['an empty line at its end', `${neumannNote}\n`],
    ['a carriage return', neumannNote.replace('\n', '\r\n')],
    ['a tab', neumannNote.replace(' ', '\t')],
    ['another dash', neumannNote.replace('—', '-')],
    ['two spaces', neumannNote.replace('Neumann x', 'Neumann  x')],
    ['one signature twice', `${neumannNote}${line}\n`],
    ['a name with a plus', neumannNote.replace('PeterNeumann', 'Peter+Neumann')],
    ['bits that base64 does not use', neumannNote.replace('AM=', 'AN=')],
    ['base64 without padding', neumannNote.replace('AM=', 'AM')],
    ['only a key id', neumannNote.replace(/x08go\/\S+/, 'x08gow==')],
    ['17 signatures', `text\n\n${Array.from({ length: 17 }, (_, i) => `— k${i} AAAAAAA=\n`).join('')}`],
    ['more than 64 KiB', `${'x'.repeat(65_536)}\n\n${line}\n`],
  ])('with %s is none', (_, text) => {
    expect(parseNote(utf8Of(text)).kind).toBe('refused')
  })

  test('that is not valid UTF-8 is none', () => {
    expect(parseNote(Uint8Array.of(0xff, ...utf8Of(neumannNote))).kind).toBe('refused')
  })

  test.each([
    ['another id', neumannKey.replace('c74f20a3', 'c74f20a4')],
    ['an id in capitals', neumannKey.replace('c74f20a3', 'C74F20A3')],
    ['another name', neumannKey.replace('Peter', 'Petra')],
    ['another algorithm', `PeterNeumann+c74f20a3+${base64Of(Uint8Array.of(4, ...new Uint8Array(32)))}`],
    ['too few bytes', neumannKey.slice(0, -4)],
    ['white space', ` ${neumannKey}`],
    ['a newline', `${neumannKey}\n`],
    ['nothing', ''],
  ])('a key with %s is none', async (_, text) => {
    expect((await parseVerifierKey(nodeCrypto, text)).kind).toBe('refused')
  })

  test('a key that comes in a Buffer stays as it is', () => {
    const key = Buffer.alloc(32, 0xfe)
    expect(verifierKeyOf(nodeCrypto.sha256, 'log', key).publicKey).toEqual(Buffer.alloc(32, 0xfe))
    expect(key).toEqual(Buffer.alloc(32, 0xfe))
  })

  test('a key of low order is none, however it is encoded', async () => {
    const low = Uint8Array.of(1, ...new Uint8Array(31))
    expect(() => verifierKeyOf(nodeCrypto.sha256, 'log', low)).toThrow('low order')
    const id = Buffer.from(nodeCrypto.sha256(utf8Of(`log\n\u0001\u0001${'\0'.repeat(31)}`))).toString('hex', 0, 4)
    const parsed = await parseVerifierKey(nodeCrypto, `log+${id}+${base64Of(Uint8Array.of(1, ...low))}`)
    expect(parsed).toMatchObject({ kind: 'refused', why: expect.stringContaining('low order') })
  })
})

describe('R-G2 a checkpoint', () => {
  const { key, secret } = freshKey('bank.example/log')
  const root = Uint8Array.from({ length: 32 }, (_, i) => i)
  const text = checkpointText({ origin: key.name, size: 7, root })
  const seconds = 1_790_000_000
  const signed: Note = {
    text,
    signatures: [
      noteSignature(key, sign(null, utf8Of(text), secret)),
      cosignature(key, seconds, sign(null, cosignatureMessage(seconds, text), secret)),
    ],
  }

  test('is signed and cosigned by one key, and the cosignature says when', async () => {
    const note = noteOf(noteText(signed))
    expect(note).toEqual({ ...signed, signatures: note.signatures })
    expect(parseCheckpoint(note.text)).toEqual({ origin: key.name, size: 7, root })
    expect(await checkNote(nodeCrypto, note, key)).toBe('valid')
    expect(await checkCosignature(nodeCrypto, note, key)).toEqual({ signed: 'valid', seconds })
  })

  test('a cosignature counts only for its time, and neither kind of signature for the other', async () => {
    const [plain, timed] = signed.signatures as [Note['signatures'][0], Note['signatures'][0]]
    const later = { ...timed, signature: Uint8Array.of(...timed.signature.slice(0, 7), 1, ...timed.signature.slice(8)) }
    const crossed = cosignature(key, seconds, plain.signature)
    for (const wrong of [later, crossed, { ...timed, signature: plain.signature }]) {
      const answer = await checkCosignature(nodeCrypto, { text, signatures: [plain, wrong] }, key)
      expect(answer).toEqual({ signed: 'wrong', seconds: undefined })
    }
    const note = { text, signatures: [noteSignature(key, timed.signature.slice(8))] }
    expect(await checkNote(nodeCrypto, note, key)).toBe('wrong')
    expect(await checkCosignature(nodeCrypto, note, key)).toEqual({ signed: 'absent', seconds: undefined })
  })

  test.each([
    ['an extension line', `${text}more\n`],
    ['no end', text.slice(0, -1)],
    ['a size with a zero before it', text.replace('\n7\n', '\n07\n')],
    ['no leaves', text.replace('\n7\n', '\n0\n')],
    ['a size that is no number', text.replace('\n7\n', '\n7x\n')],
    ['a size beyond what a number holds', text.replace('\n7\n', '\n9007199254740992\n')],
    ['a root that is too short', checkpointText({ origin: key.name, size: 7, root: root.slice(1) })],
    ['no origin', text.slice(key.name.length)],
    ['an origin with a space', `x ${text}`],
  ])('with %s is none', (_, other) => {
    expect(parseCheckpoint(other)).toBeUndefined()
  })
})
