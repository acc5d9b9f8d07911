import { describe, expect, test } from 'vitest'
import { bytesOfHex, type Report, receiptCheckNames, verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { keyText, threeRuns } from './cases/case.js'
import { chunks, type Draft, origin, repaired } from './log.js'
import { receipt } from './receipt.js'

function verify(bytes: Uint8Array, keys = [keyText()]): Promise<Report> {
  return verifyBundle(chunks(bytes, 777), { crypto: nodeCrypto, keys, origin })
}

const failedOf = ({ checks }: Report) => checks.filter(({ result }) => result === 'failed').map(({ name }) => name)

describe('R-G4 a receipt', () => {
  const log = threeRuns()

  test.each([0, 2, 4])('proves event %i of a run without its journal', async (seq) => {
    const bytes = await receipt(log, 'a', seq)
    const report = await verify(bytes)
    expect(report).toMatchObject({
      verdict: 'proven',
      kind: 'receipt',
      runs: [{ run: 'a', eventCount: 5 - seq, sealedSeq: 4 }],
    })
    expect(report.checks.map(({ name, result }) => [name, result])).toEqual(
      receiptCheckNames.filter((name) => name !== 'witnesses' && name !== 'tokens').map((name) => [name, 'passed']),
    )
    expect(bytes.toString()).not.toContain(`"op":"${seq}"`)
  })

  test('of an event that no key was given for cannot be verified', async () => {
    expect(await verify(await receipt(log, 'a', 2), [keyText(8)])).toMatchObject({ verdict: 'unverifiable' })
  })

  const replaced = <T>(list: T[], change: Partial<T>) => list.splice(0, 1, { ...list[0]!, ...change })
  const otherText = { kind: 'text', salt: '0'.repeat(32), text: '{}' } as const
  const zeros = '0'.repeat(64)
  const reversed = ({ note }: Draft['checkpoints'][0]) => ({ ...note, signatures: [...note.signatures].reverse() })

  test.each([
    ['another text', 'chain', ({ streams }: Draft) => replaced(streams[0]!.events, { body: otherText })],
    ['another event before it', 'chain', (parts: Draft) => Object.assign(parts, { prev: zeros })],
    ['an event less', 'chain', ({ streams }: Draft) => streams[0]!.events.splice(1, 1)],
    ['its last event cut', 'leaves', ({ streams }: Draft) => streams[0]!.events.pop()],
    ['another leaf', 'leaves', ({ leaves }: Draft) => replaced(leaves, { hash: zeros })],
    ['a proof that is another', 'leaves', ({ leaves }: Draft) => replaced(leaves, { path: [bytesOfHex(zeros)!] })],
    [
      'its lines swapped',
      'checkpoints',
      (parts: Draft) => replaced(parts.checkpoints, { note: reversed(parts.checkpoints[0]!) }),
    ],
    ['another origin', 'origin', (parts: Draft) => Object.assign(parts, { origin: 'other.example/log' })],
  ] as const)('with %s is refused', async (_, check, change) => {
    const report = await verify(await receipt(log, 'a', 2, change))
    expect([report.verdict, failedOf(report)]).toEqual(['forged', expect.arrayContaining([check])])
  })

  test('without the leaf of governance, or its own, it is not enough', async () => {
    const without = (at: number) => receipt(log, 'a', 2, (parts) => parts.leaves.splice(at, 1))
    expect((await verify(await without(1))).verdict).toBe('incomplete')
    expect((await verify(await without(0))).verdict).toBe('unsealed')
  })

  test('that tells more than its event is none', async () => {
    const text = (await receipt(log, 'a', 2)).toString()
    const more = text.replace(/data withheld [0-9a-f]{64}/, 'data erased $&'.replace('$&', '0'.repeat(64)))
    expect(more).not.toBe(text)
    expect((await verify(Buffer.from(repaired(more)))).verdict).toBe('unreadable')
  })
})
