import { saltBytes } from '@constancia/verify/chain'

const poolBytes = 4096

/** Returns what hands out 16 fresh random bytes at a time, drawn from the source 4 KiB at a time. */
export function saltPool(randomBytes: (count: number) => Uint8Array): () => Uint8Array {
  let pool = new Uint8Array(0)
  let offset = 0
  return () => {
    if (offset === pool.length) {
      pool = new Uint8Array(randomBytes(poolBytes))
      offset = 0
    }
    const salt = pool.subarray(offset, offset + saltBytes)
    offset += saltBytes
    return salt
  }
}
