import { seenWith } from '../journal/index.js'
import type { Checkpoint } from './log.js'

/** The last checkpoint that a handle knows; see `Log.know`. */
export class KnownCheckpoint {
  #text = '-'
  #seen = ''
  #completed = ''

  know({ size, root }: Pick<Checkpoint, 'size' | 'root'>): void {
    this.#text = `${size}:${root}`
    this.#seen = ''
  }

  /** What was seen, with this checkpoint where none is named. Most events are written by somebody who has seen the same. */
  complete(seen: string): string {
    if (this.#text === '-') return seen
    if (seen === this.#seen) return this.#completed
    this.#seen = seen
    this.#completed = seenWith(seen, this.#text)
    return this.#completed
  }
}
