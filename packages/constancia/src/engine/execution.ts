import { type Bodies, bodyOf, decodeValue, endOf, type StoredEvent } from '../journal/index.js'
import type { Claim, Rest, Store } from '../store/index.js'
import { admit } from './admission.js'
import { Appender } from './appender.js'
import type { AskRequest } from './ask.js'
import { runCancelled } from './cancellation.js'
import { BranchContext, type Words } from './context.js'
import { foreignAwait, neverAsked, objectionTo, type Parking, parkingError } from './divergence.js'
import { type Ending, endOfRun, warnOfUnawaited } from './ending.js'
import type { ExecutionEnd } from './execution-end.js'
import type { AnyFlow } from './flow.js'
import { Grace } from './grace.js'
import { type Addon, type GuardedRun, guardedRun, noAddon, type Pause } from './guard.js'
import type { Outcome } from './history.js'
import { tooLong, warnIfLong } from './history-length.js'
import type { Lease } from './lease.js'
import { readJournal } from './loading.js'
import type { Op } from './op.js'
import { OpHost } from './op-host.js'
import { Deferred, OpPromise } from './op-promise.js'
import { Ops } from './ops.js'
import type { Parts } from './parts.js'
import { Permissions } from './permissions.js'
import { deferredRest, faultRest, waitingRest } from './resting.js'
import { Turns } from './turns.js'
import { Underway } from './underway.js'
import { Waits } from './waits.js'

/** What an execution is made of. */
export interface ExecutionInput {
  readonly store: Store
  readonly claim: Claim
  readonly flow: AnyFlow
  readonly parts: Parts
  /** Milliseconds that a run which is to be parked waits for its attempts under way. */
  readonly graceMs: number
  /** How surely this owner has the run; undefined where nothing is executed. */
  readonly lease?: Lease | undefined
  /** Replays only: nothing is executed and nothing is written. */
  readonly isRehearsal?: boolean
  /** Called whenever this owner has written something. */
  readonly onWritten?: (() => void) | undefined
}

/**
 * One run under one claim: replays its journal, then advances it until it ends, rests or is taken away. It hands over what
 * is known, one outcome a turn; when nothing is left to hand over it starts what has no outcome; when all of that waits, it
 * suspends the run.
 */
export class Execution implements Words {
  readonly claim: Claim
  readonly parts: Parts
  readonly host: OpHost
  #guarded: GuardedRun | undefined
  readonly #addon: Addon
  readonly #ops: Ops
  readonly #permissions: Permissions
  readonly #flow: AnyFlow
  readonly #store: Store
  readonly #turns: Turns
  readonly #appender: Appender
  readonly #waits: Waits
  readonly #grace: Grace
  readonly #underway: Underway
  readonly #isRehearsal: boolean
  readonly #over = new Deferred<ExecutionEnd>()
  #readSignalCount = 0
  #started: Bodies['FlowStarted'] | undefined
  #current: Pick<Outcome, 'seq' | 'at'> | undefined
  #ending: Ending | undefined
  #parking: Parking | undefined
  #refusedAtSeq = -1
  #stage: 'loading' | 'going' | 'leaving' | 'over' = 'loading'
  #stopping = false

  constructor(input: ExecutionInput) {
    this.claim = input.claim
    this.parts = input.parts
    this.#store = input.store
    this.#flow = input.flow
    this.#addon = input.parts.governing?.addonOf(input.flow) ?? noAddon
    this.#ops = new Ops(this.#addon.bearing)
    this.#permissions = new Permissions({
      guard: this.#addon.guard,
      next: () => this.#ops.peekNext(),
      record: (op) => this.#ops.peek(op),
      run: () => this.#guarded,
      push: (addition) => this.#appender.push(addition),
    })
    this.#turns = new Turns(input.parts, { closed: () => this.#advance(), fault: (error) => this.#faulted(error) })
    this.#waits = new Waits(input.parts.clock, input.parts.governing?.basis)
    this.#underway = new Underway(input.parts.onAttempt)
    this.#isRehearsal = input.isRehearsal === true
    this.#grace = new Grace(input.parts.clock, input.graceMs)
    this.#appender = new Appender(
      { store: input.store, claim: input.claim, basis: input.parts.governing?.basis },
      {
        stored: (events, ops) => this.#learn(events, ops),
        written: () => input.onWritten?.(),
        lost: () => this.#finish({ kind: 'lost' }),
        fault: (error) => this.#faulted(error),
        idle: () => this.#advance(),
        readSignalCount: () => this.#readSignalCount,
      },
    )
    this.host = new OpHost({
      ...input,
      ops: this.#ops,
      appender: this.#appender,
      waits: this.#waits,
      underway: this.#underway,
      isOver: () => this.#isOver,
      isEnding: () => this.#ending !== undefined,
      guarded: () => this.#guarded,
      advance: () => this.#advance(),
      finish: (end) => this.#finish(end),
    })
  }

  /** Advances the run. Resolves when this execution is over; never rejects. */
  execute(): Promise<ExecutionEnd> {
    this.#load().catch((error: unknown) => this.#faulted(error))
    return this.#over.promise
  }

  /** Somebody outside may have appended: looks, if that is news. A rest that is under way finds out by itself. */
  poke(headSeq: number | undefined): void {
    if (this.#stage !== 'leaving') this.#appender.poke(headSeq)
  }

  /** Lets attempts that are under way end and be recorded, starts nothing more, and gives the run back. */
  stop(): void {
    this.#stopping = true
    this.#advance()
  }

  /** Whether a function of a step is under way. */
  get hasAttempts(): boolean {
    return this.#underway.attemptCount > 0
  }

  /** Ends at once: the claim is lost, or there is no time left. What is under way is aborted and counts for nothing. */
  abandon(kind: 'lost' | 'released'): void {
    this.#finish({ kind })
  }

  // What a context needs.

  get flow(): AnyFlow {
    return this.#flow
  }

  get patches(): readonly string[] {
    return this.#started?.patches ?? []
  }

  get nowMs(): number {
    return this.#current?.at ?? 0
  }

  get eventCount(): number {
    return (this.#current?.seq ?? 0) + 1
  }

  ask<T>(request: AskRequest<T>): Promise<T> {
    const parking = objectionTo(request, this.#turns.open, this.#ops.peek(request.op))
    if (parking !== undefined) this.#park(parking)
    // Nothing comes back to a flow whose run is parked: an error could be caught, and the flow would go on.
    if (this.#parking !== undefined || this.#stage === 'over') return new OpPromise<T>(() => undefined)
    return this.#ops.ask(request.op, request.make).promise
  }

  requireTurn(word: string): void {
    if (this.#turns.open && this.#stage === 'going') return
    throw this.park(foreignAwait(`ctx.${word} was called outside a turn`))
  }

  park(parking: Parking): Error {
    this.#park(parking)
    return parkingError(parking)
  }

  log(message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#ops.isReplay(this.#current?.seq ?? 0)) return
    this.parts.log('info', message, { run: this.claim.run, flow: this.#flow.name, ...fields })
  }

  // Advancing.

  async #load(): Promise<void> {
    const { first, head } = await readJournal(this.#store, this.claim.stream, (page) => {
      this.#ops.notePast(page)
      this.#learn(page, [])
    })
    this.#appender.startAt(head)
    if (first === undefined) return this.#finish({ kind: 'lost' })
    if (this.#isOver) return // By another owner, since it was claimed.
    this.#started = bodyOf(first, 'FlowStarted')
    const run = guardedRun(this.claim, first, this.#ops.present)
    this.#guarded = run
    const given = { store: this.#store, claim: this.claim, head, basis: this.parts.governing?.basis, run }
    const admission = this.#isRehearsal ? 'admitted' : await admit({ ...given, guard: this.#addon.guard })
    if (this.#isOver) return
    if (admission === 'ended') return this.#finish({ kind: 'ended' })
    this.#stage = 'going'
    if (admission === 'changed') return this.stop()
    this.#turns.run(() => this.#startFlow(first), this.#ops.unaskedCount)
  }

  #startFlow(started: StoredEvent): void {
    if (this.#stage !== 'going') return
    this.#current = { seq: started.seq, at: started.at }
    const settle = (ending: Ending): void => {
      if (!this.#turns.open) return this.#park(foreignAwait('The flow ended outside a turn'))
      if (this.#parking === undefined) this.#ending = ending
    }
    invoke(this.#flow, new BranchContext(this, ''), decodeValue(started.data ?? '')).then(
      (output) => settle({ output }),
      (error: unknown) => settle({ error }),
    )
  }

  // Made once: a run has thousands of turns.
  readonly #handOver = (): void => {
    if (this.#stage !== 'going') return
    const next = this.#ops.takeNext()
    if (next === undefined) return
    const { event, op } = next
    this.#current = { seq: event.seq, at: event.at }
    if (op === undefined) return this.#cancelOps()
    if (event.kind === 'SignalReceived') this.#readSignalCount += 1
    this.#waits.remove(op)
    op.receive(event)
  }

  // Whatever the flow waits for is over; what it asks for from now on is its clean-up.
  #cancelOps(): void {
    this.#underway.cancel(runCancelled(this.claim.run))
    for (const op of this.#ops.takeOpen()) {
      if (op.drains !== true) this.#waits.remove(op)
      // A function that has ended hears of nothing any more: what it began aside would say its words outside a turn.
      if (this.#ending === undefined) op.cancel(runCancelled(this.claim.run))
      else op.close()
    }
  }

  #learn(events: readonly StoredEvent[], ops: readonly (Op | undefined)[]): void {
    for (const [index, event] of events.entries()) this.#ops.learn(event, ops[index])
    const last = events.at(-1)
    if (last === undefined) return
    warnIfLong(this.parts, {
      run: this.claim.run,
      flow: this.#flow.name,
      eventCount: last.seq + 1,
      addedCount: events.length,
    })
    if (endOf(last.kind) !== undefined) return this.#finish({ kind: 'ended' })
    this.#advance()
  }

  #advance(): void {
    if (this.#stage !== 'going' || this.#turns.busy) return
    this.#underway.abortCancelled()
    // A run can be cancelled however long its journal is; nothing was said or begun since that stopped it.
    if (this.#parking?.code === 'history_too_long' && this.#ops.isCancelKnown) this.#parking = undefined
    if (this.#parking !== undefined || this.#stopping) return this.#leave()
    const { deferred } = this.#permissions
    if (deferred !== undefined && this.#ending === undefined) return this.#defer(deferred)
    if (this.#ending === undefined && this.#ops.hasNext) return this.#handOverNext()
    if (this.#ending !== undefined && this.#ops.takeCancel()) this.#cancelOps()
    const { stray } = this.#ops
    if (stray !== undefined) return this.#park(neverAsked(stray.op, stray.record))
    this.#goOn()
  }

  // What began before goes to its end; nothing else begins, and nothing is handed over, until somebody outside lets it.
  #defer(pause: Pick<Pause, 'op' | 'name'>): void {
    if (this.#isQuiet || this.#isRehearsal) return this.#rest(deferredRest(pause))
    this.#appender.catchUp()
  }

  #handOverNext(): void {
    const pause = this.#permissions.heldBack
    if (pause === undefined) return this.#turns.run(this.#handOver, this.#ops.unaskedCount)
    if (this.#isRehearsal) return this.#finish({ kind: 'replayed' })
    // What began before goes to its end first; nothing else begins.
    if (this.#isQuiet) this.#permissions.ask(pause)
  }

  // Everything that is known was handed over: what has no outcome begins, and when all of it waits, the run rests.
  #goOn(): void {
    const eventCount = this.#appender.head.seq + 1
    if (eventCount >= this.parts.limits.eventCountMax && this.#ending === undefined && !this.#ops.isCancelKnown)
      return this.#park(tooLong(eventCount))
    if (this.#isRehearsal) return this.#isIdle ? this.#park(nothingAsked) : this.#finish({ kind: 'replayed' })
    this.#cancelChildren()
    for (const op of this.#ops.takeUnstarted()) if ((!op.settled || op.drains === true) && this.#counts(op)) op.start()
    for (const op of this.#waits.takeDue(this.#counts)) op.onDue()
    const nextMs = this.#waits.nextMs(this.#counts)
    if (!this.#isQuiet) {
      this.#appender.catchUp()
      if (nextMs !== undefined) this.#waits.arm(nextMs, () => this.#advance())
      return
    }
    if (this.#ending !== undefined && this.#ops.isDone) return this.#writeEnd(this.#ending)
    if (this.#isIdle) return this.#park(nothingAsked)
    this.#rest(waitingRest(this.#ops.describeWaits(this.#counts), nextMs))
  }

  // Nobody waits for them any more, so they are to end; the run's own end waits for that.
  #cancelChildren(): void {
    for (const addition of this.#ops.takeChildCancellations(this.#ending !== undefined))
      this.#appender.push({ ...addition, op: undefined })
  }

  // Once the flow's function has ended its waits are closed; only its steps still go on.
  readonly #counts = (op: Op): boolean => this.#ending === undefined || op.hasEffect

  get #isOver(): boolean {
    return this.#stage === 'over'
  }

  get #isIdle(): boolean {
    return this.#ending === undefined && this.#ops.openCount === 0
  }

  get #isQuiet(): boolean {
    return this.#underway.isNothing && this.#appender.idle
  }

  #writeEnd(ending: Ending): void {
    const unawaited = this.#ops.unawaited()
    warnOfUnawaited(this.parts, this.claim.run, unawaited)
    const { head } = this.#appender
    const started = this.#started
    if (started === undefined) return
    const predecessor = { run: this.claim.run, started, ...this.#ops.legacy() }
    const { limits } = this.parts
    const facts = { flow: this.#flow.name, limits, unawaited, isCancelled: this.#ops.isCancelKnown, predecessor }
    // Whatever comes first may change how it ends: then it is decided anew.
    const wanted = (): boolean => this.#appender.head.seq === head.seq
    this.#appender.push({ op: undefined, wanted, ...endOfRun(ending, facts) })
  }

  #park(parking: Parking): void {
    this.#parking ??= parking
    if (this.#underway.attemptCount > 0) this.#grace.begin(() => this.#advance())
    this.#advance()
  }

  #leave(): void {
    for (const op of this.#ops.takePledged()) op.start()
    if (!this.#isQuiet && !(this.#grace.isOver && this.#appender.idle)) return
    if (this.#parking !== undefined) return this.#rest({ kind: 'stuck', ...this.#parking })
    this.#stage = 'leaving'
    this.#store.release(this.claim).then(
      () => this.#finish({ kind: 'released' }),
      (error: unknown) => this.#faulted(error),
    )
  }

  #rest(rest: Rest): void {
    if (this.#isRehearsal) return this.#finish(rest.kind === 'stuck' ? rest : { kind: 'replayed' })
    this.#stage = 'leaving'
    const head = this.#appender.head
    const request = { claim: this.claim, head, rest, readSignalCount: this.#readSignalCount }
    const answered = (done: boolean): void => {
      if (done) return this.#finish(rest.kind === 'stuck' ? rest : { kind: 'suspended' })
      // Something came, or the claim is lost: if reading on finds nothing, it was the claim.
      if (this.#refusedAtSeq === head.seq) return this.#finish({ kind: 'lost' })
      this.#refusedAtSeq = head.seq
      if (this.#stage === 'leaving') this.#stage = 'going'
      this.#appender.poke()
    }
    this.#store.suspend(request).then(answered, (error: unknown) => this.#faulted(error))
  }

  // A journal that cannot be read is no passing fault: the run is parked, as far as the store still takes that.
  #faulted(error: unknown): void {
    const rest = this.#stage === 'leaving' ? undefined : faultRest(error)
    if (rest === undefined) return this.#finish({ kind: 'fault', error })
    this.#rest(rest)
  }

  #finish(end: ExecutionEnd): void {
    if (this.#stage === 'over') return
    this.#stage = 'over'
    this.#appender.stop()
    this.#waits.disarm()
    this.#grace.disarm()
    this.#underway.abandon(end.kind)
    this.#over.resolve(end)
  }
}

const nothingAsked = foreignAwait('The flow neither ended nor asked for anything')

async function invoke(flow: AnyFlow, context: BranchContext, input: unknown): Promise<unknown> {
  return flow.run(context, input)
}
