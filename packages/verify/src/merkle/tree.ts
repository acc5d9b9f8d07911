/**
 * The Merkle tree of RFC 6962, section 2.1.
 *
 *   leaf hash  = SHA-256( 0x00 ‖ leaf )
 *   node hash  = SHA-256( 0x01 ‖ left ‖ right )
 *   root of n  = node of the root of the first k and the root of the others, k the greatest power of two below n;
 *                of one leaf its leaf hash, of none SHA-256 of nothing
 */
import { joined } from '../bytes.js'
import type { Sha256 } from '../crypto.js'

/** What is hashed for a leaf. */
export function leafPreimage(leaf: Uint8Array): Uint8Array {
  return joined(Uint8Array.of(0), leaf)
}

/** What is hashed for a node above two others. */
export function nodePreimage(left: Uint8Array, right: Uint8Array): Uint8Array {
  return joined(Uint8Array.of(1), left, right)
}

/** The text of a leaf that says how far a stream had come when it was sealed. */
export function headLeafText({ stream, seq, hash }: LogHead): string {
  return `constancia.head/v1\n${stream}\n${seq}\n${hash}\n`
}

/** How far a stream had come. */
export interface LogHead {
  readonly stream: string
  /** Of its last event, from 0. */
  readonly seq: number
  /** Of that event, lower-case hexadecimal. */
  readonly hash: string
}

/** The greatest power of two below a number greater than one. */
export function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/**
 * All that has to be kept of a tree to make it longer: the hashes of the complete subtrees that it consists of, the largest first,
 * one for each bit that is set in its size. At most 53.
 */
export interface Frontier {
  readonly size: number
  readonly hashes: readonly Uint8Array[]
}

/** The frontier of a tree without leaves. */
export const emptyFrontier: Frontier = { size: 0, hashes: [] }

/** The frontier after further leaves, given by their leaf hashes. Hashes less than twice for each of them. */
export function extended(sha256: Sha256, frontier: Frontier, leafHashes: Iterable<Uint8Array>): Frontier {
  const hashes = [...frontier.hashes]
  let { size } = frontier
  for (const leafHash of leafHashes) {
    let hash = leafHash
    // As many subtrees are completed as there are ones at the end of the size.
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = hashes.pop()
      if (left === undefined) throw new RangeError(`A frontier of ${size} leaves has too few hashes.`)
      hash = sha256(nodePreimage(left, hash))
    }
    hashes.push(hash)
    size += 1
  }
  return { size, hashes }
}

/** The root of a tree whose frontier this is. */
export function rootOf(sha256: Sha256, { hashes }: Frontier): Uint8Array {
  const last = hashes.at(-1)
  if (last === undefined) return sha256(new Uint8Array(0))
  return hashes.slice(0, -1).reduceRight((right, left) => sha256(nodePreimage(left, right)), last)
}
