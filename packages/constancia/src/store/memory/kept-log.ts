import { assert, type StreamId } from '../../journal/index.js'
import { type Attestation, type Checkpoint, fullTileBytes, type Leaf, type Tile, type TilePlace } from '../index.js'

/** What a disk keeps of its log. */
export class KeptLog {
  readonly leaves: Leaf[] = []
  readonly checkpoints: Checkpoint[] = []
  readonly #attestations = new Map<string, Attestation>()
  lease: { readonly holder: string; readonly untilMs: number } | undefined
  readonly #byStream = new Map<StreamId, Leaf[]>()
  readonly #tiles = new Map<string, Tile>()

  /** The last event of a stream that is sealed; -1 where none is. */
  sealedSeq(stream: StreamId): number {
    return this.#byStream.get(stream)?.at(-1)?.seq ?? -1
  }

  leavesOf(stream: StreamId): readonly Leaf[] {
    return this.#byStream.get(stream) ?? []
  }

  /** Adds the next leaf. */
  addLeaf(leaf: Leaf): void {
    assert(leaf.index === this.leaves.length, `leaf ${leaf.index} does not follow leaf ${this.leaves.length - 1}`)
    this.leaves.push(leaf)
    this.#byStream.set(leaf.stream, [...this.leavesOf(leaf.stream), leaf])
  }

  tile({ level, index }: TilePlace): Uint8Array {
    return this.#tiles.get(`${level}/${index}`)?.hashes ?? new Uint8Array()
  }

  /** Throws unless a tile begins with what is held of it. */
  checkTile(tile: Tile): void {
    const before = this.tile(tile)
    const begins = Buffer.from(before).equals(tile.hashes.subarray(0, before.length))
    assert(begins && tile.hashes.length <= fullTileBytes, `tile ${tile.index} of level ${tile.level} was to change`)
  }

  /** Replaces a tile by one that begins with what it holds. */
  setTile(tile: Tile): void {
    this.checkTile(tile)
    this.#tiles.set(`${tile.level}/${tile.index}`, tile)
  }

  /** Keeps the first attestation of each who gives one of a checkpoint that is there. */
  attest(attestation: Attestation): void {
    const { size, kind, by } = attestation
    const key = `${String(size).padStart(16, '0')} ${kind} ${by}`
    const isKnown = this.checkpoints.some((one) => one.size === size)
    if (isKnown && !this.#attestations.has(key)) this.#attestations.set(key, attestation)
  }

  /** All attestations, by size, kind and who. */
  allAttestations(): readonly Attestation[] {
    return [...this.#attestations]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, attestation]) => attestation)
  }

  /** All tiles, by level and place. */
  allTiles(): readonly Tile[] {
    return [...this.#tiles.values()].sort((one, other) => one.level - other.level || one.index - other.index)
  }
}
