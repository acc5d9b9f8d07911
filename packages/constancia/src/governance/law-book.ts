import { type ActivatedContract, Law } from '@constancia/verify/governance'
import { assert, emptyHead, type Head, headOf, type StreamId, verifyChain } from '../journal/index.js'
import type { Clock, Facts, Store } from '../store/index.js'

/** The stream that says who may. */
export const governanceStream = 'governance' as StreamId

const pageSize = 1_000

interface Shown {
  readonly law: Law
  readonly head: Head
  readonly nowMs: number
}

/** The law as far as this process has read it; what is decided from it is stored only while nothing was added since. */
export class LawBook {
  readonly stream = governanceStream
  readonly #law = new Law()
  readonly #clock: Clock
  #store: Store | undefined
  #head: Head = emptyHead(governanceStream)
  // The reading under way, and the one after it.
  #reading: Promise<void> | undefined
  #nextReading: Promise<void> | undefined

  // What a transaction of the store shows, while it is decided from that.
  #shown: Shown | undefined
  /** The database's clock, and both clocks of this process at the same moment. */
  #noted: { readonly atMs: number; readonly ownMs: number; readonly monotonicMs: number } | undefined
  // When the law changes next by itself, as of a head and a moment.
  #end = { seq: -1, fromMs: 0, endMs: Number.NEGATIVE_INFINITY }

  constructor(store: Store | undefined, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Who may, up to the head. */
  get law(): Law {
    return this.#shown?.law ?? this.#law
  }

  /** Reads from this store from now on. */
  readFrom(store: Store): void {
    this.#store = store
  }

  /** The last event that it was folded from. */
  get head(): Head {
    return this.#shown?.head ?? this.#head
  }

  /** What time it is by this process's clock, and by the database's where that is known and ahead. UTC milliseconds since 1970. */
  get nowMs(): number {
    return this.#shown === undefined ? Math.max(this.#clock.now(), this.databaseMs) : this.#shown.nowMs
  }

  /** What time it is by the database's clock, as far as that was noted, and otherwise by this process's. UTC milliseconds since 1970. */
  get databaseMs(): number {
    if (this.#shown !== undefined) return this.#shown.nowMs
    if (this.#noted === undefined) return this.#clock.now()
    const { atMs, ownMs, monotonicMs } = this.#noted
    // A monotonic clock may stand still while its machine sleeps, and the other does not.
    const passedMs = Math.max(0, this.#clock.monotonic() - monotonicMs, this.#clock.now() - ownMs)
    return Math.floor(atMs + passedMs)
  }

  /** Takes note of what time it was by the database's clock just now. */
  noteTime(atMs: number): void {
    this.#noted = { atMs, ownMs: this.#clock.now(), monotonicMs: this.#clock.monotonic() }
  }

  /** When the law changes next by itself, because a grant or a delegation ends, UTC milliseconds since 1970; Infinity if never. */
  get untilMs(): number {
    const { nowMs } = this
    const { seq, fromMs, endMs } = this.#end
    if (seq !== this.#head.seq || nowMs < fromMs || nowMs >= endMs)
      this.#end = { seq: this.#head.seq, fromMs: nowMs, endMs: this.#law.endAfter(nowMs) }
    return this.#end.endMs
  }

  /** The law as a transaction of the store has it, which is not kept. Undefined where more has to be read first. */
  lawAt({ basisHead, news }: Pick<Facts, 'basisHead' | 'news'>): Law | undefined {
    if (basisHead === undefined) return
    // It may have been read on since this was asked.
    const since = (news?.basis ?? []).filter(({ seq }) => seq > this.#head.seq)
    const reached = verifyChain(this.stream, this.#head, since)
    if (reached.seq !== basisHead.seq || reached.hash !== basisHead.hash) return
    if (since.length === 0) return this.#law
    const copy = this.#law.copy()
    for (const event of since) copy.add(event)
    return copy
  }

  /** Decides from the law and the time as a transaction of the store has them. Undefined where more has to be read first. */
  asOf<T>(facts: Pick<Facts, 'basisHead' | 'news' | 'nowMs'>, decide: () => T): T | undefined {
    const law = this.lawAt(facts)
    if (law === undefined || facts.basisHead === undefined) return
    this.#shown = { law, head: facts.basisHead, nowMs: facts.nowMs }
    try {
      return decide()
    } finally {
      this.#shown = undefined
    }
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
        this.#law.add(event)
        this.#head = headOf(event)
      }
      if (events.length < pageSize) return
    }
  }
}
