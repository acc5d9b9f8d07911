import { describe, expect, test } from 'vitest'
import { type Report, utf8Of, verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { keyText, threeRuns } from './cases/case.js'
import { chunks, origin } from './log.js'

const chunkBytes = 65_536

/** What is said at first, then the same for ever. `taken` counts the bytes that were asked for. */
class Endless {
  taken = 0
  isClosed = false
  readonly #first: string
  readonly #rest: Uint8Array

  constructor(first: string, rest: string) {
    this.#first = first
    this.#rest = utf8Of(rest.repeat(Math.ceil(chunkBytes / rest.length)))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield utf8Of(this.#first)
      for (;;) {
        this.taken += this.#rest.length
        if (this.taken > 1_000_000_000) throw new Error('The verifier has no end either.')
        yield this.#rest
      }
    } finally {
      this.isClosed = true
    }
  }
}

const verify = (source: AsyncIterable<Uint8Array>): Promise<Report> =>
  verifyBundle(source, { crypto: nodeCrypto, keys: [keyText()], origin })

describe('R-G4 threat 20: bounds of what a verifier reads', () => {
  const begun = `constancia.bundle/v1\norigin ${origin}\nscope runs 1\nstream governance 2000\n`
  const event = `event 0 A 2026-01-01T00:00:00.000Z system:x -/- ${'0'.repeat(64)}\n`
  const salt = '0'.repeat(32)

  test.each([
    ['a line without an end', '', 'x', 0],
    ['a line without an end, later', begun, 'x', begun.length],
    ['a text that is too long', `${begun}${event}body ${salt} 16777217\n`, 'x', begun.length + event.length],
    [
      'a note that is too long',
      `${begun.replace('governance 2000', 'governance 2000001')}`,
      'x',
      begun.indexOf('stream'),
    ],
    ['bytes that are no text', '', '\0', 0],
    ['the same event for ever', begun, event, begun.length + event.length],
  ])('%s is unreadable where it begins, before more than a little is read', async (_, first, rest, byte) => {
    const source = new Endless(first, rest)
    const report = await verify(source)
    expect(report.verdict).toBe('unreadable')
    const [format] = report.checks
    expect(format?.reasons[0]?.message).toContain(`from byte ${byte} on`)
    expect(source.taken).toBeLessThan(3 * chunkBytes)
    expect(source.isClosed).toBe(true)
    // Nothing else is called passed that was not looked at.
    expect(report.checks.slice(1).every(({ result }) => result === 'not_evaluated')).toBe(true)
  })

  test('what a replay would have to keep is bounded: texts that decide, votes, and checkpoints that are named', async () => {
    const head = `constancia.bundle/v1\norigin ${origin}\nscope runs 1\nstream governance `
    const line = (kind: string, seen = '-/-') =>
      `event 0 ${kind} 2026-01-01T00:00:00.000Z system:x ${seen} ${'0'.repeat(64)}\n`
    const text = (name: string, length: number) => `${name} ${salt} ${length}\n${'x'.repeat(length)}\n`
    const large = `${line('ContractProposed')}${text('body', 1)}${text('data', 16_777_216)}`
    const vote = `${line('ApprovalVoted')}${text('body', 1)}data none\n`
    const naming = (size: number) => `${line('A', `-/${size + 1}:${'0'.repeat(64)}`)}${text('body', 1)}data none\n`
    const why = async (pieces: Iterable<string>) => {
      async function* source(): AsyncGenerator<Uint8Array> {
        for (const piece of pieces) yield utf8Of(piece)
      }
      const report = await verify(source())
      return [report.verdict, report.checks[0]?.reasons[0]?.message]
    }
    function* many(count: number, make: (number: number) => string): Generator<string> {
      yield `${head}100000\n`
      for (let number = 0; number < count; number++) yield make(number)
    }
    expect(await why(many(3, () => large))).toEqual(['unreadable', expect.stringContaining('33554432 bytes')])
    expect(await why(many(10_001, () => vote))).toEqual(['unreadable', expect.stringContaining('10000 votes')])
    expect(await why([`${head}100001\n`])).toEqual(['unreadable', expect.stringContaining('100000 events')])
    // One less of each is read on to where the file ends.
    expect(await why(many(10_000, () => vote))).toEqual(['unreadable', expect.stringContaining('the file ends')])
    expect(await why(many(100, naming))).toEqual(['unreadable', expect.stringContaining('the file ends')])
  })

  test('what was found before a file became unreadable is still told', async () => {
    const text = (await threeRuns().bundle(['a'])).toString()
    const broken = text.replace('"op":"1"', '"op":"7"').replace('\nleaves', '\nLeaves')
    const report = await verify(chunks(utf8Of(broken)))
    const results = new Map(report.checks.map(({ name, result }) => [name, result]))
    expect([report.verdict, results.get('format'), results.get('chain'), results.get('leaves')]).toEqual([
      'unreadable',
      'failed',
      'failed',
      'not_evaluated',
    ])
    expect(report.checks.find(({ name }) => name === 'chain')?.reasons[0]).toMatchObject({ stream: 'run/a', seq: 2 })
  })

  test('what the source throws is not taken for a finding', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield utf8Of(begun)
      throw new Error('The disk is gone.')
    }
    await expect(verify(failing())).rejects.toThrow('The disk is gone.')
  })

  test.each([
    ['no key', { keys: [] }],
    ['a key that is none', { keys: ['x'] }],
    ['a key of another log', { keys: [keyText(1, 'other')] }],
    ['an origin that is none', { origin: 'constancia.x' }],
    ['an earlier checkpoint that is none', { earlier: 'x' }],
  ])('with %s nothing is verified', async (_, change) => {
    const options = { crypto: nodeCrypto, keys: [keyText()], origin, ...change }
    await expect(verifyBundle(chunks(utf8Of('')), options)).rejects.toThrow(RangeError)
  })
})
