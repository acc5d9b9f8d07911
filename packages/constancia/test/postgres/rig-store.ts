import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { StoreFactory } from 'constancia'
import { postgres } from 'constancia/postgres'
import type { CrashDisk } from 'constancia/testing'
import type pg from 'pg'
import type { ClaimAnswer, ClaimRequest, Clock, Store } from '../../dist/store/index.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { scriptClock } from './under-test.js'

// So much later the store asks to be asked again where others have locked all that is due.
const lockedAgainMs = 200
const calls = { count: 0, total: 0 }

/** A schema of its own, whose database shows the time of the clock of whoever asks, where that is scripted. */
export class RigDatabase {
  readonly #schema = newSchema()
  readonly #isScripted: boolean
  #raw: Promise<pg.Client> | undefined
  #shownMs: number | undefined

  constructor(time: 'scripted' | 'real') {
    this.#isScripted = time === 'scripted'
  }

  readonly factory: StoreFactory = async (parts) => {
    const url = await databaseUrl()
    const store = await postgres({ url, schema: this.#schema })(parts)
    if (this.#isScripted) this.#raw ??= this.#script(url)
    await this.#showTime(parts.clock)
    return this.#counted(store, parts.clock)
  }

  async dispose(): Promise<void> {
    await (await this.#raw)?.end()
    await dropSchema(this.#schema)
  }

  async #script(url: string): Promise<pg.Client> {
    const raw = await rawConnection(url)
    await scriptClock(raw, this.#schema)
    return raw
  }

  async #showTime(clock: Clock): Promise<void> {
    const nowMs = clock.now()
    if (!this.#isScripted || nowMs === this.#shownMs) return
    this.#shownMs = nowMs
    await (await this.#raw)?.query(`UPDATE "${this.#schema}".scripted SET ms = $1`, [nowMs])
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

/** What survives a crash, in a schema of its own. */
export async function postgresCrashDisk(): Promise<CrashDisk> {
  const database = new RigDatabase('scripted')
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
