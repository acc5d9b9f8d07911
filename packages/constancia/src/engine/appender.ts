import { type Draft, type Head, headOf, nothingSeen, type StoredEvent, verifyChain } from '../journal/index.js'
import type { Claim, Store } from '../store/index.js'

/** What an appender tells its execution. */
export interface AppenderHooks {
  /** Events that are durable now, ours and others', in the order of the journal. */
  readonly stored: (events: readonly StoredEvent[]) => void
  /** Another owner has the run, or it has ended: stop at once. */
  readonly lost: () => void
  readonly fault: (error: unknown) => void
  /** Nothing is left to write. */
  readonly idle: () => void
  readonly readSignalCount: () => number
}

interface Pending {
  readonly draft: Draft
  readonly wanted: () => boolean
}

/** Writes a run's events one append at a time, and reads on where somebody outside wrote first. */
export class Appender {
  readonly #store: Store
  readonly #claim: Claim
  readonly #hooks: AppenderHooks
  #head: Head
  #pending: Pending[] = []
  #busy = false
  #stopped = false

  constructor(store: Store, claim: Claim, hooks: AppenderHooks) {
    this.#store = store
    this.#claim = claim
    this.#hooks = hooks
    this.#head = claim.head
  }

  /** The last event known to be stored. */
  get head(): Head {
    return this.#head
  }

  /** Whether nothing is being written, waits to be, or is being read. */
  get idle(): boolean {
    return !this.#busy && this.#pending.length === 0
  }

  /** Sets where the journal ends, once it was read. */
  startAt(head: Head): void {
    this.#head = head
  }

  /** Appends a draft soon, together with what else is there by then, unless `wanted` says no at that moment. */
  push(draft: Draft, wanted: () => boolean): void {
    this.#pending.push({ draft, wanted })
    if (!this.#busy && this.#pending.length === 1) queueMicrotask(() => void this.#work(false))
  }

  /** Reads what others appended, unless that is going to show anyway. */
  poke(): void {
    if (this.idle) void this.#work(true)
  }

  /** Writes nothing more, and tells nothing more. */
  stop(): void {
    this.#stopped = true
  }

  async #work(readFirst: boolean): Promise<void> {
    if (this.#busy || this.#stopped) return
    this.#busy = true
    try {
      if (readFirst) await this.#readOn()
      while (!this.#stopped && (await this.#appendOnce()));
    } catch (error) {
      this.#tell(() => this.#hooks.fault(error))
    } finally {
      this.#busy = false
    }
    this.#tell(() => this.#hooks.idle())
  }

  /** Returns whether there may be more to do. */
  async #appendOnce(): Promise<boolean> {
    const batch = this.#pending.filter((item) => item.wanted())
    this.#pending = []
    if (batch.length === 0) return false
    const answer = await this.#store.append({
      claim: this.#claim,
      head: this.#head,
      drafts: batch.map((item) => item.draft),
      seen: nothingSeen,
      readSignalCount: this.#hooks.readSignalCount(),
    })
    switch (answer.kind) {
      case 'appended':
        this.#accept(answer.events)
        return this.#pending.length > 0
      case 'head_conflict':
        this.#pending = [...batch, ...this.#pending]
        await this.#readOn()
        return true
      case 'claim_lost':
      case 'run_ended':
        this.#tell(() => this.#hooks.lost())
        return false
    }
  }

  async #readOn(): Promise<void> {
    const events = await this.#store.read(this.#claim.stream, { fromSeq: this.#head.seq + 1 })
    verifyChain(this.#claim.stream, this.#head, events)
    this.#accept(events)
  }

  #accept(events: readonly StoredEvent[]): void {
    const last = events.at(-1)
    if (last === undefined) return
    this.#head = headOf(last)
    this.#tell(() => this.#hooks.stored(events))
  }

  #tell(tell: () => void): void {
    if (!this.#stopped) tell()
  }
}
