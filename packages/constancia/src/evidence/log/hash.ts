import * as crypto from 'node:crypto'
import type { Sha256 } from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'

// One call is two to three times faster than createHash; it exists from Node.js 20.12 on.
const oneShot = (crypto as { hash?: (name: string, bytes: Uint8Array, encoding: 'buffer') => Uint8Array }).hash

/** The 32 bytes of SHA-256. */
export const sha256Of: Sha256 =
  oneShot === undefined ? nodeCrypto.sha256 : (bytes) => oneShot('sha256', bytes, 'buffer')
