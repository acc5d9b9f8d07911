import type { StoreFactory } from '../index.js'
import { migrations } from './migrations/index.js'

/** Where a store of SQLite is, or will be once it is opened. */
export interface SqlitePlace {
  /** Absolute path of the file. */
  readonly file: string
  /** The schema to which opening brings the file. */
  readonly schema: number
}

const files = new WeakMap<StoreFactory, () => string>()

/** Remembers where the store that a factory opens is; the path is worked out when somebody asks. */
export function remember<F extends StoreFactory>(factory: F, file: () => string): F {
  files.set(factory, file)
  return factory
}

/**
 * Where the store that `sqlite(...)` returned is, for tools that look at a file before they open it; undefined for the
 * factory of another store. Opens nothing.
 */
export function sqlitePlace(factory: StoreFactory): SqlitePlace | undefined {
  const file = files.get(factory)
  return file === undefined ? undefined : { file: file(), schema: migrations.length }
}
