import type { Basis } from './basis.js'
import type { AnyFlow } from './flow.js'
import type { Addon } from './guard.js'

/** A layer above that decides what runs may do. */
export interface Governing {
  /** What it decides from. */
  readonly basis: Basis
  /** What it adds to runs of a flow. */
  addonOf(flow: AnyFlow): Addon
  /**
   * The digest of the contract that a new run of this flow is bound to, null for a flow that is not governed. Rejects where it may not
   * be started; nothing was done then.
   */
  bind(flow: AnyFlow, actor: string | null): Promise<string | null>
}
