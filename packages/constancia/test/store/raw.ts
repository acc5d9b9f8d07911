import { type Database, loadDriver } from '../../dist/store/sqlite/driver.js'

/** A connection of somebody who does not use the store: a person with a shell. */
export function rawConnection(file: string): Database {
  return loadDriver().open(file)
}
