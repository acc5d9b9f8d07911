import { describe, expect, test } from 'vitest'
import {
  bytesOfBase64,
  checkConsistency,
  checkInclusion,
  consistencyProof,
  emptyFrontier,
  extended,
  hexOf,
  inclusionProof,
  leafPreimage,
  rootAt,
  rootOf,
  treeSource,
  utf8Of,
} from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { hasVectors, vectors } from '../vectors.js'

const { sha256 } = nodeCrypto
const sizeMax = 40
const leafHashes = Array.from({ length: sizeMax }, (_, i) => sha256(leafPreimage(utf8Of(`leaf ${i}`))))
const source = treeSource(sha256, leafHashes)

/** The root exactly as RFC 6962 defines it. */
function naiveRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return sha256(new Uint8Array(0))
  if (hashes.length === 1) return hashes[0]!
  let split = 1
  while (split * 2 < hashes.length) split *= 2
  const halves = [naiveRoot(hashes.slice(0, split)), naiveRoot(hashes.slice(split))]
  return sha256(Buffer.concat([Buffer.of(1), ...halves]))
}

/** The proof of inclusion exactly as RFC 6962 defines it. */
function naiveInclusion(index: number, hashes: readonly Uint8Array[]): Uint8Array[] {
  if (hashes.length === 1) return []
  let split = 1
  while (split * 2 < hashes.length) split *= 2
  return index < split
    ? [...naiveInclusion(index, hashes.slice(0, split)), naiveRoot(hashes.slice(split))]
    : [...naiveInclusion(index - split, hashes.slice(split)), naiveRoot(hashes.slice(0, split))]
}

/** The proof of consistency exactly as RFC 6962 defines it. */
function naiveConsistency(before: number, hashes: readonly Uint8Array[], isWhole = true): Uint8Array[] {
  if (before === hashes.length) return isWhole ? [] : [naiveRoot(hashes)]
  let split = 1
  while (split * 2 < hashes.length) split *= 2
  return before <= split
    ? [...naiveConsistency(before, hashes.slice(0, split), isWhole), naiveRoot(hashes.slice(split))]
    : [...naiveConsistency(before - split, hashes.slice(split), false), naiveRoot(hashes.slice(0, split))]
}

const roots = Array.from({ length: sizeMax + 1 }, (_, size) => naiveRoot(leafHashes.slice(0, size)))
const hexes = (hashes: readonly Uint8Array[]) => hashes.map(hexOf)

describe('R-G2 the Merkle log', () => {
  test('T18 has the roots of RFC 6962, whichever way they are computed', () => {
    for (let size = 0; size <= sizeMax; size++) {
      expect(hexOf(rootAt(source, size))).toBe(hexOf(roots[size]!))
      for (const before of [0, 1, Math.floor(size / 2), size].filter((n) => n <= size)) {
        const frontier = extended(sha256, emptyFrontier, leafHashes.slice(0, before))
        const longer = extended(sha256, frontier, leafHashes.slice(before, size))
        expect([longer.size, hexOf(rootOf(sha256, longer))]).toEqual([size, hexOf(roots[size]!)])
        expect(frontier.hashes.length).toBe([...before.toString(2)].filter((bit) => bit === '1').length)
      }
    }
  })

  test('takes no hash of another length in a proof, also right after the whole one', async () => {
    const [index, size] = [2, 7]
    const path = inclusionProof(source, index, size)
    const [tree, leaf] = [
      { size, root: roots[size]! },
      { index, leafHash: leafHashes[index]! },
    ]
    for (const [place, hash] of path.entries()) {
      for (const other of [hash.subarray(0, 31), Buffer.concat([hash, Buffer.of(0)]), new Uint8Array(0)]) {
        expect(await checkInclusion(nodeCrypto, { ...leaf, path }, tree)).toBe(true)
        expect(await checkInclusion(nodeCrypto, { ...leaf, path: path.with(place, other) }, tree)).toBe(false)
      }
    }
  })

  test('has the proofs of RFC 6962 for every leaf of every size, and takes each for no other leaf and no other size', async () => {
    for (let size = 1; size <= 20; size++) {
      for (let index = 0; index < size; index++) {
        const path = inclusionProof(source, index, size)
        expect(hexes(path)).toEqual(hexes(naiveInclusion(index, leafHashes.slice(0, size))))
        for (let other = 1; other <= 20; other++) {
          const answer = await checkInclusion(
            nodeCrypto,
            { index, leafHash: leafHashes[index]!, path },
            { size: other, root: roots[size]! },
          )
          // A path of the same length, with its hashes on the same sides, is a proof for another size with the same root; there is none.
          if (other === size) expect(answer).toBe(true)
          if (answer) expect(inclusionProof(source, index, other).length).toBe(path.length)
        }
        for (let other = 0; other < size; other++) {
          if (other === index) continue
          const leaf = { index: other, leafHash: leafHashes[index]!, path }
          expect(await checkInclusion(nodeCrypto, leaf, { size, root: roots[size]! })).toBe(false)
        }
      }
    }
  })

  test('has the proofs of RFC 6962 between any two sizes, and takes no other for one', async () => {
    for (let size = 1; size <= sizeMax; size++) {
      for (let before = 1; before <= size; before++) {
        const path = consistencyProof(source, before, size)
        expect(hexes(path)).toEqual(hexes(naiveConsistency(before, leafHashes.slice(0, size))))
        const trees = {
          before: { size: before, root: roots[before]! },
          after: { size, root: roots[size]! },
        }
        expect(await checkConsistency(nodeCrypto, trees, path)).toBe(true)
        const forged = { ...trees, before: { size: before, root: roots[before - 1]! } }
        expect(await checkConsistency(nodeCrypto, forged, path)).toBe(false)
        expect(await checkConsistency(nodeCrypto, trees, [...path, roots[1]!])).toBe(false)
        if (path.length === 0) continue
        expect(await checkConsistency(nodeCrypto, trees, path.slice(1))).toBe(false)
        expect(await checkConsistency(nodeCrypto, trees, path.slice(0, -1))).toBe(false)
        const flipped = path.map((hash, i) =>
          i === path.length - 1 ? hash.map((byte, j) => byte ^ +(j === 31)) : hash,
        )
        expect(await checkConsistency(nodeCrypto, trees, flipped)).toBe(false)
      }
    }
  })

  test('refuses to prove what is not in the tree', () => {
    expect(() => inclusionProof(source, 5, 5)).toThrow(RangeError)
    expect(() => inclusionProof(source, -1, 5)).toThrow(RangeError)
    expect(() => consistencyProof(source, 6, 5)).toThrow(RangeError)
    expect(() => consistencyProof(source, 0, 5)).toThrow(RangeError)
    expect(() => inclusionProof(source, 0, sizeMax + 1)).toThrow(RangeError)
  })
})

interface Vector<T> {
  readonly name: string
  readonly case: T & { readonly wantErr: boolean; readonly proof: readonly string[] | null }
}
interface Inclusion {
  readonly leafIdx: number
  readonly treeSize: number
  readonly root: string
  readonly leafHash: string
}
interface Consistency {
  readonly size1: number
  readonly size2: number
  readonly root1: string
  readonly root2: string
}

const bytes = (text: string) => bytesOfBase64(text)!

describe.skipIf(!hasVectors)('T18 the public vectors of Merkle proofs', () => {
  test('all proofs of inclusion are taken or refused as their authors say', async () => {
    const cases = vectors<Vector<Inclusion>[]>('merkle-inclusion.json')
    expect(cases.length).toBeGreaterThan(90)
    for (const { name, case: given } of cases) {
      const leaf = {
        index: given.leafIdx,
        leafHash: bytes(given.leafHash),
        path: (given.proof ?? []).map(bytes),
      }
      const answer = await checkInclusion(nodeCrypto, leaf, { size: given.treeSize, root: bytes(given.root) })
      expect([name, answer]).toEqual([name, !given.wantErr])
    }
  })

  test('all proofs of consistency are taken or refused as their authors say', async () => {
    const cases = vectors<Vector<Consistency>[]>('merkle-consistency.json')
    expect(cases.length).toBeGreaterThan(90)
    for (const { name, case: given } of cases) {
      const trees = {
        before: { size: given.size1, root: bytes(given.root1) },
        after: { size: given.size2, root: bytes(given.root2) },
      }
      const answer = await checkConsistency(nodeCrypto, trees, (given.proof ?? []).map(bytes))
      expect([name, answer]).toEqual([name, !given.wantErr])
    }
  })
})
