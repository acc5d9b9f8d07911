import * as crypto from 'node:crypto'

// One call is two to three times faster than createHash; it exists from Node.js 20.12 on.
const oneShot = (crypto as { hash?: (name: string, message: string | Uint8Array, encoding: 'hex') => string }).hash

/** Lower-case hex SHA-256 of the bytes, or of the text as UTF-8. */
export function sha256(message: string | Uint8Array): string {
  if (oneShot !== undefined) return oneShot('sha256', message, 'hex')
  return crypto.createHash('sha256').update(message).digest('hex')
}
