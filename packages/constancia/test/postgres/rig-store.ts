import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { StoreFactory } from 'constancia'
import type { PostgresOptions } from 'constancia/postgres'
import type { CrashDisk } from 'constancia/testing'
import type { ClaimAnswer, ClaimRequest, Clock, Store } from '../../dist/store/index.js'
import { takeSchema, type UsedSchema } from './used-schemas.js'

// So much later the store asks to be asked again where others have locked all that is due.
const lockedAgainMs = 200
const calls = { count: 0, total: 0 }

/** A schema for one test, whose database shows the time of the clock of whoever asks, where that is scripted. */
export class RigDatabase {
  readonly #time: UsedSchema['time']
  readonly #options: PostgresOptions
  #schema: Promise<UsedSchema> | undefined
  #shownMs: number | undefined

  constructor(time: UsedSchema['time'], listen?: false) {
    this.#time = time
    this.#options = { connectionCountMax: 3, ...(listen === undefined ? {} : { listen }) }
  }

  readonly factory: StoreFactory = async (parts) => {
    this.#schema ??= takeSchema(this.#time)
    const schema = await this.#schema
    const store = await schema.factory(this.#options)(parts)
    await this.#showTime(parts.clock)
    return this.#counted(store, parts.clock)
  }

  async dispose(): Promise<void> {
    const schema = this.#schema
    this.#schema = undefined
    await (await schema)?.giveBack()
  }

  get #isScripted(): boolean {
    return this.#time === 'scripted'
  }

  async #showTime(clock: Clock): Promise<void> {
    const nowMs = clock.now()
    if (!this.#isScripted || nowMs === this.#shownMs) return
    this.#shownMs = nowMs
    await (await this.#schema)?.show(nowMs)
  }

  // A worker that is told that more is due looks again at once; where time stands still it would wait for ever.
  async #claim(store: Store, request: ClaimRequest, clock: Clock): Promise<ClaimAnswer> {
    const answer = await store.claim(request)
    const { claims, setAside, nextDueAtMs } = answer
    const afterMs = nextDueAtMs === undefined || !this.#isScripted ? Infinity : nextDueAtMs - clock.now()
    const isMore = afterMs <= 0 || afterMs === lockedAgainMs
    if (!isMore || claims.length >= request.limit) return answer
    await pause(1)
    const next = await this.#claim(store, { ...request, limit: request.limit - claims.length }, clock)
    return {
      claims: [...claims, ...next.claims],
      setAside: [...setAside, ...next.setAside],
      nextDueAtMs: next.nextDueAtMs,
      nowMs: next.nowMs,
    }
  }

  // Every call shows the time first, and is counted while it is under way.
  #counted(store: Store, clock: Clock): Store {
    let openCount = 0
    const counted = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        openCount += 1
        calls.count += 1
        calls.total += 1
        try {
          if (this.#isScripted && clock.now() !== this.#shownMs) await this.#showTime(clock)
          return await call(...args)
        } finally {
          openCount -= 1
          calls.count -= 1
        }
      }
    }
    return {
      transactions: store.transactions,
      log: store.log,
      describe: () => store.describe(),
      create: counted((request) => store.create(request)),
      append: counted((request) => store.append(request)),
      decide: counted((request) => store.decide(request)) as Store['decide'],
      record: counted((request) => store.record(request)),
      suspend: counted((request) => store.suspend(request)),
      claim: counted((request) => this.#claim(store, request, clock)),
      read: counted((stream, range) => store.read(stream, range)),
      renew: counted((claims, leaseMs) => store.renew(claims, leaseMs)),
      release: counted((claim) => store.release(claim)),
      run: counted((id) => store.run(id)),
      runs: counted((query) => store.runs(query)),
      approvals: counted((query) => store.approvals(query)),
      outbox: counted((query) => store.outbox(query)),
      purge: counted((request) => store.purge(request)),
      announce: counted((note, forMs) => store.announce(note, forMs)),
      depart: counted((id) => store.depart(id)),
      workers: counted(() => store.workers()),
      openRuns: counted(() => store.openRuns()),
      rebuild: counted(() => store.rebuild()),
      mark: counted(() => store.mark()),
      pulse: counted(() => store.pulse()),
      missing: counted((heads) => store.missing(heads)),
      hold: counted((reason) => store.hold(reason)),
      quarantine: counted((parking) => store.quarantine(parking)),
      watch: (listener) => store.watch(listener),
      heartbeat: (options) => store.heartbeat(options),
      // A call that still shows the time has not reached the store, which waits for what has.
      close: async () => {
        while (openCount > 0) await setImmediate()
        await store.close()
      },
    }
  }
}

/** What survives a crash, in a schema that is empty at first. Lives come one after the other: what one tells no other has to hear. */
export async function postgresCrashDisk(): Promise<CrashDisk> {
  const database = new RigDatabase('scripted', false)
  return { factory: database.factory, dispose: () => database.dispose() }
}

/** Waits until no call of any such store is under way, and none follows from what they answered. */
export async function quiet(): Promise<void> {
  if (calls.total === 0) return
  const endMs = performance.now() + 4_000
  for (let spins = 0; spins < 12 && performance.now() < endMs; spins += 1) {
    await setImmediate()
    if (calls.count > 0) spins = -1
    // What one tells another comes over a connection of its own.
    else if (spins === 6) await pause(2)
  }
}
