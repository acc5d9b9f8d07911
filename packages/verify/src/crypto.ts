/**
 * What the verifier needs of the platform. Passed in, because a browser and Node.js have different ones: `nodeCrypto` of
 * `@constancia/verify/node` answers at once, {@link webCrypto} with promises.
 */
export interface Crypto {
  /** The 32 bytes of SHA-256. Takes the bytes at once, also where it promises the hash: their place is used again. */
  sha256(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
  /**
   * Whether a signature of 64 bytes is that of a message under a key of 32 bytes, by RFC 8032; false, never an error, for a key that is
   * no point. Keys of low order need not be refused here: `verifySignature` does that.
   */
  verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
  /** SHA-256 of what comes in pieces, where the platform has it; otherwise it is computed in JavaScript. */
  sha256Stream?(): Sha256Stream
  /** What certificates take; where it is missing, tokens of time-stamping authorities are not evaluated. */
  readonly certificates?: CertificateCrypto
}

/** Hashes of certificates. */
export type HashName = 'SHA-256' | 'SHA-384' | 'SHA-512'

/** How a signature by the key of a certificate is verified. */
export type SignatureScheme =
  /** RSASSA-PKCS1-v1_5. */
  | { readonly kind: 'rsa'; readonly hash: HashName }
  | { readonly kind: 'ecdsa'; readonly curve: 'P-256' | 'P-384' | 'P-521'; readonly hash: HashName }

/** A signature by the key of a certificate, and what it is over. */
export interface SignedByKey {
  readonly scheme: SignatureScheme
  /** `SubjectPublicKeyInfo` in DER, of the kind of the scheme. */
  readonly spki: Uint8Array
  readonly message: Uint8Array
  /** Of ECDSA r and s one after the other, each as long as the curve's order. */
  readonly signature: Uint8Array
}

/** The cryptography of certificates. */
export interface CertificateCrypto {
  digest(hash: HashName, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
  /** Whether a signature is right; false, never an error, for a key that is none. */
  verify(signed: SignedByKey): boolean | Promise<boolean>
}

/** SHA-256 of what comes in pieces. */
export interface Sha256Stream {
  update(bytes: Uint8Array): void
  /** The 32 bytes; nothing may be added afterwards. */
  digest(): Uint8Array
}

/** SHA-256 that answers at once: what makes trees, keys and bundles is not for browsers. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array
