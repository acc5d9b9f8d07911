import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { isCampaign, keep, limitMs } from '../../../constancia/test/processes/campaign.js'
import { type CheckName, verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { keyText } from './cases/case.js'
import { beginMs, chunks, Log, origin } from './log.js'

const byteCount = 8_192
// In CI one of sixteen; the campaign takes all 65,536.
const step = isCampaign ? 1 : 16
const scope = { kind: 'interval', fromMs: beginMs, toMs: beginMs + 3_600_000, count: 2 } as const

/** An interval of two runs, one of which goes on, over a rotation and two checkpoints; exactly 8 KiB. */
async function reference(padding: number): Promise<Buffer> {
  const log = new Log()
  log.run('a', 3)
  log.seal()
  log.rotate(2)
  log.run('b', 2, { isOpen: true })
  log.append('run/b', 'SignalReceived', '{"op":"1"}', { data: `"${'é'.repeat(8)}${'x'.repeat(padding)}"` })
  log.seal()
  return log.bundle(['a', 'b'], scope)
}

/** What a bit in a line may be found by, if the file can still be read; by the first word of the line or of the text that it is in. */
const finders: Record<string, readonly CheckName[]> = {
  origin: ['origin'],
  scope: ['claim'],
  stream: ['chain'],
  event: ['chain'],
  body: ['chain'],
  data: ['chain'],
  leaf: ['leaves'],
  path: ['leaves'],
  checkpoint: ['checkpoints', 'leaves', 'consistency', 'origin'],
  consistency: ['consistency'],
  end: ['digest'],
  claim: ['claim'],
}

/** For each byte of a bundle, the word that its line, or that to which its line belongs, begins with. */
function wordsOf(bytes: Buffer): string[] {
  let word = ''
  const lines = bytes.toString('latin1').split(/(?<=\n)/)
  return lines.flatMap((line) => {
    const begins = /^(?<word>[a-z.]+)(?:\/v1\n| )/.exec(line)?.groups?.['word']
    const isNote = word === 'checkpoint' && begins !== 'consistency'
    if (begins !== undefined && !isNote && word !== 'claim') word = begins
    return [...line].map(() => word)
  })
}

describe('R-G5 T15 every bit of a bundle counts', () => {
  let bytes: Buffer
  const told: string[] = []
  beforeAll(async () => {
    const { length } = await reference(0)
    const padding = byteCount - length
    // The digits of the announced length may be one more.
    const sizes = await Promise.all([padding, padding - 1, padding - 2].map(reference))
    bytes = sizes.find((one) => one.length === byteCount)!
  })

  test('the bundle itself is proven, and has 8 KiB', async () => {
    const report = await verifyBundle(chunks(bytes), { crypto: nodeCrypto, keys: [keyText()], origin })
    expect([report.verdict, bytes.length]).toEqual(['proven', byteCount])
  })

  test('with any single bit flipped it is refused, for the reason that the place of the bit gives', {
    timeout: limitMs,
  }, async () => {
    const words = wordsOf(bytes)
    const counts = { tried: 0, unreadable: 0, forged: 0 }
    const missed: string[] = []
    told.length = 0
    for (let number = 0; number < (byteCount * 8) / step; number++) {
      // One of each so many bits, and each time another one of them, so that all eight of a byte are met.
      const place = number * step + ((number * 7) % step)
      const byte = place >> 3
      const flipped = Buffer.from(bytes)
      flipped[byte]! ^= 1 << (place & 7)
      const report = await verifyBundle(chunks(flipped), { crypto: nodeCrypto, keys: [keyText()], origin })
      const failed = report.checks.filter(({ result }) => result === 'failed').map(({ name }) => name)
      counts.tried += 1
      told.push(`${report.verdict} ${report.verdict === 'unreadable' ? '' : failed.join()}`)
      if (report.verdict === 'unreadable') counts.unreadable += 1
      else if (report.verdict === 'forged') counts.forged += 1
      const word = words[byte]!
      const isFound =
        report.verdict === 'unreadable'
          ? failed.includes('format')
          : report.verdict === 'forged' &&
            (word === 'claim' || failed.includes('digest')) &&
            (finders[word] ?? []).some((name) => failed.includes(name))
      if (!isFound) missed.push(`bit ${place} in ${word}: ${report.verdict}, ${failed.join()}`)
    }
    keep('t15', {
      table: () => `T15, every bit of ${byteCount} bytes: ${JSON.stringify(counts)}, missed ${missed.length}`,
    })
    expect(missed).toEqual([])
    expect(counts.tried).toBe((byteCount * 8) / step)
    // Both ways of being refused were met, or the test looks at something else than it says.
    expect(Math.min(counts.unreadable, counts.forged)).toBeGreaterThan(counts.tried / 10)
  })

  test.runIf(isCampaign)('R-G6 the second verifier says the same of each of them', { timeout: limitMs }, () => {
    const script = fileURLToPath(new URL('../second-verifier/flips.py', import.meta.url))
    const input = JSON.stringify({ file: bytes.toString('base64'), keys: [keyText()], origin })
    const { stdout } = spawnSync('python3', [script, String(step)], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
    const theirs = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (line.startsWith('unreadable') ? 'unreadable ' : line))
    const differing = told.filter((one, number) => one !== theirs[number])
    keep('t15-both', { table: () => `T15, both verifiers: ${theirs.length} files, ${differing.length} differ` })
    expect([differing, theirs.length]).toEqual([[], (byteCount * 8) / step])
  })
})
