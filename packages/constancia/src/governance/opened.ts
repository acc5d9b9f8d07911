import { randomBytes } from 'node:crypto'
import { openStore, stderrLogger } from '../engine/index.js'
import { defaultLimits } from '../journal/index.js'
import { type Store, systemClock } from '../store/index.js'
import type { Config } from './config.js'
import { type Governance, governanceOn } from './governance.js'
import { LawBook } from './law-book.js'

/** Governance on a store of its own. */
export interface OpenedGovernance {
  readonly governance: Governance
  readonly store: Store
  /** Closes the store. */
  close(): Promise<void>
}

/**
 * Opens a store to govern it: to change roles, put contracts in force, and take what people decide; no flow runs here. Amended
 * inputs and stated outputs are checked by the actions of the contract at hand, where there is one. Rejects with faults of the store.
 */
export async function openGovernance(config: Config): Promise<OpenedGovernance> {
  const { contract, log = stderrLogger } = config
  const clock = systemClock
  const limits = { ...defaultLimits, ...config.limits }
  const random = (count: number): Uint8Array => randomBytes(count)
  const { store } = await openStore(config, { clock, randomBytes: random, limits, log })
  if (config.evidence !== undefined) {
    const { knowCheckpoint } = await import('../evidence/log/index.js')
    await knowCheckpoint(store)
  }
  const book = new LawBook(store, clock)
  const governance = governanceOn({ store, book, contract, clock, limits, randomBytes: random })
  return { governance, store, close: () => store.close() }
}
