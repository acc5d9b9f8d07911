import { hexOf } from '../bytes.js'

const perBlock = 65_536

/** Hashes by the order in which they came, in 32 bytes each: the one thing that the verifier keeps of every event. */
export class HashPool {
  readonly #blocks: Uint8Array[] = []
  #count = 0

  /** Keeps a hash. Returns its place. */
  push(hash: Uint8Array): number {
    const place = this.#count
    const at = place % perBlock
    if (at === 0) this.#blocks.push(new Uint8Array(32 * (place === 0 ? 1_024 : perBlock)))
    let block = this.#blocks.at(-1) as Uint8Array
    // The first block grows: most bundles are small.
    if (32 * at === block.length) {
      const larger = new Uint8Array(32 * perBlock)
      larger.set(block)
      block = larger
      this.#blocks[this.#blocks.length - 1] = larger
    }
    block.set(hash, 32 * at)
    this.#count += 1
    return place
  }

  /** The hash at a place, in lower-case hexadecimal. */
  at(place: number): string | undefined {
    if (!(place >= 0 && place < this.#count)) return undefined
    const at = 32 * (place % perBlock)
    return hexOf(this.#blocks[Math.floor(place / perBlock)]?.subarray(at, at + 32) ?? new Uint8Array(0))
  }
}
