import { nodeCrypto } from '@constancia/verify/node'
import { expect, test } from 'vitest'
import { newKey, signerOf } from '../../dist/evidence/log/signer.js'

const origin = 'example.org/log'

test('R-G2 a fresh key signs what its public part verifies, and no two are the same', async () => {
  const keys = [newKey(origin), newKey(origin)]
  expect(new Set(keys.map(({ verifierKey }) => verifierKey)).size).toBe(2)
  const message = new TextEncoder().encode('a checkpoint')
  for (const { signerKey } of keys) {
    const { publicKey, sign } = signerOf(signerKey)
    expect(nodeCrypto.verifyEd25519(publicKey, message, await sign(message))).toBe(true)
  }
})
