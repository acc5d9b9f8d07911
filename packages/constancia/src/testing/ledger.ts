import { defaultLimits, encodeValue } from '../journal/index.js'

/** What a crash test asks of the destination that a flow has effects on. */
export interface Destination {
  /** Forgets everything, before each trial. */
  reset(): void | Promise<void>
  /** What was accepted, by key: the same for every trial if effects happen once. */
  accepted(): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
}

interface Accepted {
  readonly body: unknown
  readonly text: string
}

/** A destination that remembers keys: it answers a key that it knows as it did the first time, and counts what it gets. */
export class Ledger implements Destination {
  readonly #accepted = new Map<string, Accepted>()
  #requestCount = 0

  /** Requests since the last reset, repeated ones included. */
  get requestCount(): number {
    return this.#requestCount
  }

  /** Accepts an effect once per key. The same key with another body is an error, not a repetition. */
  receive<T>(key: string, body: T): T {
    this.#requestCount += 1
    const text = encodeValue(body, { limits: defaultLimits, what: `body of ${key}` })
    const kept = this.#accepted.get(key) ?? { body, text }
    this.#accepted.set(key, kept)
    if (kept.text === text) return kept.body as T
    throw new Error(`Key ${key} came with another body: ${text} after ${kept.text}.`)
  }

  reset(): void {
    this.#accepted.clear()
    this.#requestCount = 0
  }

  accepted(): Readonly<Record<string, unknown>> {
    const bodies = [...this.#accepted].map(([key, { body }]) => [key, body] as const)
    return Object.fromEntries(bodies.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
