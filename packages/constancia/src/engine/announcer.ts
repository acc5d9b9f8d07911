import { ConstanciaError } from '../journal/index.js'
import type { Store, WorkerNote } from '../store/index.js'
import type { Parts } from './parts.js'

/** What an announcer works with. */
export interface AnnouncerInput {
  readonly store: Store
  readonly parts: Parts
  readonly note: Omit<WorkerNote, 'state'>
  readonly leaseMs: number
  readonly pollMs: number
}

/**
 * Tells people that a worker is there: a write every third of the lease, at most. A courtesy: nothing waits for it, and where it
 * fails the worker works all the same.
 */
export class Announcer {
  readonly #input: AnnouncerInput
  readonly #everyMs: number
  readonly #forMs: number
  #state: WorkerNote['state'] = 'working'
  #nextMs = Number.NEGATIVE_INFINITY
  #speaking: Promise<void> | undefined
  #isFailing = false
  #disarm: () => void = () => undefined

  constructor(input: AnnouncerInput) {
    this.#input = input
    this.#everyMs = input.leaseMs / 3
    // It is called when the worker looks for runs, which is now and then only.
    this.#forMs = Math.ceil(Math.max(input.leaseMs, 2 * (this.#everyMs + input.pollMs)))
  }

  /** Announces the worker, unless it did so not long ago. */
  beat(): void {
    if (this.#state === 'working' && this.#input.parts.clock.monotonic() >= this.#nextMs) this.#say()
  }

  /** Says that the worker drains, from now on by itself. */
  drain(): void {
    this.#state = 'draining'
    this.#say()
    this.#disarm = this.#input.parts.clock.after(this.#everyMs, () => this.drain())
  }

  /** Says nothing more, and strikes the worker off. */
  async stop(): Promise<void> {
    this.#disarm()
    this.#state = 'draining'
    await this.#speaking
    // Who could not be announced a moment ago would wait for the store in vain. The list forgets it by itself.
    if (!this.#isFailing) await this.#input.store.depart(this.#input.note.id).catch(() => undefined)
  }

  #say(): void {
    const { store, note, parts } = this.#input
    this.#nextMs = parts.clock.monotonic() + this.#everyMs
    const say = async (): Promise<void> => {
      try {
        await store.announce({ ...note, state: this.#state }, this.#forMs)
        this.#isFailing = false
      } catch (error) {
        this.#failed(error)
      }
    }
    const before = this.#speaking
    const speaking = before === undefined ? say() : before.then(say)
    this.#speaking = speaking
    void speaking.then(() => {
      if (this.#speaking === speaking) this.#speaking = undefined
    })
  }

  // Of a store that is away the store itself, and the worker, have told.
  #failed(error: unknown): void {
    const isAway = error instanceof ConstanciaError && passing.has(error.code)
    if (!this.#isFailing && !isAway) {
      const message =
        'This worker cannot announce itself. It works all the same, but the list of workers does not show what it has.'
      this.#input.parts.log('warn', message, { worker: this.#input.note.name, error: String(error) })
    }
    this.#isFailing = true
  }
}

const passing = new Set(['store_unavailable', 'store_locked', 'store_closed'])
