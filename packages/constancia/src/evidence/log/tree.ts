/**
 * The Merkle tree in tiles, as C2SP tlog-tiles cuts it: a tile of level 0 has the hashes of 256 leaves, one of level L + 1 those of 256 whole tiles of
 * level L. To make a tree of n leaves longer takes the last, partial tile of each level, and no leaf is read.
 */
import { consistencyProof, inclusionProof, nodePreimage, rootAt, rootOf, type TreeSource } from '@constancia/verify'
import type { Log, Tile, TilePlace } from '../../store/index.js'
import { sha256Of } from './hash.js'

const width = 256
const hashBytes = 32
// A tile has so many levels of the tree; no tree has as many levels as the other.
const tileLevels = 8
const levelsMax = 64

/** A log made longer. */
export interface GrownTree {
  readonly root: Uint8Array
  /** Every tile that changed, as it is now. */
  readonly tiles: readonly Tile[]
}

/** The root and the tiles of a log of `size` leaves with further ones, given by their leaf hashes. Rejects with faults of the store. */
export async function growTree(log: Log, size: number, leafHashes: readonly Uint8Array[]): Promise<GrownTree> {
  const levels = await loadEdge(log, size)
  const whole: Tile[] = []
  for (const hash of leafHashes) push(levels, whole, { level: 0, hash })
  const partial = levels.flatMap(({ index, hashes, isChanged }, level) =>
    isChanged && hashes.length > 0 ? [{ level, index, hashes: Buffer.concat(hashes) }] : [],
  )
  return {
    root: rootOf(sha256Of, frontierOf(levels, size + leafHashes.length)),
    tiles: [...whole, ...partial],
  }
}

/** The last tile of a level. */
interface Edge {
  index: number
  hashes: Uint8Array[]
  isChanged: boolean
}

async function loadEdge(log: Log, size: number): Promise<Edge[]> {
  const places: TilePlace[] = []
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / width))
    places.push({ level, index: Math.floor(count / width) })
  const tiles = await log.tiles(places)
  return places.map(({ level, index }, place) => {
    const count = Math.floor(size / width ** level) % width
    return { index, hashes: hashesOf(tiles[place] ?? new Uint8Array(), { level, index, count }), isChanged: false }
  })
}

function hashesOf(bytes: Uint8Array, { level, index, count }: TilePlace & { readonly count: number }): Uint8Array[] {
  if (bytes.length < count * hashBytes) {
    throw new RangeError(
      `Tile ${index} of level ${level} of the log has ${bytes.length} bytes and not ${count} hashes.`,
    )
  }
  return Array.from({ length: count }, (_, place) => bytes.slice(place * hashBytes, (place + 1) * hashBytes))
}

function push(
  levels: Edge[],
  whole: Tile[],
  { level, hash }: { readonly level: number; readonly hash: Uint8Array },
): void {
  levels[level] ??= { index: 0, hashes: [], isChanged: false }
  const edge = levels[level]
  edge.hashes.push(hash)
  edge.isChanged = true
  if (edge.hashes.length < width) return
  whole.push({ level, index: edge.index, hashes: Buffer.concat(edge.hashes) })
  const above = perfect(edge.hashes)
  levels[level] = { index: edge.index + 1, hashes: [], isChanged: false }
  push(levels, whole, { level: level + 1, hash: above })
}

/** The hash over a power of two of hashes. */
function perfect(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes
  while (row.length > 1) {
    const next: Uint8Array[] = []
    for (let place = 0; place < row.length; place += 2)
      next.push(sha256Of(nodePreimage(row[place] as Uint8Array, row[place + 1] as Uint8Array)))
    row = next
  }
  return row[0] as Uint8Array
}

// The complete subtrees that the tree consists of, the largest first: those of the highest level, and in each its powers of two.
function frontierOf(levels: readonly Edge[], size: number): { size: number; hashes: Uint8Array[] } {
  const hashes: Uint8Array[] = []
  for (const { hashes: row } of [...levels].reverse()) {
    let from = 0
    for (let part = width / 2; part >= 1; part /= 2) {
      if (row.length - from < part) continue
      hashes.push(perfect(row.slice(from, from + part)))
      from += part
    }
  }
  return { size, hashes }
}

/** Proofs out of the tiles of a log, which are read as they are needed. */
export class TileProofs {
  readonly #log: Log
  readonly #tiles = new Map<string, Uint8Array>()
  readonly #missing = new Map<string, TilePlace>()
  /** Whole ones between two levels of tiles, by level and index. */
  readonly #subtrees = new Map<number, Uint8Array>()
  readonly #source: TreeSource = {
    sha256: sha256Of,
    subtree: (level, index) => this.#subtree(level, index),
  }

  constructor(log: Log) {
    this.#log = log
  }

  /** That a leaf is in the first `size` ones. Rejects with faults of the store. */
  inclusion(index: number, size: number): Promise<Uint8Array[]> {
    return this.#prove(() => inclusionProof(this.#source, index, size))
  }

  /** That the first `before` leaves are the beginning of the first `size`. Rejects with faults of the store. */
  consistency(before: number, size: number): Promise<Uint8Array[]> {
    return this.#prove(() => consistencyProof(this.#source, before, size))
  }

  /** The root of the first `size` leaves. Rejects with faults of the store. */
  root(size: number): Promise<Uint8Array> {
    return this.#prove(() => rootAt(this.#source, size))
  }

  // First to learn which tiles it takes, then with them.
  async #prove<T>(make: () => T): Promise<T> {
    const first = make()
    if (this.#missing.size === 0) return first
    const places = [...this.#missing.values()]
    this.#missing.clear()
    for (const [place, bytes] of (await this.#log.tiles(places)).entries())
      this.#tiles.set(keyOf(places[place] as TilePlace), bytes)
    return make()
  }

  // Neighbours have most of their proofs in common: each hash is made once.
  #subtree(level: number, index: number): Uint8Array {
    if (level % tileLevels === 0) return this.#ofTile({ level: level / tileLevels, index })
    const key = index * levelsMax + level
    const known = this.#subtrees.get(key)
    if (known !== undefined) return known
    const [left, right] = [this.#subtree(level - 1, 2 * index), this.#subtree(level - 1, 2 * index + 1)]
    const hash = sha256Of(nodePreimage(left, right))
    if (this.#missing.size === 0) this.#subtrees.set(key, hash)
    return hash
  }

  #ofTile({ level, index }: TilePlace): Uint8Array {
    const place = { level, index: Math.floor(index / width) }
    const bytes = this.#tiles.get(keyOf(place))
    if (bytes === undefined) {
      this.#missing.set(keyOf(place), place)
      return new Uint8Array(hashBytes)
    }
    const from = (index % width) * hashBytes
    return hashesOf(bytes.subarray(from), { ...place, count: 1 })[0] as Uint8Array
  }
}

function keyOf({ level, index }: TilePlace): string {
  return `${level}/${index}`
}
