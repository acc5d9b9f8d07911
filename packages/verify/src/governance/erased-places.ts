import type { GovernanceBodies } from './bodies.js'

type Place = readonly [from: number, to: number]

/** Which texts `Erased` events name. Looking one up takes as long as the number of places of its stream has digits. */
export class ErasedPlaces {
  readonly #streams = new Map<string, Place[]>()
  /** Streams whose places are in order and apart. */
  readonly #ordered = new Set<string>()

  /** Takes what one of them says. */
  add({ texts }: GovernanceBodies['Erased']): void {
    for (const { stream, from, to } of texts) {
      const places = this.#streams.get(stream)
      if (places === undefined) this.#streams.set(stream, [[from, to]])
      else places.push([from, to])
      this.#ordered.delete(stream)
    }
  }

  /** Whether one of them names what an event carried. */
  has(stream: string, seq: number): boolean {
    const places = this.#placesOf(stream)
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle] as Place)[0] <= seq) low = middle + 1
      else high = middle
    }
    return seq <= (places[low - 1]?.[1] ?? -1)
  }

  #placesOf(stream: string): readonly Place[] {
    const places = this.#streams.get(stream)
    if (places === undefined || this.#ordered.has(stream)) return places ?? []
    const ordered: Place[] = []
    for (const [from, to] of places.sort(([one], [other]) => one - other))
      ordered.push([from, Math.max(to, ordered.at(-1)?.[1] ?? -1)])
    this.#streams.set(stream, ordered)
    this.#ordered.add(stream)
    return ordered
  }
}
