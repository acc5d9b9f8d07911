import type { Outcome } from './history.js'
import type { Op } from './op.js'

/** An event, and the op that it is handed to; a wish to cancel goes to all of them. */
export interface Delivery {
  readonly event: Outcome
  readonly op: Op | undefined
}

interface OpDelivery extends Delivery {
  readonly op: Op
}

/**
 * Which outcome is next: the one with the lowest `seq` that somebody waits for. Signals go to whoever waits for their name,
 * first come, first served on both sides. Everybody waits for a wish to cancel.
 */
export class Handover {
  readonly #ready = new EventHeap()
  readonly #signals = new Map<string, Queue<Outcome>>()
  readonly #waiters = new Map<string, Queue<Op>>()
  #cancel: Delivery | undefined

  /** An outcome that is known, of an op that was asked for. */
  offer(event: Outcome, op: Op): void {
    this.#ready.push({ event, op })
  }

  /** A signal that came. */
  offerSignal(name: string, event: Outcome): void {
    queueOf(this.#signals, name).push(event)
  }

  /** Somebody wants the run to end. */
  offerCancel(event: Outcome): void {
    this.#cancel = { event, op: undefined }
  }

  /** Whether a wish to cancel is known and was not handed over yet. */
  get isCancelPending(): boolean {
    return this.#cancel !== undefined
  }

  /** Takes the wish to cancel, whatever comes before it. */
  takeCancel(): Outcome | undefined {
    const taken = this.#cancel?.event
    this.#cancel = undefined
    return taken
  }

  /** Signals that nobody has read, in the order of the journal. */
  unreadSignals(): Outcome[] {
    return [...this.#signals.values()].flatMap((queue) => queue.items()).sort((a, b) => a.seq - b.seq)
  }

  /** An op that waits for a signal of its name. */
  awaitSignal(op: Op): void {
    queueOf(this.#waiters, op.name).push(op)
  }

  /** Whether a signal of its name is there for this op, once everybody who asked before it has got one. */
  hasSignalFor(op: Op): boolean {
    const { name } = op
    const waiters = (this.#waiters.get(name)?.items() ?? []).filter((waiter) => !waiter.settled)
    return waiters.indexOf(op) < (this.#signals.get(name)?.length ?? 0)
  }

  /** The next delivery, which stays where it is; undefined if nobody waits for anything that is here. */
  peek(): Delivery | undefined {
    const next = this.#peekOutcome()
    const cancel = this.#cancel
    if (cancel === undefined || (next !== undefined && next.event.seq < cancel.event.seq)) return next
    return cancel
  }

  /** Takes the next delivery. */
  take(): Delivery | undefined {
    const next = this.peek()
    if (next === undefined) return undefined
    if (next === this.#cancel) this.#cancel = undefined
    else if (next === this.#ready.peek()) this.#ready.pop()
    else if (next.op !== undefined) this.#takeSignal(next.op.name)
    return next
  }

  #peekOutcome(): OpDelivery | undefined {
    this.#dropSettled()
    let next = this.#ready.peek()
    if (this.#waiters.size === 0) return next
    for (const [name, waiters] of this.#waiters) {
      const op = waiters.peek()
      const event = this.#signals.get(name)?.peek()
      if (op === undefined || event === undefined) continue
      if (next === undefined || event.seq < next.event.seq) next = { event, op }
    }
    return next
  }

  #takeSignal(name: string): void {
    this.#signals.get(name)?.shift()
    this.#waiters.get(name)?.shift()
  }

  // An op that waited for a signal and for a time is settled by the first of the two; the other is nobody's then.
  #dropSettled(): void {
    for (let next = this.#ready.peek(); next?.op.settled; next = this.#ready.peek()) this.#ready.pop()
    if (this.#waiters.size === 0) return
    for (const [name, waiters] of this.#waiters) {
      while (waiters.peek()?.settled) waiters.shift()
      if (waiters.length === 0) this.#waiters.delete(name)
    }
  }
}

function queueOf<T>(queues: Map<string, Queue<T>>, name: string): Queue<T> {
  const found = queues.get(name)
  if (found !== undefined) return found
  const made = new Queue<T>()
  queues.set(name, made)
  return made
}

/** First in, first out, without moving what is left at each step. */
class Queue<T> {
  #items: T[] = []
  #first = 0

  get length(): number {
    return this.#items.length - this.#first
  }

  items(): T[] {
    return this.#items.slice(this.#first)
  }

  push(item: T): void {
    this.#items.push(item)
  }

  peek(): T | undefined {
    return this.#items[this.#first]
  }

  shift(): void {
    this.#first += 1
    if (this.#first < 256 || this.#first * 2 < this.#items.length) return
    this.#items = this.#items.slice(this.#first)
    this.#first = 0
  }
}

/** A binary heap by `seq`: thousands of branches may be ready at once. */
class EventHeap {
  readonly #items: OpDelivery[] = []

  peek(): OpDelivery | undefined {
    return this.#items[0]
  }

  push(item: OpDelivery): void {
    const items = this.#items
    let place = items.push(item) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (seqAt(items, parent) <= item.event.seq) break
      swap(items, place, parent)
      place = parent
    }
  }

  pop(): void {
    const items = this.#items
    const last = items.pop()
    if (last === undefined || items.length === 0) return
    items[0] = last
    for (let place = 0; ; ) {
      const left = 2 * place + 1
      const child = seqAt(items, left + 1) < seqAt(items, left) ? left + 1 : left
      if (seqAt(items, child) >= last.event.seq) return
      swap(items, place, child)
      place = child
    }
  }
}

function seqAt(items: readonly OpDelivery[], place: number): number {
  return items[place]?.event.seq ?? Infinity
}

function swap(items: OpDelivery[], a: number, b: number): void {
  const [first, second] = [items[a], items[b]]
  if (first === undefined || second === undefined) return
  items[a] = second
  items[b] = first
}
