import type { Draft, OpId, RunId } from '../journal/index.js'
import type { Claim } from '../store/index.js'
import type { Appender } from './appender.js'
import type { Attempt } from './attempt.js'
import type { ExecutionEnd } from './execution-end.js'
import type { GuardedRun } from './guard.js'
import type { OpRecord, Outcome } from './history.js'
import type { Lease } from './lease.js'
import type { Host, Op, Ruling } from './op.js'
import type { Ops } from './ops.js'
import type { Parts } from './parts.js'
import type { Underway } from './underway.js'
import type { Waits } from './waits.js'

/** What ops reach of the execution that they are part of. */
export interface OpHostInput {
  readonly claim: Claim
  readonly parts: Parts
  readonly ops: Ops
  readonly appender: Appender
  readonly waits: Waits
  readonly underway: Underway
  readonly lease?: Lease | undefined
  readonly isOver: () => boolean
  readonly isEnding: () => boolean
  readonly guarded: () => GuardedRun | undefined
  /** Looks what is to be done next. */
  readonly advance: () => void
  readonly finish: (end: ExecutionEnd) => void
}

/** The execution of a run, as its ops see it. */
export class OpHost implements Host {
  readonly #input: OpHostInput

  constructor(input: OpHostInput) {
    this.#input = input
  }

  get runId(): RunId {
    return this.#input.claim.run
  }

  get claim(): Claim {
    return this.#input.claim
  }

  get parts(): Parts {
    return this.#input.parts
  }

  get guarded(): GuardedRun | undefined {
    return this.#input.guarded()
  }

  get ending(): boolean {
    return this.#input.isEnding()
  }

  peek(op: OpId): OpRecord | undefined {
    return this.#input.ops.peek(op)
  }

  addedOf(kind: string): readonly Outcome[] {
    return this.#input.ops.addedOf(kind)
  }

  record(draft: Draft): void {
    this.#input.appender.push({ draft, op: undefined, wanted: this.#isNotCancelled })
  }

  decide(op: Op | undefined, decide: () => Ruling, isWanted: () => boolean): void {
    this.#input.appender.push({ decide, op, wanted: () => this.#isToBeWritten(op) && isWanted() })
  }

  decideExactly(op: Op, decide: () => readonly Draft[], isWanted: () => boolean): void {
    const wanted = (): boolean => this.#isToBeWritten(op) && isWanted()
    this.#input.appender.push({ decide, isExact: true, op, wanted })
  }

  offer(op: Op, draft: Draft, isWanted: () => boolean): void {
    const { parts, appender, underway } = this.#input
    const wanted = (): boolean => this.#isToBeWritten(op) && isWanted()
    const held = parts.hold(this.runId, draft)
    if (held === undefined) return appender.push({ draft, op, wanted })
    underway.hold(held, () => appender.push({ draft, op, wanted }))
  }

  // Between a wish to cancel and the turn that hands it over nothing is written: whoever was asked before gets no outcome.
  readonly #isNotCancelled = (): boolean => !this.#input.ops.isCancelPending

  // But for what came of an effect, which must not stay unknown.
  #isToBeWritten(op: Op | undefined): boolean {
    return op?.drains === true || this.#isNotCancelled()
  }

  wait(op: Op): void {
    this.#input.waits.add(op)
  }

  awaitSignal(op: Op): void {
    this.#input.ops.awaitSignal(op)
  }

  hasSignalFor(op: Op): boolean {
    return this.#input.ops.hasSignalFor(op)
  }

  whileOwned(goOn: () => void): void {
    const { lease, underway, isOver, finish } = this.#input
    if (isOver()) return
    if (lease === undefined || lease.isSure) return goOn()
    const renewed = lease.renew().then(
      (isKept) => void (isKept || finish({ kind: 'lost' })),
      (error: unknown) => finish({ kind: 'fault', error }),
    )
    underway.hold(renewed, () => this.whileOwned(goOn))
  }

  began(attempt: Attempt): void {
    this.#input.underway.began(attempt)
  }

  ended(attempt: Attempt): void {
    this.#input.underway.ended(attempt)
    this.#input.advance()
  }
}
