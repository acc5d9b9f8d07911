/**
 * Lets so many in at once; whoever comes later waits, in order. What is started faster than the store can write it waits here,
 * where it costs little, and does not stand before the appends of runs that are under way.
 */
export class Gate {
  readonly #max: number
  readonly #waiting: (() => void)[] = []
  #insideCount = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Does something inside. */
  async pass<T>(act: () => Promise<T>): Promise<T> {
    if (this.#insideCount >= this.#max) await new Promise<void>((enter) => this.#waiting.push(enter))
    else this.#insideCount += 1
    try {
      return await act()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#insideCount -= 1
      else next()
    }
  }
}
