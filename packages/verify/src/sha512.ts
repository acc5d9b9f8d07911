/**
 * SHA-512 (FIPS 180-4) at once, for signatures in browsers that have no Ed25519 of their own. It works with whole numbers of any
 * size and is slow; what is signed is a few hundred bytes.
 */
export function plainSha512(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(128 * Math.ceil((bytes.length + 17) / 128))
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  let state = initial
  for (let at = 0; at < padded.length; at += 128) state = compressed(state, view, at)
  const digest = new DataView(new ArrayBuffer(64))
  for (const [i, word] of state.entries()) digest.setBigUint64(8 * i, word)
  return new Uint8Array(digest.buffer)
}

const cut = (value: bigint): bigint => BigInt.asUintN(64, value)
const turned = (value: bigint, by: bigint): bigint => (value >> by) | cut(value << (64n - by))

function compressed(state: readonly bigint[], view: DataView, from: number): bigint[] {
  const w = expanded(view, from)
  let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state
  for (let i = 0; i < 80; i++) {
    const sum1 = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n)
    const one = h + sum1 + ((e & f) ^ (cut(~e) & g)) + (constants[i] as bigint) + (w[i] as bigint)
    const sum0 = turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n)
    const two = sum0 + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = cut(d + one)
    d = c
    c = b
    b = a
    a = cut(one + two)
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => cut((state[i] as bigint) + word))
}

function expanded(view: DataView, from: number): bigint[] {
  const w = Array.from({ length: 16 }, (_, i) => view.getBigUint64(from + 8 * i))
  for (let i = 16; i < 80; i++) {
    const x = w[i - 15] as bigint
    const y = w[i - 2] as bigint
    const small0 = turned(x, 1n) ^ turned(x, 8n) ^ (x >> 7n)
    const small1 = turned(y, 19n) ^ turned(y, 61n) ^ (y >> 6n)
    w.push(cut((w[i - 16] as bigint) + small0 + (w[i - 7] as bigint) + small1))
  }
  return w
}

// As in sha256.ts: the first bits after the point of the roots of the first primes, computed exactly.
const primes = Array.from({ length: 408 }, (_, n) => n + 2).filter((n) => {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
  return true
})

/** The first 64 bits after the point of the `power`-th root of a number. */
function rootBits(n: number, power: bigint): bigint {
  const target = BigInt(n) << (64n * power)
  let low = 0n
  let high = 1n << 72n
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle ** power <= target) low = middle
    else high = middle
  }
  return cut(low)
}

const initial: readonly bigint[] = primes.slice(0, 8).map((n) => rootBits(n, 2n))
const constants = primes.slice(0, 80).map((n) => rootBits(n, 3n))
