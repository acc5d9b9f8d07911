import type { Runtime } from '../engine/index.js'
import { bodyOf, parseRunId, type RunId, rootRunId } from '../journal/index.js'
import type { EventCounts, FamilyFact, Reference } from './reference.js'

/** A signal that the kit sends once the journal has so many events. */
export interface ScriptedSignal {
  readonly name: string
  readonly payload?: unknown
  /**
   * It is sent as soon as those before it are and the journal of the run that gets it, those of runs that took over
   * included, has at least so many events; 1 unless set.
   */
  readonly afterEvents?: number
}

/** A signal to the run, or to one of its children. */
export interface AddressedSignal extends ScriptedSignal {
  /** The op that started the child, `0`; of a child of that one `0~2`. The run itself unless set. */
  readonly to?: string
}

/** That the run is cancelled once its journal has so many events; those of runs that took over count as well. */
export interface ScriptedCancel {
  readonly afterEvents: number
  /** Whether it ends without its flow. */
  readonly force?: boolean
}

/** What a script needs. */
export interface ScriptInput {
  readonly runtime: Runtime
  readonly root: RunId
  readonly signals: readonly AddressedSignal[]
  readonly cancel: ScriptedCancel | undefined
  /** Lets something rest that wants to; says whether anything did. */
  readonly rest: () => boolean
}

/**
 * The world outside, in one life: it sends signals and cancels, and does so again in the next life where it may have got no
 * answer.
 */
export class Script {
  readonly #input: ScriptInput
  readonly #sent = new Set<number>()
  #hasCancelled = false

  constructor(input: ScriptInput) {
    this.#input = input
  }

  /** Sends what is due by the number of events. Says whether it did anything. */
  sendDue(counts: EventCounts): boolean {
    const { signals, cancel, root } = this.#input
    const next = signals.findIndex((_, index) => !this.#sent.has(index))
    const signal = signals[next]
    if (signal !== undefined && (signal.afterEvents ?? 1) <= countOf(counts, this.#target(signal)))
      return this.#deliver(next)
    return cancel !== undefined && cancel.afterEvents <= countOf(counts, root) && this.#cancelInTime(cancel)
  }

  /** Sends what led to this fact, if it was something from outside. Says whether it did anything. */
  sendFor(fact: FamilyFact): boolean {
    const { cancel } = this.#input
    if (fact.fact.kind === 'SignalReceived') return this.#deliver(deliveryIndex(fact))
    return cancel !== undefined && this.#isOurCancel(fact) && this.#cancelInTime(cancel)
  }

  /** Whether the last answers arrived nobody knows after a crash: their senders send again. */
  sendAgain(reference: Reference, counts: EventCounts): void {
    const signal = reference.lastStored(counts, ({ fact }) => fact.kind === 'SignalReceived')
    if (signal !== undefined) this.#send(deliveryIndex(signal))
    const { cancel } = this.#input
    if (cancel === undefined || this.#hasCancelled) return
    if (reference.lastStored(counts, (fact) => this.#isOurCancel(fact)) !== undefined) this.#cancel(cancel)
  }

  // Every other signal comes while a run is about to rest, the others once it rests.
  #deliver(index: number): boolean {
    if (this.#sent.has(index)) return false
    if (index % 2 === 1 && this.#input.rest()) return true
    return this.#send(index)
  }

  // A sender that got no answer sends again, with the same delivery id: so does every life that follows.
  #send(index: number): boolean {
    const signal = this.#input.signals[index]
    if (signal === undefined || this.#sent.has(index)) return false
    this.#sent.add(index)
    const run = this.#input.runtime.run(this.#target(signal))
    run.signal(signal.name, signal.payload, { delivery: deliveryId(index) }).catch(() => undefined)
    return true
  }

  #cancelInTime(cancel: ScriptedCancel): boolean {
    if (this.#hasCancelled) return false
    if (cancel.afterEvents % 2 === 1 && this.#input.rest()) return true
    return this.#cancel(cancel)
  }

  #cancel({ force = false }: ScriptedCancel): boolean {
    this.#hasCancelled = true
    const { runtime, root } = this.#input
    runtime
      .run(root)
      .cancel({ reason: 'as the test says', force })
      .catch(() => undefined)
    return true
  }

  // A child is cancelled by its parent, not by us.
  #isOurCancel({ run, fact }: FamilyFact): boolean {
    if (rootRunId(run) !== this.#input.root) return false
    if (fact.kind === 'CancelRequested') return true
    return fact.kind === 'FlowCancelled' && bodyOf(fact, 'FlowCancelled').forced === true
  }

  #target({ to }: AddressedSignal): RunId {
    const { root } = this.#input
    return to === undefined ? root : parseRunId(`${root}~${to}`)
  }
}

/** The delivery id of the n-th scripted signal. */
export function deliveryId(index: number): string {
  return `signal-${index}`
}

function deliveryIndex({ fact }: FamilyFact): number {
  return Number(bodyOf(fact, 'SignalReceived').delivery.replace('signal-', ''))
}

/** How many events a line of runs has that took over from each other. */
export function countOf(counts: EventCounts, root: RunId): number {
  let sum = 0
  for (const [run, count] of counts) if (rootRunId(run) === root) sum += count
  return sum
}
