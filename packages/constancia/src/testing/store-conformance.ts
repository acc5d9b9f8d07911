import { approvalCases } from './store-conformance/approvals.js'
import { claimCases } from './store-conformance/claims.js'
import { decisionCases } from './store-conformance/decisions.js'
import { erasureCases } from './store-conformance/erasures.js'
import type { MovableUnderTest, StoreUnderTest } from './store-conformance/given.js'
import { heartbeatCases } from './store-conformance/heartbeats.js'
import { journalCases } from './store-conformance/journals.js'
import { lifeCases } from './store-conformance/life.js'
import { limitCases } from './store-conformance/limits.js'
import { lineCases } from './store-conformance/lines.js'
import { listCases } from './store-conformance/lists.js'
import { logCases } from './store-conformance/logs.js'
import { markCases } from './store-conformance/marks.js'
import { inMemory, MovableWorld, moveCases } from './store-conformance/moves.js'
import { newsCases } from './store-conformance/news.js'
import { noticeCases } from './store-conformance/notices.js'
import { outboxCases } from './store-conformance/outboxes.js'
import { priorityCases } from './store-conformance/priorities.js'
import { purgeCases } from './store-conformance/purges.js'
import { raceCases } from './store-conformance/races.js'
import { rebuildCases } from './store-conformance/rebuilds.js'
import { restCases } from './store-conformance/rests.js'
import { setAsideCases } from './store-conformance/set-asides.js'
import { streamCases } from './store-conformance/streams.js'
import { transactionCases } from './store-conformance/transactions.js'
import { workerCases } from './store-conformance/workers.js'
import { World } from './store-conformance/world.js'

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
    ...outboxCases,
    ...noticeCases,
    ...lineCases,
    ...limitCases,
    ...priorityCases,
    ...setAsideCases,
    ...purgeCases,
    ...erasureCases,
    ...rebuildCases,
    ...markCases,
    ...workerCases,
    ...streamCases,
    ...raceCases,
    ...newsCases,
    ...approvalCases,
    ...transactionCases,
    ...logCases,
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

/** How the suite of moves gets stores. */
export interface MoveConformanceOptions {
  /** Opens an empty store; called once for each case. */
  open(): Promise<MovableUnderTest>
}

/** The suite that every store passes that can be moved; see {@link storeConformance}. The other store of each case is one in memory. */
export function moveConformance(options: MoveConformanceOptions): readonly ConformanceCase[] {
  return Object.entries(moveCases).map(([name, check]) => ({
    name,
    run: async () => {
      const given = await options.open()
      try {
        await check(new MovableWorld(given), new MovableWorld(await inMemory(given)))
      } finally {
        await given.dispose()
      }
    },
  }))
}
