import type { RunId } from '../journal/index.js'

/** What became of the runs that a worker held when it was told to drain. Those that ended or came to rest meanwhile are not in it. */
export interface Drained {
  /** Given back between their steps: another worker goes on with them at once. */
  readonly givenBack: readonly RunId[]
  /** Given back when the grace was over, with an attempt under way: that step is executed again, with the same key. */
  readonly cutOff: readonly RunId[]
  /** The store did not answer: another worker goes on with them once their leases have run out. */
  readonly notGivenBack: readonly RunId[]
}

/** The same while it is gathered. */
export type Draining = { readonly [K in keyof Drained]: RunId[] }
