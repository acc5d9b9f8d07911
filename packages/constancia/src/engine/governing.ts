import type { Store } from '../store/index.js'
import type { Basis } from './basis.js'
import type { Addon } from './guard.js'

/** A flow, as far as its name. */
export interface GovernedSubject {
  readonly name: string
  readonly version: number
}

/** A layer above that decides what runs may do. */
export interface Governing {
  /** What it decides from. */
  readonly basis: Basis
  /** Tells it the store, before anything runs. Throws where it cannot decide for it; nothing runs then. */
  attach(store: Store): void
  /** What it adds to runs of a flow. */
  addonOf(flow: GovernedSubject): Addon
  /**
   * The digest of the contract that a new run of this flow is bound to, null for a flow that is not governed. Rejects where it may not
   * be started; nothing was done then.
   */
  bind(flow: GovernedSubject, actor: string | null): Promise<string | null>
}
