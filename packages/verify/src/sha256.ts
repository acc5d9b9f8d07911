import type { Sha256Stream } from './crypto.js'

/**
 * SHA-256 (FIPS 180-4) of what comes in pieces. Browsers only have it for what is in memory as a whole, which a bundle need
 * not be.
 */
export class PlainSha256 implements Sha256Stream {
  readonly #state = Int32Array.from(initial)
  readonly #block = new Uint8Array(64)
  #blockLength = 0
  #byteCount = 0

  update(bytes: Uint8Array): void {
    this.#byteCount += bytes.length
    let at = 0
    if (this.#blockLength > 0) {
      at = Math.min(64 - this.#blockLength, bytes.length)
      this.#block.set(bytes.subarray(0, at), this.#blockLength)
      this.#blockLength += at
      if (this.#blockLength < 64) return
      this.#compress(this.#block, 0)
      this.#blockLength = 0
    }
    for (; at + 64 <= bytes.length; at += 64) this.#compress(bytes, at)
    this.#block.set(bytes.subarray(at))
    this.#blockLength = bytes.length - at
  }

  digest(): Uint8Array {
    const bitCount = this.#byteCount * 8
    const padding = new Uint8Array(((119 - (this.#byteCount % 64)) % 64) + 9)
    padding[0] = 0x80
    const view = new DataView(padding.buffer)
    view.setUint32(padding.length - 8, Math.floor(bitCount / 2 ** 32))
    view.setUint32(padding.length - 4, bitCount % 2 ** 32)
    this.update(padding)
    const digest = new DataView(new ArrayBuffer(32))
    for (const [i, word] of this.#state.entries()) digest.setInt32(4 * i, word)
    return new Uint8Array(digest.buffer)
  }

  #compress(bytes: Uint8Array, from: number): void {
    expand(words, bytes, from)
    const s = this.#state
    let [a, b, c, d] = [s[0] as number, s[1] as number, s[2] as number, s[3] as number]
    let [e, f, g, h] = [s[4] as number, s[5] as number, s[6] as number, s[7] as number]
    for (let i = 0; i < 64; i++) {
      const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const one = (h + sum1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + (words[i] as number)) | 0
      const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const two = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    // One by one: a loop over a list of them takes longer than the rounds.
    s[0] = (s[0] as number) + a
    s[1] = (s[1] as number) + b
    s[2] = (s[2] as number) + c
    s[3] = (s[3] as number) + d
    s[4] = (s[4] as number) + e
    s[5] = (s[5] as number) + f
    s[6] = (s[6] as number) + g
    s[7] = (s[7] as number) + h
  }
}

function expand(w: Int32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0; i < 16; i++) {
    const at = from + 4 * i
    w[i] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number
    const y = w[i - 2] as number
    const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[i] = (w[i - 16] as number) + small0 + (w[i - 7] as number) + small1
  }
}

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8,
// computed exactly: a table of digits is a place for a slip of the pen.
const primes = Array.from({ length: 310 }, (_, n) => n + 2).filter((n) => {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
  return true
})

/** The first 32 bits after the point of the `power`-th root of a number: the whole part of the root of n · 2^(32 · power), modulo 2^32. */
function rootBits(n: number, power: bigint): number {
  const target = BigInt(n) << (32n * power)
  let low = 0n
  let high = 1n << 40n
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle ** power <= target) low = middle
    else high = middle
  }
  return Number(low & 0xffff_ffffn)
}

// One for all: no block is begun before another has ended.
const words = new Int32Array(64)
const initial = primes.slice(0, 8).map((n) => rootBits(n, 2n))
const constants = Int32Array.from(primes.slice(0, 64).map((n) => rootBits(n, 3n)))
