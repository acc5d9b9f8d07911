import type { Sha256 } from '../crypto.js'
import { nodePreimage, splitOf } from './tree.js'

/** What proofs are made of. */
export interface TreeSource {
  readonly sha256: Sha256
  /**
   * The hash of the complete subtree over the 2^level leaves that begin at index · 2^level; those of level 0 are the leaf hashes. Only asked for
   * subtrees that are complete in the tree of the size that is proven.
   */
  subtree(level: number, index: number): Uint8Array
}

/** A source over leaf hashes that are in memory. It keeps what it has computed. */
export function treeSource(sha256: Sha256, leafHashes: readonly Uint8Array[]): TreeSource {
  const levels: Uint8Array[][] = []
  const subtree = (level: number, index: number): Uint8Array => {
    const known = level === 0 ? leafHashes[index] : levels[level]?.[index]
    if (known !== undefined) return known
    if (level === 0) throw new RangeError(`The tree has ${leafHashes.length} leaves and none with the index ${index}.`)
    const hash = sha256(nodePreimage(subtree(level - 1, 2 * index), subtree(level - 1, 2 * index + 1)))
    levels[level] ??= []
    levels[level][index] = hash
    return hash
  }
  return { sha256, subtree }
}

/** The root of the first `size` leaves. */
export function rootAt(source: TreeSource, size: number): Uint8Array {
  return size === 0 ? source.sha256(new Uint8Array(0)) : hashOf(source, 0, size)
}

/**
 * The proof that a leaf is in the tree of a size, from its sibling upwards (RFC 6962, section 2.1.1). Throws `RangeError` unless
 * 0 ≤ index < size.
 */
export function inclusionProof(source: TreeSource, index: number, size: number): Uint8Array[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`A tree of ${size} leaves has none with the index ${index}.`)
  const path: Uint8Array[] = []
  let from = 0
  let to = size
  while (to - from > 1) {
    const middle = from + splitOf(to - from)
    const isLeft = index < middle
    path.push(isLeft ? hashOf(source, middle, to) : hashOf(source, from, middle))
    if (isLeft) to = middle
    else from = middle
  }
  return path.reverse()
}

/**
 * The proof that the tree of a size begins with all leaves of a smaller one (RFC 6962, section 2.1.2); empty where both have the same size.
 * Throws `RangeError` unless 1 ≤ before ≤ size.
 */
export function consistencyProof(source: TreeSource, before: number, size: number): Uint8Array[] {
  if (!(before >= 1 && before <= size))
    throw new RangeError(`A tree of ${size} leaves has none of ${before} before it.`)
  const path: Uint8Array[] = []
  let from = 0
  let to = size
  // Whether what is left of the smaller tree is its whole: then its root is known to whoever checks.
  let isWhole = true
  while (to !== before) {
    const middle = from + splitOf(to - from)
    if (before <= middle) {
      path.push(hashOf(source, middle, to))
      to = middle
    } else {
      path.push(hashOf(source, from, middle))
      from = middle
      isWhole = false
    }
  }
  if (!isWhole) path.push(hashOf(source, from, to))
  return path.reverse()
}

/** The hash over leaves `from` to `to`, where `from` is a multiple of the greatest complete subtree that begins there. */
function hashOf(source: TreeSource, from: number, to: number): Uint8Array {
  const parts: Uint8Array[] = []
  for (let at = from; at < to; ) {
    let level = 0
    while (2 ** (level + 1) <= to - at) level += 1
    parts.push(source.subtree(level, at / 2 ** level))
    at += 2 ** level
  }
  return parts.reduceRight((right, left) => source.sha256(nodePreimage(left, right)))
}
