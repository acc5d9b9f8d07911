/**
 * Ed25519 (RFC 8032) in whole numbers of any size: what a browser without Ed25519 of its own needs to check a signature, and nothing to make
 * one. A few milliseconds a signature. Nothing in it is secret, so it need not take the same time for everything.
 */
import { joined, sameBytes } from './bytes.js'
import { plainSha512 } from './sha512.js'

const prime = 2n ** 255n - 19n
const order = 2n ** 252n + 27742317777372353535851937790883648493n

/** A point (x, y) as (X : Y : Z : T) with x = X / Z, y = Y / Z, xy = T / Z. */
type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint]

const zero: Point = [0n, 1n, 1n, 0n]

/** The remainder, from 0 up. */
function modulo(value: bigint, by = prime): bigint {
  const rest = value % by
  return rest < 0n ? rest + by : rest
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = modulo(result * square)
    square = modulo(square * square)
  }
  return result
}

const inverse = (value: bigint): bigint => power(value, prime - 2n)

const d = modulo(-121665n * inverse(121666n))
const rootOfMinusOne = power(2n, (prime - 1n) / 4n)

function sum([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = modulo((y1 - x1) * (y2 - x2))
  const b = modulo((y1 + x1) * (y2 + x2))
  const c = modulo(2n * t1 * t2 * d)
  const e = modulo(2n * z1 * z2)
  return [modulo((b - a) * (e - c)), modulo((e + c) * (b + a)), modulo((e - c) * (e + c)), modulo((b - a) * (b + a))]
}

/** The point that 32 bytes stand for; undefined where they stand for none. As OpenSSL does, y may be written with the prime added. */
function pointOf(bytes: Uint8Array): Point | undefined {
  const number = numberOf(bytes)
  const isOdd = number >> 255n === 1n
  const y = modulo(number & (2n ** 255n - 1n))
  const u = modulo(y * y - 1n)
  const v = modulo(d * y * y + 1n)
  let x = modulo(u * power(v, 3n) * power(modulo(u * power(v, 7n)), (prime - 5n) / 8n))
  if (modulo(v * x * x + u) === 0n) x = modulo(x * rootOfMinusOne)
  if (modulo(v * x * x - u) !== 0n || (x === 0n && isOdd)) return undefined
  if (((x & 1n) === 1n) !== isOdd) x = prime - x
  return [x, y, 1n, modulo(x * y)]
}

function bytesOf([x, y, z]: Point): Uint8Array {
  const byZ = inverse(z)
  let rest = modulo(y * byZ) | ((modulo(x * byZ) & 1n) << 255n)
  const bytes = new Uint8Array(32)
  for (let i = 0; i < 32; i++) {
    bytes[i] = Number(rest & 255n)
    rest >>= 8n
  }
  return bytes
}

/** The number that bytes stand for, the least one first. */
function numberOf(bytes: Uint8Array): bigint {
  let number = 0n
  for (let i = bytes.length - 1; i >= 0; i--) number = (number << 8n) | BigInt(bytes[i] as number)
  return number
}

const base = pointOf(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 0x58 : 0x66))) as Point

/** A point, so many times. */
interface Multiple {
  readonly times: bigint
  readonly point: Point
}

/** The sum of two multiples, bit by bit of both at once. */
function combined(one: Multiple, other: Multiple): Point {
  const both = sum(one.point, other.point)
  let total = zero
  for (let bit = 252n; bit >= 0n; bit--) {
    total = sum(total, total)
    const [inOne, inOther] = [(one.times >> bit) & 1n, (other.times >> bit) & 1n]
    if (inOne && inOther) total = sum(total, both)
    else if (inOne) total = sum(total, one.point)
    else if (inOther) total = sum(total, other.point)
  }
  return total
}

/** Whether a signature of 64 bytes is that of a message under a key of 32 bytes: S below the order, no cofactor, R compared as bytes. */
export function verifyPlainEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.length !== 32 || signature.length !== 64) return false
  const point = pointOf(key)
  const r = signature.subarray(0, 32)
  const s = numberOf(signature.subarray(32))
  if (point === undefined || s >= order) return false
  const k = modulo(numberOf(plainSha512(joined(r, key, message))), order)
  const [x, y, z, t] = point
  const minus: Point = [prime - x, y, z, prime - t]
  return sameBytes(bytesOf(combined({ times: s, point: base }, { times: k, point: minus })), r)
}
