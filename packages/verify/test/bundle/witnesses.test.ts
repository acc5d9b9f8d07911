import { describe, expect, test } from 'vitest'
import {
  base64Of,
  hexOf,
  isLowOrder,
  parseWitnessKey,
  utf8Of,
  type VerifyOptions,
  verifierKeyOf,
  verifyBundle,
  witnessKeyText,
} from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { keyText, threeRuns } from './cases/case.js'
import { cosigned, witnesses } from './cases/witnessed.js'
import { beginMs, chunks, type Draft, origin, type Signer, signerOf, written } from './log.js'

const { first, second, stranger } = witnesses
const seconds = beginMs / 1_000

function textOf({ key }: Signer): string {
  return witnessKeyText(key)
}

async function verify(bytes: Uint8Array, more: Partial<VerifyOptions>) {
  return verifyBundle(chunks(bytes), { crypto: nodeCrypto, keys: [keyText()], origin, ...more })
}

function cosign(draft: Draft, place: number, lines: readonly (readonly [Signer, number])[]): void {
  const one = draft.checkpoints[place]!
  const made = lines.map(([witness, at]) => cosigned(one.note, witness, at))
  draft.checkpoints[place] = { ...one, note: { ...one.note, signatures: [...one.note.signatures, ...made] } }
}

describe('R-G2 witnesses in a file', () => {
  test('each is told with how far it went and when, runs with when they were there at the latest, and strangers by name', async () => {
    const log = threeRuns()
    const draft = log.draft(['a', 'c'])
    // The second one signs the older checkpoint anew, later: what counts for a run is the earliest.
    cosign(draft, 0, [[first, seconds + 10]])
    cosign(draft, 1, [[second, seconds + 40]])
    cosign(draft, 2, [
      [first, seconds + 30],
      [second, seconds + 20],
      [stranger, seconds],
    ])
    const [small, , large] = log.sealed.map(({ size }) => size)
    const report = await verify(await written(draft), { witnesses: [textOf(first), textOf(second)] })
    expect(report.verdict).toBe('proven')
    expect(report.checks.find(({ name }) => name === 'witnesses')?.result).toBe('passed')
    expect(report.witnesses).toEqual([
      { key: textOf(first), name: first.key.name, size: large, seconds: seconds + 30 },
      { key: textOf(second), name: second.key.name, size: large, seconds: seconds + 20 },
    ])
    expect(small).toBeLessThan(large!)
    expect(report.runs.map(({ run, witnessed }) => [run, ...witnessed.map((one) => one.seconds - seconds)])).toEqual([
      ['a', 10, 20],
      ['c', 30, 20],
    ])
    expect(report.unknownSigners).toEqual([`${stranger.key.name}+${stranger.key.cosignatureKeyId}`])
    const left = report.notProven.join('\n')
    expect(left).toContain(`if those who cosigned (${first.key.name}, ${second.key.name}) broke their own rule`)
    expect(left).toContain('a witness sees how long the log is and its root, and nothing else')
    expect(left).not.toContain('only the whole log, or a witness')
  })

  test('without one the report says so, and that nothing bounds the clock of the operator', async () => {
    const report = await verify(await threeRuns().bundle(['a']), {})
    expect(report.checks.map(({ name }) => name)).not.toContain('witnesses')
    expect(report.notProven.join('\n')).toContain('only the whole log, or a witness')
    expect([report.witnesses, report.unknownSigners]).toEqual([[], []])
  })

  test('a question about them that makes no sense is refused before anything is read', async () => {
    const own = signerOf('somebody.example/else', 1)
    const ofLog = signerOf(origin, 1)
    const twin = verifierKeyOf(nodeCrypto.sha256, 'witness.example/twin', first.key.publicKey)
    const asLog = verifierKeyOf(nodeCrypto.sha256, 'witness.example/log', ofLog.key.publicKey)
    const questions: Readonly<Record<string, Partial<VerifyOptions>>> = {
      'a key that signs notes': { witnesses: [first.key.text] },
      'no key': { witnesses: ['witness'] },
      'the log by its name': { witnesses: [textOf(signerOf(origin, 9))] },
      'the log by its key': { witnesses: [witnessKeyText(asLog)] },
      'one twice': { witnesses: [textOf(first), textOf(first)] },
      'one twice, by two names': { witnesses: [textOf(first), witnessKeyText(twin)] },
      'a quorum of none': { witnesses: [textOf(own)], quorum: 0 },
      'a quorum of more than there are': { witnesses: [textOf(own)], quorum: 2 },
      'a quorum without witnesses': { quorum: 1 },
      'half of one': { witnesses: [textOf(own)], quorum: 0.5 },
    }
    const bytes = await threeRuns().bundle(['a'])
    for (const [what, question] of Object.entries(questions))
      await expect(verify(bytes, question), what).rejects.toThrow(RangeError)
  })

  test('the key of one is refused with a wrong id, another algorithm, or a point of low order', async () => {
    const { name, publicKey, noteKeyId } = first.key
    const parsed = await parseWitnessKey(nodeCrypto, textOf(first))
    expect(parsed).toMatchObject({ kind: 'key', key: { name, cosignatureKeyId: first.key.cosignatureKeyId } })
    const data = textOf(first).split('+').slice(2).join('+')
    const lowPoint = new Uint8Array(32)
    expect(isLowOrder(lowPoint)).toBe(true)
    const lowId = hexOf(nodeCrypto.sha256(Buffer.concat([utf8Of(`${name}\n`), Buffer.of(4), lowPoint])).subarray(0, 4))
    const low = `${name}+${lowId}+${base64Of(Buffer.concat([Buffer.of(4), lowPoint]))}`
    const other = `${name}+${noteKeyId}+${base64Of(Buffer.concat([Buffer.of(1), publicKey]))}`
    for (const [text, why] of [
      [`${name}+${noteKeyId}+${data}`, /its id is/],
      [other, /algorithm is not 4/],
      [low, /low order/],
    ] as const)
      expect(await parseWitnessKey(nodeCrypto, text)).toMatchObject({
        kind: 'refused',
        why: expect.stringMatching(why),
      })
  })
})
