/** The few functions of Node.js that node.ts stands on. Its types as a whole would let the rest use what no browser has. */
declare module 'node:crypto' {
  interface KeyObject {
    readonly type: string
  }
  /** Since 20.12. */
  const hash: undefined | ((name: 'sha256', bytes: Uint8Array, encoding: 'buffer') => Uint8Array)
  type Hash = 'sha256' | 'sha384' | 'sha512'
  function createHash(name: Hash): { update(bytes: Uint8Array): unknown; digest(): Uint8Array }
  function createPublicKey(options: { key: Uint8Array; format: 'der'; type: 'spki' }): KeyObject
  interface KeyOfPoint {
    readonly key: KeyObject
    readonly dsaEncoding: 'ieee-p1363'
  }
  function verify(algorithm: Hash, message: Uint8Array, key: KeyOfPoint, signature: Uint8Array): boolean
  function verify(algorithm: null, message: Uint8Array, key: KeyObject, signature: Uint8Array): boolean
}
