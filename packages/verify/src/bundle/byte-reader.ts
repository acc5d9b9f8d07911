import type { Sha256Stream } from '../crypto.js'
import { lineBytesMax } from './grammar.js'
import { UnreadableBundleError } from './unreadable.js'

const newline = 10
const decoder = new TextDecoder('latin1')

/**
 * Takes lines and pieces from bytes that come in chunks of any size, and hashes what it has taken. It keeps no more than what is asked for at
 * once, and one chunk.
 */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #hash: Sha256Stream
  #buffer = new Uint8Array(65_536)
  /** What is in the buffer begins at `#start`, the piece that was taken last; what was not yet taken at `#next`. */
  #start = 0
  #next = 0
  #end = 0
  /** Of the file, at the beginning of the buffer. */
  #offset = 0

  constructor(source: AsyncIterable<Uint8Array>, hash: Sha256Stream) {
    this.#chunks = source[Symbol.asyncIterator]()
    this.#hash = hash
  }

  /** Where the piece that was taken last begins. */
  get byte(): number {
    return this.#offset + this.#start
  }

  /** Takes a line, without its newline; only what is ASCII in it is meant to be. */
  async line(bytesMax = lineBytesMax): Promise<string> {
    for (;;) {
      const line = this.lineAtHand(bytesMax)
      if (line !== undefined) return line
      if (!(await this.#fill())) throw this.unreadable('the file ends here')
    }
  }

  /** The same, if all of it is at hand; undefined where it is not. */
  lineAtHand(bytesMax = lineBytesMax): string | undefined {
    this.#start = this.#next
    const limit = Math.min(this.#end, this.#start + bytesMax + 1)
    const length = this.#buffer.subarray(this.#start, limit).indexOf(newline)
    if (length >= 0) {
      this.#next = this.#start + length + 1
      return decoder.decode(this.#buffer.subarray(this.#start, this.#start + length))
    }
    if (limit - this.#start > bytesMax) throw this.unreadable(`a line has more than ${bytesMax} bytes`)
    return undefined
  }

  /** Takes so many bytes. They are valid until the next piece is taken. */
  async bytes(count: number): Promise<Uint8Array> {
    for (;;) {
      const bytes = this.bytesAtHand(count)
      if (bytes !== undefined) return bytes
      if (!(await this.#fill(count))) throw this.unreadable('the file ends in it')
    }
  }

  /** The same, if all of them are at hand; undefined where they are not. */
  bytesAtHand(count: number): Uint8Array | undefined {
    this.#start = this.#next
    if (this.#end - this.#start < count) return undefined
    this.#next = this.#start + count
    return this.#buffer.subarray(this.#start, this.#next)
  }

  /** Whether everything was taken. */
  async isAtEnd(): Promise<boolean> {
    this.#start = this.#next
    while (this.#next === this.#end) if (!(await this.#fill())) return true
    return false
  }

  /** The hash of everything before the piece that was taken last. Nothing is hashed any more afterwards. */
  digestBefore(): Uint8Array {
    this.#hash.update(this.#buffer.subarray(0, this.#start))
    const digest = this.#hash.digest()
    this.#isHashing = false
    return digest
  }
  #isHashing = true

  /** Tells the source that no more is wanted. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  /** The error that says that the piece that was taken last cannot be read. */
  unreadable(why: string): UnreadableBundleError {
    return new UnreadableBundleError(this.byte, why)
  }

  async #fill(wanted = 0): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (done === true) return false
    this.#makeRoom(value.length, wanted)
    this.#buffer.set(value, this.#end)
    this.#end += value.length
    return true
  }

  /** Lets go of what is before the piece that is being taken, after hashing it. */
  #makeRoom(count: number, wanted: number): void {
    if (this.#start === 0 && this.#end + count <= this.#buffer.length) return
    if (this.#isHashing) this.#hash.update(this.#buffer.subarray(0, this.#start))
    const kept = this.#buffer.subarray(this.#start, this.#end)
    // At once as large as what is wanted: what it grew through would be garbage.
    const room = Math.max(wanted, kept.length) + count
    if (room > this.#buffer.length) this.#buffer = new Uint8Array(Math.max(2 * this.#buffer.length, room))
    this.#buffer.set(kept)
    this.#offset += this.#start
    this.#next -= this.#start
    this.#end -= this.#start
    this.#start = 0
  }
}
