import type { Parts } from '../engine/index.js'
import {
  type Draft,
  defaultLimits,
  endOf,
  type OutboxEntry,
  type RunId,
  rootRunId,
  type StoredEvent,
  type StreamId,
} from '../journal/index.js'
import type {
  Append,
  Appended,
  Change,
  ClaimAnswer,
  ClaimRequest,
  Created,
  CreateRun,
  Decide,
  OutboxQuery,
  Page,
  RunRow,
  Store,
  StoreFactory,
  StoreParts,
  Suspend,
} from '../store/index.js'
import { around, type CallPoints } from './call-points.js'
import { type Held, isOfEffect, startedBy, toldBy } from './held.js'
import { heardBy, type Mortality, mortalWithin } from './mortal.js'
import { passing } from './passing.js'
import type { Fate, PointKind } from './places.js'
import type { ScriptedClock } from './scripted-clock.js'
import { type HeartHost, scriptedHeartbeat } from './scripted-heartbeat.js'
import { uniqueBytes } from './unique-bytes.js'

/** One life of a process, as the kit plays it. */
export interface WorldInput {
  readonly clock: ScriptedClock
  /** Opens a new handle on what the lives share. */
  readonly factory: StoreFactory
  /** Makes ids and salts unique among the lives of one trial. */
  readonly life: number
  /** The place, counted from 0, at which its fate strikes; undefined for a life without one. */
  readonly strikeAt: number | undefined
  readonly fate: Fate
  readonly leaseMs: number
  /** How long whoever has runs has been silent already, by the clock of leases alone. Milliseconds. */
  readonly silentMs: number
  /** The run from which all others come. */
  readonly root: RunId
  /** Called when this life owns a run for the first time; it waits until this is done. True if others wrote meanwhile. */
  readonly onOwner: () => Promise<boolean>
}

/**
 * One life of a process: its store, its timers, its turns. When its fate is a crash, all of it stops at once: no promise of
 * it ever settles again, no timer fires, and its handle on the store is gone.
 */
export class World {
  readonly parts: Parts
  readonly held: Held[] = []
  readonly pointKinds: PointKind[] = []
  readonly #input: WorldInput
  readonly #timers = new Set<() => void>()
  readonly #listeners = new Set<(change: Change) => void>()
  readonly #waiting: (() => void)[] = []
  readonly #resting: (() => void)[] = []
  #store: Store | undefined
  // Whom the entries of the outbox concern, oldest first.
  #outboxTargets: readonly RunId[] = []
  #busyCount = 0
  // Calls that the store has not answered.
  #askedCount = 0
  readonly #mortality: Mortality = {
    isDead: () => this.#dead,
    strike: () => this.#strikeIfDue('between an effect and its append'),
  }
  #attemptCount = 0
  #paused = false
  #dead = false
  #struck: PointKind | undefined
  #silentMs = 0
  #hasOwned = false
  #isOvertaken = false
  // By how much the store's clock is ahead while it decides whether a lease ran out: the flow must not see that time.
  #leadMs = 0
  /** Appends that were refused because another life owns their run. */
  refusedCount = 0
  /** What it did to a run although another life owns it. */
  usurpedCount = 0
  /** Resolves when the handle of a life that crashed is gone. */
  buried: Promise<void> = Promise.resolve()

  constructor(input: WorldInput) {
    this.#input = input
    this.parts = {
      clock: {
        now: () => input.clock.now(),
        // Its leases ran out while it stood still.
        monotonic: () => input.clock.monotonic() + (this.#isOvertaken ? input.leaseMs : 0),
        after: (delayMs, call) => this.#after(delayMs, call),
      },
      randomBytes: uniqueBytes(input.life),
      immediate: (call) => this.#immediate(call),
      hold: (run, draft) => this.#hold(run, draft),
      onAttempt: (phase) => {
        this.#attemptCount += phase === 'began' ? 1 : -1
      },
      limits: defaultLimits,
      governing: undefined,
      log: () => undefined,
      self: { host: 'kit', program: 'kit' },
    }
  }

  /** Where its fate struck; undefined while it has not. */
  get struck(): PointKind | undefined {
    return this.#struck
  }

  /** Whether it was ended by a crash. */
  get isDead(): boolean {
    return this.#dead
  }

  /** Whether the store has answered everything that it was asked. */
  get isAnswered(): boolean {
    return this.#askedCount === 0
  }

  /** Attempts of steps whose function has not returned. */
  get attemptCount(): number {
    return this.#attemptCount
  }

  /** Nothing is about to happen but what waits for time, for an outcome to be released, or for a step's function. */
  get isQuiet(): boolean {
    return this.#busyCount === 0
  }

  /** Opens the store of this life; pass it to `open`. */
  readonly factory = async (parts: StoreParts): Promise<Store> => {
    const clock = { ...parts.clock, now: () => parts.clock.now() + this.#leadMs }
    this.#store = await this.#input.factory({ ...parts, clock })
    const rows = await this.look()
    if (rows.some(({ claim }) => claim !== undefined)) this.#silentMs = this.#input.silentMs
    return this.#wrap(this.#store)
  }

  /** The run and all that came of it as they are stored now, past every fault that the kit plays. */
  async look(): Promise<readonly RunRow[]> {
    if (this.#dead || this.#store === undefined) return []
    return (await this.#store.runs({ idPrefix: this.#input.root, limit: 1_000 })).items
  }

  /** A stream as it is stored now, past every fault. */
  async stream(id: StreamId): Promise<readonly StoredEvent[]> {
    return this.#dead || this.#store === undefined ? [] : this.#store.read(id)
  }

  /** Whether no run has anything to tell another. */
  async isAllTold(): Promise<boolean> {
    if (this.#dead || this.#store === undefined) return false
    return (await this.#store.outbox({ limit: 1 })).items.length === 0
  }

  /** Fails what runs have to tell each other now and lets it be tried again. Says whether there was anything. */
  putOffDispatches(): boolean {
    const dispatches = this.held.filter(({ dispatchRank }) => dispatchRank !== undefined)
    for (const dispatch of dispatches) {
      this.held.splice(this.held.indexOf(dispatch), 1)
      dispatch.putOff()
    }
    if (dispatches.length > 0) this.#immediate(() => this.#hint())
    return dispatches.length > 0
  }

  /** Lets a run rest if one wants to; says whether one wanted to. */
  rest(): boolean {
    const release = this.#resting.shift()
    release?.()
    return release !== undefined
  }

  /** Ends this life as a crash does, wherever it is. Resolves when its handle on the store is gone. */
  async end(): Promise<void> {
    if (!this.#dead) this.#die()
    await this.buried
  }

  /** Lets a life that stands still go on, now that another owns its runs. It gets no run any more. */
  resume(): void {
    this.#isOvertaken = true
    this.#paused = false
    for (const go of this.#waiting.splice(0)) go()
  }

  #wrap(store: Store): Store {
    return {
      ...passing(store, (call) => this.#call({}, call)),
      transactions: store.transactions,
      log: store.log,
      describe: () => store.describe(),
      create: (request) => this.#create(store, request),
      append: (request) => this.#append(store, request),
      decide: (request) => this.#decide(store, request),
      suspend: (request) => this.#suspend(store, request),
      claim: (request) => this.#own(() => this.#claim(store, request)),
      outbox: (query) => this.#outbox(store, query),
      // A courtesy to people, of whom there are none here: it would only be more to wait for.
      announce: async () => undefined,
      depart: async () => undefined,
      watch: (listener) => this.#watch(store, listener),
      heartbeat: (options) => scriptedHeartbeat(this.#heartHost(store), options),
      close: () => store.close(),
    }
  }

  async #create(store: Store, request: CreateRun): Promise<Created> {
    const create = (): Promise<Created> => store.create(request)
    const leadsTo = startedBy(request)
    if (leadsTo === undefined) return this.#call(around('around the start'), create)
    await this.#holdBack({ ...leadsTo, dispatchRank: this.#rankOf(request.run) })
    return this.#call(around('around a dispatch'), create)
  }

  async #decide<T>(store: Store, request: Decide<T>): Promise<T> {
    const decide = (): Promise<T> => store.decide(request)
    const leadsTo = toldBy(request)
    if (leadsTo === undefined) {
      const isSignal = request.delivery !== undefined
      const other = request.basis === undefined ? 'around a cancellation' : 'around a vote'
      return this.#call(around(isSignal ? 'around a signal' : other), decide)
    }
    await this.#holdBack({ ...leadsTo, dispatchRank: this.#rankOf(request.run) })
    return this.#call(around('around a dispatch'), decide)
  }

  async #outbox(store: Store, query: OutboxQuery): Promise<Page<OutboxEntry>> {
    const page = await this.#call({}, () => store.outbox(query))
    this.#outboxTargets = page.items.map(({ target }) => rootRunId(target))
    return page
  }

  #rankOf(target: RunId): number {
    return this.#outboxTargets.indexOf(rootRunId(target))
  }

  async #claim(store: Store, request: ClaimRequest): Promise<ClaimAnswer> {
    if (this.#isOvertaken) return { claims: [], nextDueAtMs: undefined, setAside: [], nowMs: this.#input.clock.now() }
    this.#leadMs = this.#silentMs
    // Every crash is the kit's doing: no run is suspected of ending its workers, and held back from the others for it.
    const answer = await store.claim({ ...request, suspectCountMax: request.limit })
    this.#leadMs = 0
    if (answer.claims.length > 0) this.#silentMs = 0
    // A store is told a later time so that leases have run out; what is decided goes by the time that there is.
    return { ...answer, nowMs: this.#input.clock.now() }
  }

  // A life that stands still owns nothing, whatever the store answers it meanwhile.
  async #own(claim: () => Promise<ClaimAnswer>): Promise<ClaimAnswer> {
    const isOwner = ({ claims }: ClaimAnswer): boolean => claims.length > 0
    const answer = await this.#call({ after: 'around a claim', afterIf: isOwner }, claim)
    if (!isOwner(answer) || this.#hasOwned || this.#isOvertaken) return answer
    this.#hasOwned = true
    this.#busyCount += 1
    if (await this.#input.onOwner()) this.#hint()
    this.#busyCount -= 1
    return answer
  }

  #watch(store: Store, listener: (change: Change) => void): () => void {
    const listen = (change: Change): void => void (this.#dead || this.#paused || listener(change))
    this.#listeners.add(listen)
    const unwatch = store.watch(listen)
    return () => {
      this.#listeners.delete(listen)
      unwatch()
    }
  }

  // Another life changed something: a store in another process would tell.
  #hint(): void {
    for (const listen of this.#listeners) listen({ run: undefined, headSeq: undefined, due: true, outbox: true })
  }

  async #append(store: Store, request: Append): Promise<Appended> {
    // The engine offers an end to nobody, but beside what comes from outside it has its place like an outcome.
    const { claim, drafts } = request
    const [draft] = drafts
    const ends = drafts.some(({ kind }) => endOf(kind) !== undefined)
    if (ends && draft !== undefined) await this.#holdBack({ run: claim.run, draft, ends, dispatchRank: undefined })
    const points = { before: 'before an append', after: 'after an event is stored' } as const
    const mortal = mortalWithin(request, this.#mortality)
    const append = (): Promise<Appended> => this.#watched(store.append(mortal), ({ kind }) => kind === 'appended')
    const answer = await this.#call(points, append)
    if (answer.kind === 'claim_lost' || answer.kind === 'run_ended') this.refusedCount += 1
    return answer
  }

  async #suspend(store: Store, request: Suspend): Promise<boolean> {
    await new Promise<void>((release) => this.#resting.push(release))
    const suspend = (): Promise<boolean> => this.#watched(store.suspend(request), (done) => done)
    return this.#call(around('around a suspension'), suspend)
  }

  // What begins once another owns the run must be refused.
  async #watched<T>(change: Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
    const isOvertaken = this.#isOvertaken
    const answer = await change
    if (isOvertaken && isDone(answer)) this.usurpedCount += 1
    return answer
  }

  async #call<T>(points: CallPoints<T>, forward: () => Promise<T>): Promise<T> {
    this.#busyCount += 1
    try {
      await this.#passable()
      if (points.before !== undefined) await this.#point(points.before)
      this.#askedCount += 1
      const answered = forward().finally(() => void this.#askedCount--)
      const answer = await heardBy(this.#mortality, answered)
      await this.#passable()
      if (points.after !== undefined && (points.afterIf?.(answer) ?? true)) await this.#point(points.after)
      return answer
    } finally {
      this.#busyCount -= 1
    }
  }

  // A place where the fate may strike. A crash never returns from here, a pause returns when it is over.
  async #point(kind: PointKind): Promise<void> {
    this.#strikeIfDue(kind)
    await this.#passable()
  }

  #strikeIfDue(kind: PointKind): void {
    const index = this.pointKinds.push(kind) - 1
    if (index !== this.#input.strikeAt) return
    this.#struck = kind
    if (this.#input.fate === 'pause') this.#paused = true
    else this.#die()
  }

  #passable(): Promise<void> | undefined {
    if (this.#dead) return new Promise(() => undefined)
    return this.#paused ? new Promise((go) => this.#waiting.push(go)) : undefined
  }

  #die(): void {
    this.#dead = true
    for (const disarm of this.#timers) disarm()
    this.buried = this.#store?.close() ?? Promise.resolve()
  }

  #after(delayMs: number, call: () => void): () => void {
    if (this.#dead) return () => undefined
    const disarm = this.#input.clock.after(delayMs, () => {
      this.#timers.delete(disarm)
      this.#whenAwake(call)
    })
    this.#timers.add(disarm)
    return () => {
      this.#timers.delete(disarm)
      disarm()
    }
  }

  #immediate(call: () => void): void {
    this.#busyCount += 1
    setImmediate(() => {
      this.#busyCount -= 1
      this.#whenAwake(call)
    })
  }

  #whenAwake(call: () => void): void {
    if (this.#dead) return
    if (this.#paused) this.#waiting.push(call)
    else call()
  }

  #hold(run: RunId, draft: Draft): Promise<void> {
    if (isOfEffect(draft)) this.#strikeIfDue('between an effect and its append')
    return this.#holdBack({ run, draft, ends: false, dispatchRank: undefined })
  }

  #holdBack(what: Omit<Held, 'release' | 'putOff'>): Promise<void> {
    return new Promise((release, reject) => {
      const putOff = (): void => reject(new Error('The store did not answer, as the crash kit wants it.'))
      this.held.push({ ...what, release, putOff })
    })
  }

  #heartHost(store: Store): HeartHost {
    return { store, isDead: () => this.#dead, after: (delayMs, call) => this.#after(delayMs, call) }
  }
}
