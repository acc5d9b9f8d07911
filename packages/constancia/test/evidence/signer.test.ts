import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
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

test('keys are made and read although memory is collected at any moment', async () => {
  // Node.js 20 waits for ever where a collection finds what generated a key while that key is written as JWK.
  const program = `
    import { newKey, signerOf } from ${JSON.stringify(new URL('../../dist/evidence/log/signer.js', import.meta.url).href)}
    for (let count = 0; count < 300; count += 1) signerOf(newKey('${origin}').signerKey)
    console.log('made')
  `
  const args = ['--gc-interval=37', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 240_000 })
  expect(stdout).toBe('made\n')
})
