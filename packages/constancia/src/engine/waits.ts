import type { Clock } from '../store/index.js'
import type { Basis } from './basis.js'
import type { Op } from './op.js'

/** The ops of one execution that wait for a moment, and the one timer that wakes it for the next of them. */
export class Waits {
  readonly #ops = new Set<Op>()
  readonly #clock: Clock
  readonly #basis: Pick<Basis, 'databaseMs'> | undefined
  #armedForMs = Infinity
  #disarm: () => void = () => undefined

  /** Goes by what is known of the database's clock, where a basis knows it, and by this one otherwise. */
  constructor(clock: Clock, basis?: Pick<Basis, 'databaseMs'>) {
    this.#clock = clock
    this.#basis = basis
  }

  get #nowMs(): number {
    return this.#basis?.databaseMs ?? this.#clock.now()
  }

  add(op: Op): void {
    this.#ops.add(op)
  }

  remove(op: Op): void {
    this.#ops.delete(op)
  }

  /** Takes the ops whose moment has come, earliest first, then in the order of the flow. */
  takeDue(counts: (op: Op) => boolean): Op[] {
    if (this.#ops.size === 0) return []
    const nowMs = this.#nowMs
    const due = [...this.#ops].filter((op) => counts(op) && dueOf(op) <= nowMs)
    for (const op of due) this.#ops.delete(op)
    return due.sort((a, b) => dueOf(a) - dueOf(b))
  }

  /** The next moment that counts, UTC milliseconds since 1970; undefined if there is none. */
  nextMs(counts: (op: Op) => boolean): number | undefined {
    let next = Infinity
    for (const op of this.#ops) if (counts(op)) next = Math.min(next, dueOf(op))
    return next === Infinity ? undefined : next
  }

  /** Calls at that moment, instead of at any earlier asked for. */
  arm(atMs: number, call: () => void): void {
    if (atMs === this.#armedForMs) return
    this.disarm()
    this.#armedForMs = atMs
    this.#disarm = this.#clock.after(Math.max(0, atMs - this.#nowMs), () => {
      this.#armedForMs = Infinity
      call()
    })
  }

  disarm(): void {
    this.#disarm()
    this.#armedForMs = Infinity
  }
}

function dueOf(op: Op): number {
  return op.dueMs ?? Infinity
}
