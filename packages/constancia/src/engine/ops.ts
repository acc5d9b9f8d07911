import { bodyOf, type Draft, type OpId, Restriction, type StoredEvent } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { Children } from './children.js'
import type { GuardedRun } from './guard.js'
import { type Delivery, Handover } from './handover.js'
import { type Bearing, History, type OpRecord, type Outcome, outcomeOf } from './history.js'
import type { Op } from './op.js'
import type { Predecessor } from './successor.js'

// A list shows no more than this; a run may wait for thousands of things.
const waitingForMax = 20

/** What the flow of one run has asked for, and what its journal says of that. Does nothing by itself. */
export class Ops {
  readonly #handover = new Handover()
  readonly #history: History
  readonly #children = new Children()
  readonly #restriction = new Restriction()
  // Said by the flow and not handed back yet.
  readonly #open = new Map<OpId, Op>()
  // Ops without an outcome: the end waits for those that have an effect under way.
  readonly #pending = new Map<OpId, Op>()
  readonly #failed: Op[] = []
  #unstarted: Op[] = []
  // Calls whose children were asked to end; that may not be stored yet.
  readonly #dismissed = new Set<OpId>()
  #isCancelKnown = false

  constructor(bearing: Bearing) {
    this.#history = new History(bearing)
  }

  /** How many are open. */
  get openCount(): number {
    return this.#open.size
  }

  /** Whether every step has its outcome and every child has ended. */
  get isDone(): boolean {
    for (const op of this.#pending.values()) if (op.hasEffect) return false
    return this.#children.openCount === 0
  }

  /** Whether somebody wants the run to end. */
  get isCancelKnown(): boolean {
    return this.#isCancelKnown
  }

  /** Whether that was not handed over yet. */
  get isCancelPending(): boolean {
    return this.#handover.isCancelPending
  }

  /** How many ops the journal has that the flow has not asked for yet: while there are any, this is a replay. */
  get unaskedCount(): number {
    return this.#history.unaskedCount
  }

  /** Something that the journal has and the flow did not ask for, if there is such a thing. */
  get stray(): { readonly op: OpId; readonly record: OpRecord } | undefined {
    return this.#history.stray
  }

  /** Notes where owners of the run wrote, in what is stored when a claim is taken. */
  notePast(events: readonly StoredEvent[]): void {
    this.#history.notePast(events)
  }

  /** Whether code that runs on this outcome ran before, as far as the journal tells. */
  isReplay(seq: number): boolean {
    return this.#history.isReplay(seq)
  }

  /** Events of a layer above of this kind, in the order of the journal. */
  addedOf(kind: string): readonly Outcome[] {
    return this.#history.addedOf(kind)
  }

  /** What a guard is told of the run that changes while it goes on. */
  readonly present: Pick<GuardedRun, 'addedOf' | 'isCancelled' | 'restriction'> = {
    restriction: this.#restriction,
    addedOf: (kind) => this.#history.addedOf(kind),
    isCancelled: () => this.#isCancelKnown,
  }

  /** What the journal has of an op. */
  peek(op: OpId): OpRecord | undefined {
    return this.#history.peek(op)
  }

  /** Takes in what the flow asks for now, which is made from what the journal has of it. */
  ask<T extends Op>(id: OpId, make: (record: OpRecord | undefined) => T): T {
    const record = this.#history.ask(id)
    const op = make(record)
    this.#open.set(op.id, op)
    if (record?.outcome !== undefined) this.#offerOutcome(record.outcome, op)
    else {
      this.#unstarted.push(op)
      this.#pending.set(op.id, op)
    }
    return op
  }

  awaitSignal(op: Op): void {
    this.#handover.awaitSignal(op)
  }

  hasSignalFor(op: Op): boolean {
    return this.#handover.hasSignalFor(op)
  }

  /** What is left to whoever takes over: signals that nobody has read, in the order of the journal, and what people decided. */
  legacy(): Pick<Predecessor, 'unread' | 'restriction'> {
    return { unread: this.#handover.unreadSignals(), restriction: this.#restriction.facts }
  }

  /** Takes the next event of the journal; with its op where we wrote it ourselves. */
  learn(event: StoredEvent, op: Op | undefined): void {
    // What the body of our own outcome says is known, and nobody asks the history for it.
    if (op !== undefined && !op.settled && event.kind === 'StepCompleted') this.#offerOutcome(event, op)
    else this.#learn(event)
  }

  #learn(event: StoredEvent): void {
    if (event.kind === 'SignalReceived')
      this.#handover.offerSignal(bodyOf(event, 'SignalReceived').name, outcomeOf(event))
    if (event.kind === 'CancelRequested' && !this.#isCancelKnown) {
      this.#isCancelKnown = true
      this.#handover.offerCancel(outcomeOf(event))
    }
    this.#children.add(event)
    this.#restriction.add(event)
    const noted = this.#history.add(event)
    const op = noted === undefined ? undefined : (this.#open.get(noted.op) ?? this.#pending.get(noted.op))
    if (noted === undefined || op === undefined) return
    op.learn(noted.record)
    if (noted.isOutcome) this.#offerOutcome(event, op)
    else this.#unstarted.push(op)
  }

  #offerOutcome(event: Outcome, op: Op): void {
    this.#pending.delete(op.id)
    if (event.kind === 'StepFailed') this.#failed.push(op)
    this.#handover.offer(event, op)
  }

  /** Whether something is known that somebody waits for. */
  get hasNext(): boolean {
    return this.#handover.peek() !== undefined
  }

  /** What is to be handed over next, which stays where it is. */
  peekNext(): Delivery | undefined {
    return this.#handover.peek()
  }

  /** Takes what is to be handed over next. */
  takeNext(): Delivery | undefined {
    const next = this.#handover.take()
    if (next?.op === undefined) return next
    this.#open.delete(next.op.id)
    this.#pending.delete(next.op.id) // Of a signal that came there is no outcome of its own.
    if (next.event.kind === 'StepCompleted' || next.event.kind === 'ChildEnded') this.#history.forget(next.op.id)
    return next
  }

  /** Takes the wish to cancel although the flow has ended. False if there is none that was not taken. */
  takeCancel(): boolean {
    return this.#handover.takeCancel() !== undefined
  }

  /** Takes everything that is open: nobody waits for its outcome any more. */
  takeOpen(): Op[] {
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const op of this.#pending.values()) if (op.drains !== true) this.#pending.delete(op.id)
    this.#unstarted = this.#unstarted.filter(({ drains }) => drains === true)
    return open
  }

  /** Takes what was asked for, or whose record changed, and did not begin since. */
  takeUnstarted(): Op[] {
    const unstarted = this.#unstarted
    this.#unstarted = []
    return unstarted
  }

  /** Takes of these what is done although nothing else begins any more. */
  takePledged(): Op[] {
    const pledged = this.#unstarted.filter(({ isPledged }) => isPledged === true)
    if (pledged.length > 0) this.#unstarted = this.#unstarted.filter((op) => !pledged.includes(op))
    return pledged
  }

  /** Takes what asks children to end that nobody waits for, each with what says whether it is still to be asked. */
  takeChildCancellations(hasEnded: boolean): { readonly draft: Draft; readonly wanted: () => boolean }[] {
    if (!hasEnded && !this.#isCancelKnown) return []
    const isToStay = (op: OpId): boolean => this.#dismissed.has(op) || (!hasEnded && this.#open.has(op))
    const cancellations = this.#children.cancellations(isToStay)
    for (const { op } of cancellations) this.#dismissed.add(op)
    return cancellations.map(({ op, draft }) => ({ draft, wanted: () => this.#children.isToCancel(op) }))
  }

  /** What the run waits for, as a list shows it. */
  describeWaits(counts: (op: Op) => boolean): WaitingFor[] {
    const draining = [...this.#pending.values()].filter((op) => !this.#open.has(op.id) && op.drains === true)
    const waits = [...this.#open.values(), ...draining].filter(counts).slice(0, waitingForMax)
    const known = new Set<string>(waits.map(({ id }) => id))
    const children = this.#children.describe().filter(({ op }) => !known.has(op))
    return [...waits.map((op) => op.describe()), ...children].slice(0, waitingForMax)
  }

  /** The failures that nobody ever asked for, in the order of the journal: a replay learns of them in the order of the flow. */
  unawaited(): OpId[] {
    const seqOf = (op: OpId): number => this.#history.peek(op)?.outcome?.seq ?? Number.POSITIVE_INFINITY
    const ids = this.#failed.filter((op) => !op.observed).map((op) => op.id)
    return ids.sort((a, b) => seqOf(a) - seqOf(b))
  }
}
