/** What a crash test asks of the destination that a flow has effects on. */
export interface Destination {
  /** Forgets everything, before each trial. */
  reset(): void | Promise<void>
  /** What was accepted, by key: the same for every trial if effects happen once. */
  accepted(): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
}

/** A destination that remembers keys: it answers a key that it knows as it did the first time, and counts what it gets. */
export class Ledger implements Destination {
  readonly #accepted = new Map<string, unknown>()
  #requestCount = 0

  /** Requests since the last reset, repeated ones included. */
  get requestCount(): number {
    return this.#requestCount
  }

  /** Accepts an effect once per key. The same key with another body is an error, not a repetition. */
  receive<T>(key: string, body: T): T {
    this.#requestCount += 1
    if (!this.#accepted.has(key)) this.#accepted.set(key, body)
    const kept = this.#accepted.get(key)
    if (JSON.stringify(kept) === JSON.stringify(body)) return kept as T
    throw new Error(`Key ${key} came with another body: ${JSON.stringify(body)} after ${JSON.stringify(kept)}.`)
  }

  reset(): void {
    this.#accepted.clear()
    this.#requestCount = 0
  }

  accepted(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#accepted].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
