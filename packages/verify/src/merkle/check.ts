import { sameBytes } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { nodePreimage } from './tree.js'

/** Hashes of a proof, at most: that of a tree with 2^53 leaves has fewer. */
export const proofHashCountMax = 63

/** A tree of a size, known by its root. */
export interface TreeHead {
  readonly size: number
  readonly root: Uint8Array
}

/**
 * The root that an inclusion proof leads to, for every size for which it can be one. Its number of hashes and the index alone decide on
 * which side each of them stands, so that nothing has to be kept until the size is known; whether it is a proof for a
 * size, {@link fitsSize} tells. Undefined where there is no such size.
 */
export async function rootOfInclusion(
  crypto: Crypto,
  { index, leafHash }: { readonly index: number; readonly leafHash: Uint8Array },
  path: readonly Uint8Array[],
): Promise<Uint8Array | undefined> {
  // Below the level where the last leaf's way parts, there is a hash on every level, and above only where it is on the left.
  let inner = path.length - onesOf(index)
  if (inner < 0 || leafHash.length !== 32) return undefined
  while (inner + onesOf(Math.floor(index / 2 ** inner)) < path.length) inner += 1
  let hash = leafHash
  let rest = index
  for (const [level, sibling] of path.entries()) {
    if (level >= inner) while (rest % 2 === 0) rest /= 2
    if (sibling.length !== 32) return undefined
    const isLeft = rest % 2 === 0
    scratch.set(isLeft ? hash : sibling, 1)
    scratch.set(isLeft ? sibling : hash, 33)
    const made = crypto.sha256(scratch)
    hash = made instanceof Uint8Array ? made : await made
    rest = Math.floor(rest / 2)
  }
  return hash
}

// The preimage of a node, in a place that the next one takes again: many leaves have many levels.
const scratch = Uint8Array.of(1, ...new Uint8Array(64))

/** Whether the proof of a leaf's inclusion in a tree of this size has this number of hashes. */
export function fitsSize(index: number, size: number, hashCount: number): boolean {
  if (!(isCount(index) && isCount(size) && index < size)) return false
  let inner = 0
  while (Math.floor(index / 2 ** inner) !== Math.floor((size - 1) / 2 ** inner)) inner += 1
  return inner + onesOf(Math.floor(index / 2 ** inner)) === hashCount
}

/** Whether a leaf with this hash is the one with this index in a tree (RFC 9162, section 2.1.3.2). Numbers that are no safe integers are not. */
export async function checkInclusion(
  crypto: Crypto,
  leaf: { readonly index: number; readonly leafHash: Uint8Array; readonly path: readonly Uint8Array[] },
  tree: TreeHead,
): Promise<boolean> {
  if (leaf.leafHash.length !== 32 || !fitsSize(leaf.index, tree.size, leaf.path.length)) return false
  const root = await rootOfInclusion(crypto, leaf, leaf.path)
  return root !== undefined && sameBytes(root, tree.root)
}

/**
 * Whether a tree begins with all leaves of one before it (RFC 9162, section 2.1.4.2). Both have at least one leaf; where the sizes are the same, the
 * proof is empty and the roots are the same.
 */
export async function checkConsistency(
  crypto: Crypto,
  { before, after }: { readonly before: TreeHead; readonly after: TreeHead },
  path: readonly Uint8Array[],
): Promise<boolean> {
  if (!isCount(before.size) || !isCount(after.size) || before.size < 1 || before.size > after.size) return false
  if (before.size === after.size) return path.length === 0 && sameBytes(before.root, after.root)
  if (path.length === 0 || path.length > proofHashCountMax) return false
  let node = before.size - 1
  let last = after.size - 1
  while (node % 2 === 1) {
    node = (node - 1) / 2
    last = Math.floor(last / 2)
  }
  // A smaller tree that is one complete subtree is its own first hash.
  const [first, ...rest] = node === 0 ? [before.root, ...path] : path
  let old = first ?? before.root
  let root = old
  for (const sibling of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      old = await crypto.sha256(nodePreimage(sibling, old))
      root = await crypto.sha256(nodePreimage(sibling, root))
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else root = await crypto.sha256(nodePreimage(root, sibling))
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && sameBytes(old, before.root) && sameBytes(root, after.root)
}

function onesOf(number: number): number {
  let count = 0
  for (let rest = number; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2
  return count
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}
