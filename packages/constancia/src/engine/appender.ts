import { type Draft, type Head, headOf, type StoredEvent, verifyChain } from '../journal/index.js'
import type { Append, Appended, Claim, CreateRun, Store } from '../store/index.js'
import { type Basis, decidedFrom, seenBy } from './basis.js'
import { type Decided as Answer, decideExactly, isToBeExact } from './decision.js'
import type { Op, Ruling } from './op.js'

/** What an appender tells its execution. */
export interface AppenderHooks {
  /** Events that are durable now, in the order of the journal; with the op of each where we wrote them. */
  readonly stored: (events: readonly StoredEvent[], ops: readonly (Op | undefined)[]) => void
  /** What we wrote is durable. */
  readonly written: () => void
  /** Another owner has the run, or it has ended: stop at once. */
  readonly lost: () => void
  readonly fault: (error: unknown) => void
  /** Nothing is left to write. */
  readonly idle: () => void
  readonly readSignalCount: () => number
}

/** What is to be appended: a draft, or what is decided when it is about to be written. */
export type Addition = Known | Decided

interface Known extends AdditionBase {
  readonly draft: Draft
  /** The run that takes over, where this ends the run. */
  readonly successor?: CreateRun | undefined
}

/** Decided by what the basis says; written alone, so that no two decisions miss each other. */
interface Decided extends AdditionBase {
  readonly decide: () => Ruling
  /** Whether only the database's clock may decide it. */
  readonly isExact?: boolean
}

interface AdditionBase {
  /** The op that it came of, where it is about one. */
  readonly op: Op | undefined
  /** Asked when it is about to be written. */
  readonly wanted: () => boolean
}

/** Where an appender writes. */
export interface AppenderInput {
  readonly store: Store
  readonly claim: Claim
  readonly basis: Basis | undefined
}

type Refusable =
  | Extract<Appended, { readonly kind: 'appended' }>
  | { readonly kind: Exclude<Appended['kind'], 'appended'> }

const soon = Promise.resolve()

/**
 * Writes a run's events one append at a time, and reads on where somebody outside wrote first. Written without `await`:
 * each step of each run comes through here, and every promise less is time for it.
 */
export class Appender {
  readonly #store: Store
  readonly #claim: Claim
  readonly #basis: Basis | undefined
  readonly #hooks: AppenderHooks
  #head: Head
  #pending: Addition[] = []
  /** What is being written. */
  #batch: readonly Addition[] = []
  /** The ops of the drafts in it. */
  #written: readonly (Op | undefined)[] = []
  // Until it is told where to start.
  #busy = true
  /** The last event that is said to be stored, as far as nothing was read since. */
  #toldSeq = -1
  /** How often in a row the basis of a decision had grown. */
  #moveCount = 0
  #stopped = false

  constructor({ store, claim, basis }: AppenderInput, hooks: AppenderHooks) {
    this.#store = store
    this.#claim = claim
    this.#basis = basis
    this.#hooks = hooks
    this.#head = claim.head
  }

  /** The last event known to be stored. */
  get head(): Head {
    return this.#head
  }

  /** Whether nothing is being written, waits to be, or is being read. */
  get idle(): boolean {
    return !this.#busy && this.#pending.length === 0
  }

  /** Sets where the journal ends, once it was read; from now on it reads and writes. */
  startAt(head: Head): void {
    this.#head = head
    this.#busy = false
    this.#readIfBehind()
  }

  /** Appends a draft soon, together with what else is there by then, unless `wanted` says no at that moment. */
  push(addition: Addition): void {
    this.#pending.push(addition)
    if (!this.#busy && this.#pending.length === 1) void soon.then(this.#begin)
  }

  /** Somebody may have appended up to this event, or nobody knows how far: reads on, unless something is being written. */
  poke(headSeq = Number.POSITIVE_INFINITY): void {
    this.#toldSeq = Math.max(this.#toldSeq, headSeq)
    this.#readIfBehind()
  }

  /**
   * Nothing is going to be written for a while. What was being written when word of an event came may have been stored
   * before that event, and did not show it.
   */
  catchUp(): void {
    if (this.#toldSeq > this.#head.seq) void soon.then(() => this.#readIfBehind())
  }

  /** Writes nothing more, and tells nothing more. */
  stop(): void {
    this.#stopped = true
  }

  readonly #begin = (): void => {
    if (this.#busy || this.#stopped) return
    this.#busy = true
    this.#write()
  }

  #write(): void {
    const batch = this.#takeBatch()
    this.#batch = batch
    const [first] = batch
    if (first !== undefined && 'decide' in first) return this.#writeDecided(first)
    const known = batch as readonly Known[]
    const successor = known.at(-1)?.successor
    this.#append(known.map(draftIn), known.map(opIn), successor === undefined ? undefined : { successor })
  }

  #writeDecided(item: Decided): void {
    const ruling = item.decide()
    const { drafts, within } = 'within' in ruling ? ruling : { drafts: ruling, within: undefined }
    const basis = this.#basis
    // What is done in a transaction of the store is decided right before.
    if (drafts.length > 0 && !this.#stopped && basis !== undefined && within === undefined) {
      if (item.isExact === true || isToBeExact(basis, this.#moveCount)) return this.#decide(item, basis)
    }
    const ops = drafts.map(() => item.op)
    this.#append(drafts, ops, { ...(within === undefined ? {} : { within }), ...decidedFrom(basis) })
  }

  #append(drafts: readonly Draft[], ops: readonly (Op | undefined)[], more: Partial<Append> | undefined): void {
    if (drafts.length === 0 || this.#stopped) {
      if (this.#pending.length > 0 && !this.#stopped) return this.#write()
      return this.#rest()
    }
    this.#toldSeq = -1 // If there is such an event, this is refused.
    this.#written = ops
    const request: Append = {
      claim: this.#claim,
      head: this.#head,
      drafts,
      seen: seenBy(this.#basis),
      readSignalCount: this.#hooks.readSignalCount(),
    }
    const whole = more === undefined ? request : { ...request, ...more }
    this.#store.append(whole).then(this.#answered, this.#failed)
  }

  #decide({ decide }: Decided, basis: Basis): void {
    const draftsNow = (): readonly Draft[] | undefined => {
      const ruling = decide()
      return 'within' in ruling ? undefined : ruling
    }
    const given = { store: this.#store, claim: this.#claim, basis, head: this.#head, decide: draftsNow }
    decideExactly(given).then(this.#decided, this.#failed)
  }

  readonly #decided = (answer: Answer): void => {
    if (answer.kind !== 'decided') return this.#answered(answer)
    this.#moveCount = 0
    if (answer.count === 0) return this.#write()
    this.#tell(this.#hooks.written)
    this.#readOn()
  }

  // All that is known up to the next decision, or that decision alone.
  #takeBatch(): readonly Addition[] {
    const wanted = this.#pending.filter(isWanted)
    const decided = wanted.findIndex(isDecided)
    const count = decided === -1 ? wanted.length : Math.max(1, decided)
    this.#pending = count === wanted.length ? [] : wanted.slice(count)
    return count === wanted.length ? wanted : wanted.slice(0, count)
  }

  readonly #answered = (answer: Refusable): void => {
    try {
      this.#take(answer)
    } catch (error) {
      this.#failed(error)
    }
  }

  #take(answer: Refusable): void {
    switch (answer.kind) {
      case 'appended':
        this.#moveCount = 0
        this.#tell(this.#hooks.written)
        this.#accept(answer.events, this.#written)
        // Its texts may be large, and the next may be long in coming.
        this.#batch = []
        this.#written = []
        return this.#pending.length > 0 ? this.#write() : this.#rest()
      case 'head_conflict':
        this.#pending = [...this.#batch, ...this.#pending]
        return this.#readOn()
      case 'basis_moved':
        this.#moveCount += 1
        this.#pending = [...this.#batch, ...this.#pending]
        this.#basis?.catchUp().then(this.#writeAgain, this.#failed)
        return
      case 'claim_lost':
      case 'run_ended':
        this.#tell(this.#hooks.lost)
        return this.#rest()
    }
  }

  readonly #writeAgain = (): void => this.#write()

  readonly #failed = (error: unknown): void => {
    this.#tell(() => this.#hooks.fault(error))
    this.#rest()
  }

  #readIfBehind(): void {
    if (!this.idle || this.#stopped || this.#toldSeq <= this.#head.seq) return
    this.#busy = true
    this.#readOn()
  }

  // Whatever waits is written afterwards.
  #readOn(): void {
    this.#toldSeq = -1
    const accept = (events: readonly StoredEvent[]): void => {
      verifyChain(this.#claim.stream, this.#head, events)
      this.#accept(events, [])
      this.#write()
    }
    this.#store
      .read(this.#claim.stream, { fromSeq: this.#head.seq + 1 })
      .then(accept)
      .catch(this.#failed)
  }

  #rest(): void {
    this.#busy = false
    this.#tell(this.#hooks.idle)
  }

  #accept(events: readonly StoredEvent[], ops: readonly (Op | undefined)[]): void {
    const last = events.at(-1)
    if (last === undefined) return
    this.#head = headOf(last)
    this.#tell(() => this.#hooks.stored(events, ops))
  }

  #tell(tell: () => void): void {
    if (!this.#stopped) tell()
  }
}

const isWanted = (item: Addition): boolean => item.wanted()
const isDecided = (item: Addition): boolean => 'decide' in item
const draftIn = ({ draft }: Known): Draft => draft
const opIn = ({ op }: Known): Op | undefined => op
