import type { StoreFactory } from 'constancia'
import { emptyHead, type RunId, runStream, type StoredEvent, verifyChain } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'

/** Notes what stores acknowledge, and whether it is still there in the end. */
export class Acknowledged {
  readonly #hashes = new Map<RunId, Map<number, string>>()
  #count = 0
  #onAdded: () => void = () => undefined

  /** Acknowledged events of all stores. */
  get count(): number {
    return this.#count
  }

  get runs(): readonly RunId[] {
    return [...this.#hashes.keys()]
  }

  /** Waits until so many more were acknowledged. */
  async more(count: number): Promise<void> {
    const goal = this.#count + count
    while (this.#count < goal) {
      await new Promise<void>((resolve) => {
        this.#onAdded = resolve
      })
    }
  }

  /** The stores of a factory, watched. */
  of(factory: StoreFactory): StoreFactory {
    return async (parts) => {
      const store = await factory(parts)
      return new Proxy(store, {
        get: (target, property) => {
          if (property === 'append') return (request: Parameters<Store['append']>[0]) => this.#append(target, request)
          const value = Reflect.get(target, property)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    }
  }

  async #append(store: Store, request: Parameters<Store['append']>[0]): ReturnType<Store['append']> {
    const answer = await store.append(request)
    if (answer.kind === 'appended') this.note(request.claim.run, answer.events)
    return answer
  }

  /** Notes events that were acknowledged in another way. */
  note(run: RunId, events: readonly Pick<StoredEvent, 'seq' | 'hash'>[]): void {
    const hashes = this.#hashes.get(run) ?? new Map<number, string>()
    for (const { seq, hash } of events) hashes.set(seq, hash)
    this.#hashes.set(run, hashes)
    this.#count += events.length
    this.#onAdded()
  }

  /** Fails unless a journal is whole, has each step once, and has everything that was acknowledged of it. */
  judge(run: RunId, events: readonly StoredEvent[]): void {
    verifyChain(runStream(run), emptyHead(runStream(run)), events)
    const steps = events.filter(({ kind }) => kind === 'StepCompleted').map(({ body }) => JSON.parse(body).op)
    if (new Set(steps).size < steps.length) throw new Error(`A step of ${run} is twice in its journal.`)
    for (const [seq, hash] of this.#hashes.get(run) ?? []) {
      if (events[seq]?.hash !== hash) throw new Error(`Event ${seq} of ${run} was acknowledged, and is not there.`)
    }
  }
}
