import type { Store } from '../store/index.js'

/** Something that works on a store for as long as a runtime is open, beside its worker. */
export interface Companion {
  /** Ends what it does, before the store is closed. Never rejects. */
  stop(): Promise<void>
}

/** Begins it, before anything runs; where it rejects, nothing is opened. */
export type StartCompanion = (store: Store) => Promise<Companion>
