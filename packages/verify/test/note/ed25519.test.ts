import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { bytesOfHex, isLowOrder, PlainSha256, utf8Of, verifySignature, webCrypto } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { hasVectors, vectors } from '../vectors.js'

interface Wycheproof {
  readonly testGroups: readonly {
    readonly publicKey: { readonly pk: string }
    readonly tests: readonly {
      readonly tcId: number
      readonly msg: string
      readonly sig: string
      readonly result: string
    }[]
  }[]
}
interface Edge {
  readonly number: number
  readonly key: string
  readonly sig: string
  readonly msg: string
  readonly flags: readonly string[] | null
}

const hex = (text: string) => bytesOfHex(text)!
const platforms = [
  ['Node.js', nodeCrypto],
  ['a browser', webCrypto()],
  [
    'a browser that has none',
    webCrypto({ importKey: () => Promise.reject(new Error('unknown')) } as unknown as Parameters<typeof webCrypto>[0]),
  ],
] as const

describe.skipIf(!hasVectors).each(platforms)(
  'T18 the public vectors of Ed25519, with the cryptography of %s',
  (_, crypto) => {
    test('Wycheproof: every signature is taken or refused as its authors say', async () => {
      const { testGroups } = vectors<Wycheproof>('ed25519-wycheproof.json')
      let count = 0
      for (const { publicKey, tests } of testGroups) {
        for (const { tcId, msg, sig, result } of tests) {
          const answer = await verifySignature(crypto, hex(publicKey.pk), { message: hex(msg), signature: hex(sig) })
          expect([tcId, answer]).toEqual([tcId, result === 'valid'])
          count += 1
        }
      }
      expect(count).toBe(151)
    })

    test('CCTV: no signature under a key of low order is taken', async () => {
      const edges = vectors<Edge[]>('ed25519-cctv.json')
      const low = edges.filter(({ flags }) => flags?.includes('low_order_A'))
      expect(new Set(low.map(({ key }) => key)).size).toBe(14)
      for (const { key, sig, msg } of low) {
        expect(isLowOrder(hex(key))).toBe(true)
        expect(await verifySignature(crypto, hex(key), { message: utf8Of(msg), signature: hex(sig) })).toBe(false)
      }
    })

    // RFC 8032 allows a verifier to multiply by the cofactor or not to; ours, and OpenSSL's, does not, and compares R as bytes.
    test('CCTV: under the other keys exactly those are taken that fit without the cofactor and have a canonical R', async () => {
      const edges = vectors<Edge[]>('ed25519-cctv.json').filter(({ flags }) => !flags?.includes('low_order_A'))
      const taken = { true: 0, false: 0 }
      for (const { number, key, sig, msg, flags } of edges) {
        const expected = !['low_order_residue', 'non_canonical_R'].some((flag) => flags?.includes(flag))
        const answer = await verifySignature(crypto, hex(key), { message: utf8Of(msg), signature: hex(sig) })
        expect([number, answer]).toEqual([number, expected])
        taken[`${answer}`] += 1
      }
      expect(taken).toEqual({ true: 86, false: 302 })
    })
  },
)

describe('SHA-256 in JavaScript', () => {
  test('is that of the platform, whatever the length and however it comes in pieces', () => {
    const all = Uint8Array.from({ length: 700 }, (_, i) => (i * 131 + (i >> 3)) % 256)
    for (let length = 0; length <= all.length; length++) {
      const expected = createHash('sha256').update(all.subarray(0, length)).digest('hex')
      for (const step of [1 + (length % 97), 64, 701]) {
        const hash = new PlainSha256()
        for (let at = 0; at < length; at += step) hash.update(all.subarray(at, Math.min(length, at + step)))
        expect(Buffer.from(hash.digest()).toString('hex')).toBe(expected)
      }
    }
  })
})
