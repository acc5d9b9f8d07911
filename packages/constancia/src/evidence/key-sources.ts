import { readFileSync } from 'node:fs'

/** What signs for a log: a key that this process holds, or one in a device or service that signs for it. */
export interface Signer {
  /** The 32 bytes of an Ed25519 public key. */
  readonly publicKey: Uint8Array
  /** Returns the 64 bytes of the Ed25519 signature over a message. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** A private key as a text, wherever that is: PEM, or a signer key of C2SP signed-note. */
export interface KeyText {
  /** How people know the place. */
  readonly place: string
  /** Reads it. Throws what reading throws. */
  readonly read: () => string
}

/** A signer, the text of its key, or what gets it once it is needed. */
export type SignerSource = Signer | KeyText | (() => Signer | Promise<Signer>)

/** The key in a file; it is read once somebody seals. */
export function keyFile(path: string): KeyText {
  return { place: `the file ${path}`, read: () => readFileSync(path, 'utf8') }
}

/** The key in an environment variable; it is read once somebody seals. */
export function keyVariable(name: string): KeyText {
  const read = (): string => {
    const text = process.env[name]
    if (text === undefined) throw new Error('it is not set')
    return text
  }
  return { place: `the environment variable ${name}`, read }
}
