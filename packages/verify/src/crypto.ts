/**
 * What the verifier needs of the platform. Passed in, because a browser and Node.js have different ones: `nodeCrypto` of
 * `@constancia/verify/node` answers at once, {@link webCrypto} with promises.
 */
export interface Crypto {
  /** The 32 bytes of SHA-256. */
  sha256(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
  /**
   * Whether a signature of 64 bytes is that of a message under a key of 32 bytes, by RFC 8032; false, never an error, for a key that is
   * no point. Keys of low order need not be refused here: `verifySignature` does that.
   */
  verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
  /** SHA-256 of what comes in pieces, where the platform has it; otherwise it is computed in JavaScript. */
  sha256Stream?(): Sha256Stream
}

/** SHA-256 of what comes in pieces. */
export interface Sha256Stream {
  update(bytes: Uint8Array): void
  /** The 32 bytes; nothing may be added afterwards. */
  digest(): Uint8Array
}

/** SHA-256 that answers at once: what makes trees, keys and bundles is not for browsers. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array
