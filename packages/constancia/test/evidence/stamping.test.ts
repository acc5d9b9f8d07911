import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { memory, memoryDisk } from 'constancia/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { authorityExtensions, hasOpenssl, Openssl, stampExtensions } from '../../../verify/test/token/authority.js'
import { type TimeStampingAuthority, timeStampingAuthority } from '../../dist/evidence/index.js'
import { makeReceipt, type Sealer } from '../../dist/evidence/log/index.js'
import { parseRunId } from '../../dist/journal/index.js'
import { failed, origin, piecesOf, Rig, whole } from './rig.js'

if (!hasOpenssl)
  console.warn(
    'The command openssl (3) is not here: no authority can be asked. Tokens that it made before are checked elsewhere.',
  )

const everyMs = 600_000

describe('R-G2 tokens of a time-stamping authority', () => {
  let rig: Rig
  let openssl: Openssl | undefined
  let server: Server
  let url: string
  let root = ''
  /** What the server does with a question; undefined where it is down. */
  let answer: ((question: Buffer) => Uint8Array) | undefined
  let askedCount = 0

  const honest = (question: Buffer): Uint8Array => openssl!.answer('stamps', question)
  const tokensKept = async () =>
    (await rig.store.log.attestations({ fromSize: 0, limit: 100 })).filter(({ kind }) => kind === 'token')
  const authority = (ms = everyMs): TimeStampingAuthority =>
    timeStampingAuthority(url, { certificates: [root], everyMs: ms })
  // The sealer looks every few seconds; what it began then is over when it is settled.
  const look = async (sealer: Sealer) => {
    await rig.clock.advance(5_000)
    await sealer.settled()
  }
  const anchors = () => [openssl!.run('x509', '-in', 'root.pem', '-outform', 'DER')]

  beforeAll(async () => {
    if (hasOpenssl) {
      openssl = new Openssl()
      openssl.certificate({ name: 'root', extensions: authorityExtensions })
      openssl.certificate({ name: 'stamps', by: 'root', extensions: stampExtensions })
      openssl.certificate({ name: 'strange-root', extensions: authorityExtensions })
      openssl.certificate({ name: 'strange', by: 'strange-root', extensions: stampExtensions })
      root = join(openssl.folder, 'root.pem')
    }
    server = createServer((request, response) => {
      const pieces: Buffer[] = []
      // A connection that is used again may be one that was just closed.
      response.setHeader('connection', 'close')
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        askedCount += 1
        expect(request.headers['content-type']).toBe('application/timestamp-query')
        if (answer === undefined) response.writeHead(503).end()
        else response.end(answer(Buffer.concat(pieces)))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa?key=secret`
  }, 60_000)

  afterAll(async () => {
    openssl?.close()
    await new Promise((resolve) => server.close(resolve))
  })

  beforeEach(async () => {
    rig = new Rig(memory(memoryDisk()))
    await rig.open()
    askedCount = 0
    answer = honest
  })

  afterEach(() => rig.store.close())

  test.skipIf(!hasOpenssl)(
    'are got beside sealing, no oftener than the interval, are in bundles and receipts, and are verified by its certificate',
    async () => {
      const sealer = await rig.sealer([], { timeStamps: [authority()] })
      for (const [run, pauseMs] of [
        ['r1', 0],
        ['r2', 60_000],
        ['last', everyMs],
      ] as const) {
        await rig.clock.advance(pauseMs)
        await rig.run(run)
        await sealer.sealNow()
        await look(sealer)
      }
      const kept = await tokensKept()
      expect([kept.length, askedCount]).toEqual([2, 2])
      expect(kept[0]?.by).toBe(
        `the time-stamping authority http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
      )

      const bytes = await whole((await rig.prove(['r1', 'last'])).bytes)
      const report = await rig.verify(piecesOf(bytes), { authorities: anchors(), require: ['tokens'] })
      expect(failed(report)).toEqual([])
      expect([report.verdict, report.tokens.map(({ size, result }) => [size, result])]).toEqual([
        'proven',
        kept.map(({ size }) => [size, 'valid']),
      ])
      expect(report.tokens[0]).toMatchObject({ authority: 'Time, stamps', accuracyMs: 1_500 })
      const bare = await rig.verify(piecesOf(bytes))
      expect([bare.verdict, bare.tokens.map(({ result }) => result)]).toEqual([
        'proven',
        ['not_evaluated', 'not_evaluated'],
      ])
      expect(bare.checks.some(({ name }) => name === 'tokens')).toBe(false)
      const required = await rig.verify(piecesOf(bytes), { require: ['tokens'] })
      expect(required.verdict).toBe('incomplete')

      const of = { run: parseRunId('last'), origin, of: { seq: 1 }, isStamped: true } as const
      const receipt = await makeReceipt(rig.store, of)
      const short = await rig.verify(piecesOf(receipt.bytes), { authorities: anchors() })
      expect([short.verdict, short.tokens.map(({ result }) => result)]).toEqual(['proven', ['valid']])
      await sealer.stop()
    },
  )

  test.skipIf(!hasOpenssl)('of another worker count as well: two never ask for more than one does', async () => {
    const [one, other] = [
      await rig.sealer([], { timeStamps: [authority()] }),
      await rig.sealer([], { timeStamps: [authority()], holder: 'two' }),
    ]
    await rig.run('r1')
    await one.sealNow()
    await look(one)
    await rig.run('r2')
    expect((await other.sealNow()).kind).toBe('sealed')
    await look(other)
    expect([(await tokensKept()).length, askedCount]).toEqual([1, 1])
    await Promise.all([one.stop(), other.stop()])
  })

  test('hold up nothing where it is down: it is told once, and asked again a minute later', async () => {
    answer = undefined
    const sealer = await rig.sealer([], { timeStamps: [timeStampingAuthority(url, { certificates: [root] })] })
    await rig.run('r1')
    expect((await sealer.sealNow()).kind).toBe('sealed')
    for (let round = 0; round < 4; round += 1) {
      await look(sealer)
    }
    expect(askedCount).toBe(1)
    expect(rig.told).toEqual([expect.stringMatching(/^warn: Checkpoints get no token of .*\/tsa \(it answered 503\)/)])
    if (hasOpenssl) answer = honest
    await rig.clock.advance(60_000)
    await sealer.settled()
    await look(sealer)
    expect(askedCount).toBe(2)
    if (hasOpenssl)
      expect([(await tokensKept()).length, rig.told.at(-1)]).toEqual([1, expect.stringMatching(/^info: .* again/)])
    await sealer.stop()
  })

  test.skipIf(!hasOpenssl).each([
    [
      'is of somebody whom nobody vouches for',
      (question: Buffer) => openssl!.answer('strange', question),
      /no given certificate vouches/,
    ],
    [
      'answers an earlier question',
      (() => {
        let first: Uint8Array | undefined
        return (question: Buffer) => (first ??= honest(question))
      })(),
      /answers another question/,
    ],
    ['is no token', () => Buffer.from('no'), /no token that can be read/],
    ['is longer than any', () => Buffer.alloc(70_000), /more than 65536 bytes/],
  ])('are not kept where what came %s', async (_, given, why) => {
    const sealer = await rig.sealer([], { timeStamps: [authority(1_000)] })
    answer = given
    for (let round = 0; round < 2; round += 1) {
      await rig.run(`r${round}`)
      await look(sealer)
    }
    expect(rig.told.join('\n')).toMatch(why)
    expect((await tokensKept()).length).toBeLessThan(2)
    await sealer.stop()
  })
})
