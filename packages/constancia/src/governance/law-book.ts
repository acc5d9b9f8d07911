import { type ActivatedContract, Law } from '@constancia/verify'
import { assert, emptyHead, type Head, headOf, type StreamId, verifyChain } from '../journal/index.js'
import type { Store } from '../store/index.js'

/** The stream that says who may. */
export const governanceStream = 'governance' as StreamId

const pageSize = 1_000

/** The law as far as this process has read it; what is decided from it is stored only while nothing was added since. */
export class LawBook {
  readonly stream = governanceStream
  readonly law = new Law()
  #store: Store | undefined
  #head: Head = emptyHead(governanceStream)
  // The reading under way, and the one after it.
  #reading: Promise<void> | undefined
  #nextReading: Promise<void> | undefined

  constructor(store?: Store) {
    this.#store = store
  }

  /** Reads from this store from now on. */
  readFrom(store: Store): void {
    this.#store = store
  }

  /** The last event that it was folded from. */
  get head(): Head {
    return this.#head
  }

  /** The contract in force; undefined before the first. */
  get inForce(): ActivatedContract | undefined {
    return this.law.inForce
  }

  /** Reads on to the end. What is read is verified first. Rejects with faults of the store. */
  catchUp(): Promise<void> {
    // Whoever asks while it reads may know of an event that this reading misses; all of those share the next one.
    if (this.#nextReading !== undefined) return this.#nextReading
    if (this.#reading === undefined) return this.#read()
    this.#nextReading = this.#reading.catch(() => undefined).then(() => this.#read())
    return this.#nextReading
  }

  #read(): Promise<void> {
    this.#nextReading = undefined
    const reading = this.#readOn().finally(() => {
      if (this.#reading === reading) this.#reading = undefined
    })
    this.#reading = reading
    return reading
  }

  async #readOn(): Promise<void> {
    const store = this.#store
    assert(store !== undefined, 'the law is read from a store')
    for (;;) {
      const events = await store.read(this.stream, { fromSeq: this.#head.seq + 1, limit: pageSize })
      verifyChain(this.stream, this.#head, events)
      for (const event of events) {
        this.law.add(event)
        this.#head = headOf(event)
      }
      if (events.length < pageSize) return
    }
  }
}
