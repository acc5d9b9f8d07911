import { existsSync } from 'node:fs'
import { sqlitePlace } from '../store/sqlite/index.js'
import type { FoundConfig } from './config.js'
import { cliError } from './errors.js'

/** Whether the database of a configuration is there; always true for one that is elsewhere. */
export function hasDatabase({ config }: FoundConfig): boolean {
  const place = sqlitePlace(config.store)
  return place === undefined || existsSync(place.file)
}

/** Throws `store_missing` rather than letting a database be made that nobody asked for. `remedy` says what to do. */
export function requireDatabase(found: FoundConfig, remedy: string): void {
  if (hasDatabase(found)) return
  const file = sqlitePlace(found.config.store)?.file
  throw cliError(
    'store_missing',
    `There is no database ${file}, which ${found.file} names. Nothing was done; ${remedy}.`,
  )
}
