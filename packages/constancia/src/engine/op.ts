import type { Draft, OpId, RunId } from '../journal/index.js'
import type { ClaimRef, WaitingFor, Within } from '../store/index.js'
import type { Attempt } from './attempt.js'
import type { GuardedRun } from './guard.js'
import type { OpRecord, Outcome, Verb } from './history.js'
import { Deferred } from './op-promise.js'
import type { Parts } from './parts.js'

/** What is decided at the moment of writing: events; or such, and what is done in their transaction and followed by what came of it. */
export type Ruling = readonly Draft[] | { readonly drafts: readonly Draft[]; readonly within: Within }

/** What an op needs from the execution that it is part of. */
export interface Host {
  readonly runId: RunId
  readonly claim: ClaimRef
  readonly parts: Parts
  /** What a guard is told of the run; undefined before its journal was read. */
  readonly guarded: GuardedRun | undefined
  /** What the journal has of another op; undefined if nothing. */
  peek(op: OpId): OpRecord | undefined
  /** Events of a layer above of this kind, whatever op they are about, in the order of the journal. */
  addedOf(kind: string): readonly Outcome[]
  /** Whether waits are closed, because the flow's function has ended. */
  readonly ending: boolean
  /** Writes what is no outcome; nothing holds it back, but for a wish to cancel that came first. */
  record(draft: Draft): void
  /**
   * Writes what is decided at the moment of writing, by what the basis of the run says then; nothing else is written with it.
   * It is dropped if nobody wants it any more when its turn comes.
   */
  decide(op: Op | undefined, decide: () => Ruling, wanted: () => boolean): void
  /** As `decide`, and always by the database's clock: what is decided in its transaction, because a moment decides it. */
  decideExactly(op: Op, decide: () => readonly Draft[], wanted: () => boolean): void
  /** Offers what came of an op to the journal; it is dropped if nobody wants it any more when its turn comes. */
  offer(op: Op, draft: Draft, wanted: () => boolean): void
  /** Calls the op's `onDue` once its `dueMs` has come. */
  wait(op: Op): void
  /** Hands the next unread signal of the op's name to it, when its turn comes. */
  awaitSignal(op: Op): void
  /** Whether a signal is there that this op is going to get. */
  hasSignalFor(op: Op): boolean
  /**
   * Goes on at once, or after a word with the store, while it is sure that nobody else has the run; never, where somebody has it.
   * A pause of the process right after that is not noticed.
   */
  whileOwned(goOn: () => void): void
  began(attempt: Attempt): void
  ended(attempt: Attempt): void
}

/** One word that the flow said: it waits for an outcome, and may have to do something to get it. */
export interface Op {
  readonly id: OpId
  readonly verb: Verb
  readonly name: string
  /** Whether its outcome was handed over. */
  readonly settled: boolean
  /** Whether anybody asked for its outcome. */
  readonly observed: boolean
  /** Whether the end of the run waits for its outcome, because it may have an effect under way. */
  readonly hasEffect: boolean
  /** Whether it goes on to its outcome although the flow was told that its run is cancelled. */
  readonly drains?: boolean
  /** Whether the journal says that this owner is about to do something: it does, although it stops. */
  readonly isPledged?: boolean
  /** When there is something to do for it, UTC milliseconds since 1970. */
  readonly dueMs: number | undefined
  /** Hands an outcome over to the flow; inside a turn only. */
  receive(event: Outcome): void
  /** Begins, or goes on after its record changed; outside turns only, when nothing is left to hand over. */
  start(): void
  onDue(): void
  /** Ends the op because its run is cancelled; inside a turn only. */
  cancel(reason: unknown): void
  /** Ends it without a word to the flow, which has ended before. */
  close(): void
  /** Takes what the journal has of it now. */
  learn(record: OpRecord): void
  /** What a list shows while the run rests. */
  describe(): WaitingFor
}

/** Where an op stands in its flow, and what the journal has of it. */
export interface OpPlace {
  readonly id: OpId
  readonly name: string
  readonly record: OpRecord | undefined
}

/** What every op has. */
export abstract class OpBase<T> {
  readonly id: OpId
  readonly name: string
  protected readonly host: Host
  readonly #deferred = new Deferred<T>()
  #record: OpRecord | undefined
  #settled = false

  constructor(host: Host, place: OpPlace) {
    this.host = host
    this.id = place.id
    this.name = place.name
    this.#record = place.record
  }

  get promise(): Promise<T> {
    return this.#deferred.promise
  }

  get settled(): boolean {
    return this.#settled
  }

  get observed(): boolean {
    return this.#deferred.promise.observed
  }

  /** What the journal has of it. */
  get recorded(): OpRecord | undefined {
    return this.#record
  }

  /** Takes what the journal has of it now. */
  learn(record: OpRecord): void {
    this.#record = record
  }

  cancel(reason: unknown): void {
    this.fail(reason)
  }

  close(): void {
    this.#settled = true
  }

  protected fulfil(value: T): void {
    this.#settled = true
    this.#deferred.resolve(value)
  }

  protected fail(reason: unknown): void {
    this.#settled = true
    this.#deferred.reject(reason)
  }
}
