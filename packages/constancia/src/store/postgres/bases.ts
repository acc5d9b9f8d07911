import { emptyHead } from '../../journal/index.js'
import type { Append } from '../index.js'
import { arrayOf, bytesOf, Columns } from './literals.js'

type Basis = NonNullable<Append['basis']>

/** The bases of changes that are written together: each once, and by its place, from 1, which of them each change has. */
export class Bases {
  readonly #columns = new Columns(3)
  readonly #places = new Map<string, number>()
  readonly #ofChanges: (number | undefined)[] = []

  /** Adds that of the next change. */
  add(basis: Basis | undefined): void {
    this.#ofChanges.push(basis && this.#placeOf(basis))
  }

  /** Whether any change has one. */
  get isAny(): boolean {
    return this.#places.size > 0
  }

  /** The values of the groups `b_` and `c_basis`. */
  values(): string[] {
    return [...this.#columns.literals(), arrayOf(this.#ofChanges)]
  }

  #placeOf({ stream, head }: Basis): number {
    const key = `${head.seq} ${head.hash} ${stream}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = this.#places.size + 1
    this.#places.set(key, place)
    // The database does not know the hash that a stream begins from.
    const isForged = head.seq === -1 && head.hash !== emptyHead(stream).hash
    this.#columns.add([stream, isForged ? -2 : head.seq, bytesOf(head.hash)])
    return place
  }
}
