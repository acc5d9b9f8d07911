import type { Limits } from '../journal/index.js'
import { type Loss, MarkedStore, type Store, type StoreFactory } from '../store/index.js'
import type { LogLevel } from './log.js'
import type { Parts } from './parts.js'

/** What a store is opened with. */
export interface StoreOpening {
  readonly store: StoreFactory
  /** A file beside the database that notices when the database has lost its newest part. */
  readonly mark?: string
  readonly limits?: Partial<Limits>
}

/** A store, and what it has lost where somebody watches over that. */
export interface OpenedStore {
  readonly store: Store
  readonly loss?: () => Promise<Loss | undefined>
}

/** Opens a store, with its mark where it has one. Rejects with faults of the store, each of which says what to do. */
export async function openStore(
  { store: factory, mark }: StoreOpening,
  { clock, randomBytes, limits, log }: Pick<Parts, 'clock' | 'randomBytes' | 'limits' | 'log'>,
): Promise<OpenedStore> {
  const warn = (message: string): void => log('warn', message, {})
  const store = await factory({ clock, randomBytes, limits, warn })
  if (mark === undefined) return { store }
  const tell = (level: LogLevel, message: string): void => log(level, message, {})
  try {
    const marked = await MarkedStore.open({ store, path: mark, clock, randomBytes, tell })
    return { store: marked, loss: () => marked.loss() }
  } catch (error) {
    await store.close()
    throw error
  }
}
