import { describe, expect, test } from 'vitest'
import {
  certificatesIn,
  checkToken,
  readStampAnswer,
  stampRequest,
  type TokenResult,
  webCrypto,
} from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { authorityExtensions, hasOpenssl, Openssl, stampExtensions } from './authority.js'
import { keptTokens, madeTokens, stampedText, type TokenCase } from './tokens.js'

if (!hasOpenssl)
  console.warn('The command openssl (3) is not here: tokens that it made before are checked, and no new ones.')
const kept = keptTokens()
const text = Buffer.from(kept.text)
const bytes = (base64: string) => Buffer.from(base64, 'base64')

function check({ token, anchors }: TokenCase, crypto = nodeCrypto.certificates): Promise<TokenResult> {
  return checkToken(bytes(token), text, { crypto, anchors: anchors.map(bytes) })
}

function expectCase(one: TokenCase, found: TokenResult): void {
  expect([one.name, found.kind, 'why' in found ? found.why : '']).toEqual([
    one.name,
    one.result,
    expect.stringContaining(one.why ?? ''),
  ])
}

describe('R-G2 tokens of time-stamping authorities', () => {
  test('that openssl made once come to what they have to, by the cryptography of Node.js and of browsers', async () => {
    for (const one of kept.cases) {
      expectCase(one, await check(one))
      expectCase(one, await check(one, webCrypto().certificates))
    }
    expect(new Set(kept.cases.map(({ result }) => result)).size).toBe(3)
    expect(kept.cases.length).toBeGreaterThan(20)
  })

  test.skipIf(!hasOpenssl)('that openssl makes now come to the same', async () => {
    const { cases } = madeTokens(kept.text, false)
    for (const one of cases) expectCase(one, await check(one))
    expect(cases.length).toBe(9)
  })

  test('are over the last checkpoint of the vectors; with CONSTANCIA_WRITE_TOKENS=1 they are made anew', () => {
    expect(kept.text).toBe(stampedText())
  })

  test('say who vouches for what moment, and how exactly', async () => {
    const [good] = kept.cases
    const found = await check(good!)
    expect(found).toMatchObject({ kind: 'valid', authority: 'Time, stamps', accuracyMs: 1_500 })
    expect('atMs' in found && found.atMs).toBeGreaterThan(Date.UTC(2000, 0, 1))
  })

  test('R-G5 of which any byte is another, or that are cut anywhere, are refused', async () => {
    const [good] = kept.cases
    const token = bytes(good!.token)
    let count = 0
    for (let place = 0; place < token.length; place += 3) {
      const bent = Buffer.from(token)
      bent[place] = (bent[place] ?? 0) ^ (1 << (count % 8))
      const found = await check({ ...good!, token: bent.toString('base64') })
      expect(found.kind, `byte ${place}`).not.toBe('valid')
      const cut = await check({ ...good!, token: token.subarray(0, place).toString('base64') })
      expect(cut.kind, `cut at ${place}`).toBe('refused')
      count += 1
    }
    expect(count).toBeGreaterThan(400)
  })

  test('by certificates that are none cannot be asked for', async () => {
    await expect(check({ ...kept.cases[0]!, anchors: ['AAAA'] })).rejects.toThrow(RangeError)
    expect(() => certificatesIn(Buffer.from('-----BEGIN CERTIFICATE-----\n!!'))).toThrow(RangeError)
  })

  test.skipIf(!hasOpenssl)(
    'R-G4 are asked for as RFC 3161 says: openssl answers, and only the answer to this question is taken',
    () => {
      const openssl = new Openssl()
      try {
        const root = openssl.certificate({ name: 'root', extensions: authorityExtensions })
        openssl.certificate({ name: 'stamps', by: 'root', extensions: stampExtensions })
        expect(certificatesIn(openssl.run('x509', '-in', 'root.pem'))).toEqual([Uint8Array.from(root)])
        for (const first of [0, 0x7f, 0x80]) {
          const nonce = Uint8Array.of(first, 0, 0, 0, 0, 0, 0, 1)
          const answer = openssl.answer('stamps', stampRequest(nodeCrypto.sha256(text), nonce))
          expect(readStampAnswer(answer, nonce).kind).toBe('token')
          const other = readStampAnswer(answer, Uint8Array.of(first, 0, 0, 0, 0, 0, 0, 2))
          expect(other).toEqual({ kind: 'refused', why: 'it answers another question' })
          expect(readStampAnswer(answer.subarray(1), nonce).kind).toBe('refused')
        }
      } finally {
        openssl.close()
      }
    },
  )

  test('that an authority does not give are not taken', () => {
    // Status 2 is a rejection.
    const rejection = Uint8Array.of(0x30, 5, 0x30, 3, 2, 1, 2)
    expect(readStampAnswer(rejection, new Uint8Array(8))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('status 2'),
    })
    expect(() => stampRequest(new Uint8Array(31), new Uint8Array(8))).toThrow(RangeError)
  })
})
