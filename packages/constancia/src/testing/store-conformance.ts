import type { Store } from '../store/index.js'
import { claimCases } from './store-conformance/claims.js'
import { decisionCases } from './store-conformance/decisions.js'
import { heartbeatCases } from './store-conformance/heartbeats.js'
import { journalCases } from './store-conformance/journals.js'
import { lifeCases } from './store-conformance/life.js'
import { listCases } from './store-conformance/lists.js'
import { restCases } from './store-conformance/rests.js'
import { World } from './store-conformance/world.js'

/** A fresh store for one case, and the power over its surroundings. */
export interface StoreUnderTest {
  readonly store: Store
  /** Closes every handle and opens a new one on the same data. */
  reopen(): Promise<Store>
  /** Opens a further handle on the same data, beside those that are open. */
  another(): Promise<Store>
  /** What the store's clock shows, UTC milliseconds since 1970. It stands still but for {@link StoreUnderTest.advance}. */
  nowMs(): number
  /** Moves the store's clock, and calls the timers that are due then. */
  advance(ms: number): Promise<void>
  /** Closes what is open and deletes the data. */
  dispose(): Promise<void>
}

/** One promise of the interface `Store`. */
export interface ConformanceCase {
  /** A sentence that is false if the store breaks the promise. */
  readonly name: string
  /** Rejects with an `AssertionError` of `node:assert` then. */
  run(): Promise<void>
}

/** How the suite gets stores. */
export interface ConformanceOptions {
  /** Opens an empty store; called once for each case. */
  open(): Promise<StoreUnderTest>
}

/**
 * The suite that every store passes; it needs no test runner. Each case opens a store of its own and disposes of it:
 *
 *     for (const { name, run } of storeConformance({ open })) test(name, run)
 */
export function storeConformance(options: ConformanceOptions): readonly ConformanceCase[] {
  const all = {
    ...journalCases,
    ...claimCases,
    ...restCases,
    ...decisionCases,
    ...listCases,
    ...lifeCases,
    ...heartbeatCases,
  }
  return Object.entries(all).map(([name, check]) => ({
    name,
    run: async () => {
      const given = await options.open()
      try {
        await check(new World(given))
      } finally {
        await given.dispose()
      }
    },
  }))
}
