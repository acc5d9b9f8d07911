/** The few functions of Node.js that node.ts stands on. Its types as a whole would let the rest use what no browser has. */
declare module 'node:crypto' {
  interface KeyObject {
    readonly type: string
  }
  /** Since 20.12. */
  const hash: undefined | ((name: 'sha256', bytes: Uint8Array, encoding: 'buffer') => Uint8Array)
  function createHash(name: 'sha256'): { update(bytes: Uint8Array): unknown; digest(): Uint8Array }
  function createPublicKey(options: { key: Uint8Array; format: 'der'; type: 'spki' }): KeyObject
  function verify(algorithm: null, message: Uint8Array, key: KeyObject, signature: Uint8Array): boolean
}
