import { type Database, loadDriver, resultCodeOf } from '../../dist/store/sqlite/driver.js'

/** A connection of somebody who does not use the store: a person with a shell. */
export function rawConnection(file: string): Database {
  return loadDriver().open(file)
}

/** Whether nobody holds the lock of a file for good; whoever is at work lets go of it by itself. */
export function isWritable(file: string): boolean {
  const database = rawConnection(file)
  try {
    database.exec('PRAGMA busy_timeout = 200; BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch (error) {
    if (resultCodeOf(error) === 5) return false
    throw error
  } finally {
    database.close()
  }
}
