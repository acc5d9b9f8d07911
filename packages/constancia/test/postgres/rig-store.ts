import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { StoreFactory } from 'constancia'
import { postgres } from 'constancia/postgres'
import type { ScriptedClock } from 'constancia/testing'
import type pg from 'pg'
import type { ClaimAnswer, ClaimRequest, Store } from '../../dist/store/index.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { scriptClock } from './under-test.js'

// So much later the store asks to be asked again where others have locked all that is due.
const lockedAgainMs = 200
const calls = { count: 0, total: 0 }

/** A schema of its own for a rig, whose database shows the time of a scripted clock where there is one. */
export class RigDatabase {
  readonly #schema = newSchema()
  readonly #clock: ScriptedClock | undefined
  #raw: Promise<pg.Client> | undefined
  #shownMs: number | undefined

  constructor(clock: ScriptedClock | undefined) {
    this.#clock = clock
  }

  readonly factory: StoreFactory = async (parts) => {
    const url = await databaseUrl()
    const store = await postgres({ url, schema: this.#schema })(parts)
    if (this.#clock !== undefined) this.#raw ??= this.#script(url)
    await this.#showTime()
    return this.#counted(store)
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

  async #showTime(): Promise<void> {
    const nowMs = this.#clock?.now()
    if (nowMs === undefined || nowMs === this.#shownMs) return
    this.#shownMs = nowMs
    await (await this.#raw)?.query(`UPDATE "${this.#schema}".scripted SET ms = $1`, [nowMs])
  }

  // A worker that is told that more is due looks again at once; where time stands still it would wait for ever.
  async #claim(store: Store, request: ClaimRequest): Promise<ClaimAnswer> {
    const answer = await store.claim(request)
    const { claims, setAside, nextDueAtMs } = answer
    const afterMs = nextDueAtMs === undefined || this.#clock === undefined ? Infinity : nextDueAtMs - this.#clock.now()
    const isMore = afterMs <= 0 || afterMs === lockedAgainMs
    if (!isMore || claims.length >= request.limit) return answer
    await pause(1)
    const next = await this.#claim(store, { ...request, limit: request.limit - claims.length })
    return {
      claims: [...claims, ...next.claims],
      setAside: [...setAside, ...next.setAside],
      nextDueAtMs: next.nextDueAtMs,
    }
  }

  // Every call shows the time first, and is counted while it is under way.
  #counted(store: Store): Store {
    const counted = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        calls.count += 1
        calls.total += 1
        try {
          if (this.#clock !== undefined && this.#clock.now() !== this.#shownMs) await this.#showTime()
          return await call(...args)
        } finally {
          calls.count -= 1
        }
      }
    }
    return {
      describe: () => store.describe(),
      create: counted((request) => store.create(request)),
      append: counted((request) => store.append(request)),
      decide: counted((request) => store.decide(request)) as Store['decide'],
      suspend: counted((request) => store.suspend(request)),
      claim: counted((request) => this.#claim(store, request)),
      read: counted((stream, range) => store.read(stream, range)),
      renew: counted((claims, leaseMs) => store.renew(claims, leaseMs)),
      release: counted((claim) => store.release(claim)),
      run: counted((id) => store.run(id)),
      runs: counted((query) => store.runs(query)),
      outbox: counted((query) => store.outbox(query)),
      purge: counted((request) => store.purge(request)),
      rebuild: counted(() => store.rebuild()),
      watch: (listener) => store.watch(listener),
      heartbeat: (options) => store.heartbeat(options),
      close: counted(() => store.close()),
    }
  }
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
