import {
  type Contract,
  type Limits,
  type Logger,
  type OpenOptions,
  open,
  type Runtime,
  type StoreFactory,
  type WorkerOptions,
} from 'constancia'
import type { ScriptedClock } from 'constancia/testing'
import type { Parts } from '../../dist/engine/index.js'
import {
  type ClaimRef,
  type Clock,
  type Heartbeat,
  type HeartbeatOptions,
  type Store,
  systemClock,
} from '../../dist/store/index.js'

/** What a life differs in. */
export interface LifeOptions {
  readonly worker?: Partial<WorkerOptions> | false
  readonly limits?: Partial<Limits>
  readonly contract?: Contract
  /** Changes the store under this life, to make it fail or to look at what it is asked. */
  readonly meddle?: (store: Store) => Store
  /** This life crashes once a run's journal has so many events. */
  readonly crashAfter?: number
  readonly hold?: Parts['hold']
}

/** A line that the runtime logged. */
export interface Line {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

interface Birth {
  /** Undefined for real time. */
  readonly clock: ScriptedClock | undefined
  readonly factory: StoreFactory
  readonly options: LifeOptions
}

/**
 * One process, as far as its runtime can tell. A crash ends it at once: no call of its store ever answers again, no timer
 * and no turn of it comes, and its handle is gone.
 */
export class Life {
  readonly lines: Line[] = []
  readonly #birth: Birth
  readonly #timers = new Set<() => void>()
  readonly #beats = new Set<() => Promise<void>>()
  #runtime: Runtime | undefined
  #store: Store | undefined
  #dead = false
  #crash: Promise<void> | undefined
  #heartStopped = false

  constructor(birth: Birth) {
    this.#birth = birth
  }

  get runtime(): Runtime {
    if (this.#runtime === undefined) throw new Error('This life has not begun.')
    return this.#runtime
  }

  /** The store itself, past every fault. */
  get store(): Store {
    if (this.#store === undefined) throw new Error('This life has not begun.')
    return this.#store
  }

  get dead(): boolean {
    return this.#dead
  }

  readonly log: Logger = (level, message, fields) => {
    if (!this.#dead) this.lines.push({ level, message, fields })
  }

  /** Lines that flows logged. */
  get said(): string[] {
    return this.lines.filter(({ level }) => level === 'info').map(({ message }) => message)
  }

  readonly factory: StoreFactory = async (parts) => {
    this.#store = await this.#birth.factory(parts)
    const { meddle = (store) => store } = this.#birth.options
    return this.#mortal(meddle(this.#store))
  }

  get parts(): Partial<Parts> {
    const { hold } = this.#birth.options
    const immediate = (call: () => void): void => void setImmediate(() => this.#dead || call())
    return { clock: this.#clock, immediate, ...(hold === undefined ? {} : { hold }) }
  }

  async open(options: OpenOptions): Promise<void> {
    this.#runtime = await open(options)
  }

  /** Ends the process by force. Resolves, whoever asked first, when nothing that it began is under way in its store any more. */
  crash(): Promise<void> {
    this.#crash ??= this.#die()
    return this.#crash
  }

  async #die(): Promise<void> {
    this.#dead = true
    for (const disarm of this.#timers) disarm()
    await this.#store?.close()
  }

  /** From now on this process renews no lease, although it lives. */
  stopHeart(): void {
    this.#heartStopped = true
  }

  /** The heart beats once, in spite of everything. */
  async beat(): Promise<void> {
    for (const beat of this.#beats) await beat()
  }

  get #clock(): Clock {
    const clock = this.#birth.clock ?? systemClock
    const after = (delayMs: number, call: () => void): (() => void) => {
      if (this.#dead) return () => undefined
      const disarm = clock.after(delayMs, () => {
        this.#timers.delete(disarm)
        call()
      })
      this.#timers.add(disarm)
      return () => {
        this.#timers.delete(disarm)
        disarm()
      }
    }
    return { now: () => clock.now(), monotonic: () => clock.monotonic(), after }
  }

  #mortal(store: Store): Store {
    const { crashAfter = Number.POSITIVE_INFINITY } = this.#birth.options
    const alive = async <T>(call: () => Promise<T>, eventCount: (answer: T) => number = () => 0): Promise<T> => {
      if (this.#dead) await never
      const answer = await call().catch((error: unknown) => (this.#dead ? never : Promise.reject(error)))
      if (!this.#dead && eventCount(answer) >= crashAfter) await this.crash()
      if (this.#dead) await never
      return answer
    }
    const count = (answer: { readonly kind: string; readonly events?: readonly unknown[] }): number =>
      (answer.events?.at(-1) as { readonly seq: number } | undefined)?.seq ?? -1
    return {
      transactions: store.transactions,
      log: store.log,
      describe: () => store.describe(),
      create: (request) =>
        alive(
          () => store.create(request),
          (answer) => count(answer) + 1,
        ),
      append: (request) =>
        alive(
          () => store.append(request),
          (answer) => count(answer) + 1,
        ),
      decide: (request) => alive(() => store.decide(request)),
      record: (request) => alive(() => store.record(request)),
      approvals: (query) => alive(() => store.approvals(query)),
      suspend: (request) => alive(() => store.suspend(request)),
      claim: (request) => alive(() => store.claim(request)),
      read: (stream, range) => alive(() => store.read(stream, range)),
      renew: (claims, leaseMs) => alive(() => store.renew(claims, leaseMs)),
      release: (claim) => alive(() => store.release(claim)),
      run: (id) => alive(() => store.run(id)),
      runs: (query) => alive(() => store.runs(query)),
      outbox: (query) => alive(() => store.outbox(query)),
      purge: (request) => alive(() => store.purge(request)),
      announce: (note, forMs) => alive(() => store.announce(note, forMs)),
      depart: (id) => alive(() => store.depart(id)),
      workers: () => alive(() => store.workers()),
      openRuns: () => alive(() => store.openRuns()),
      rebuild: () => alive(() => store.rebuild()),
      mark: () => alive(() => store.mark()),
      pulse: () => alive(() => store.pulse()),
      missing: (heads) => alive(() => store.missing(heads)),
      hold: (reason) => alive(() => store.hold(reason)),
      quarantine: (parking) => alive(() => store.quarantine(parking)),
      watch: (listener) => store.watch((change) => void (this.#dead || listener(change))),
      heartbeat: (options) => this.#heartbeat(store, options),
      close: () => alive(() => store.close()),
    }
  }

  // Under scripted time leases are renewed by the scripted clock, whatever the store's own heart runs on.
  #heartbeat(store: Store, options: HeartbeatOptions): Heartbeat {
    if (this.#birth.clock === undefined) return store.heartbeat(options)
    const held = new Map<string, ClaimRef>()
    let disarm: (() => void) | undefined
    const beat = async (): Promise<void> => {
      const kept = await store.renew([...held.values()], options.leaseMs)
      for (const [id, claim] of held) {
        if (kept.some((one) => one.id === id)) continue
        held.delete(id)
        options.onLost(claim)
      }
    }
    const arm = (): void => {
      disarm ??= this.#clock.after(options.leaseMs / 3, () => {
        disarm = undefined
        if (!this.#heartStopped && held.size > 0) void beat().then(arm)
      })
    }
    const rest = (): void => {
      disarm?.()
      disarm = undefined
    }
    this.#beats.add(beat)
    return {
      hold: (claim) => {
        held.set(claim.id, claim)
        arm()
      },
      drop: (claim) => {
        held.delete(claim.id)
        if (held.size === 0) rest()
      },
      stop: async () => {
        held.clear()
        rest()
        this.#beats.delete(beat)
      },
    }
  }
}

const never = new Promise<never>(() => undefined)

/** A store that does some things in another way. */
export function overStore(real: Store, changes: Partial<Store>): Store {
  return {
    transactions: real.transactions,
    log: real.log,
    describe: () => real.describe(),
    create: (request) => real.create(request),
    append: (request) => real.append(request),
    decide: (request) => real.decide(request),
    record: (request) => real.record(request),
    approvals: (query) => real.approvals(query),
    suspend: (request) => real.suspend(request),
    claim: (request) => real.claim(request),
    read: (stream, range) => real.read(stream, range),
    renew: (claims, leaseMs) => real.renew(claims, leaseMs),
    release: (claim) => real.release(claim),
    run: (id) => real.run(id),
    runs: (query) => real.runs(query),
    outbox: (query) => real.outbox(query),
    purge: (request) => real.purge(request),
    announce: (note, forMs) => real.announce(note, forMs),
    depart: (id) => real.depart(id),
    workers: () => real.workers(),
    openRuns: () => real.openRuns(),
    rebuild: () => real.rebuild(),
    mark: () => real.mark(),
    pulse: () => real.pulse(),
    missing: (heads) => real.missing(heads),
    hold: (reason) => real.hold(reason),
    quarantine: (parking) => real.quarantine(parking),
    watch: (listener) => real.watch(listener),
    heartbeat: (options) => real.heartbeat(options),
    close: () => real.close(),
    ...changes,
  }
}
