import { storeError } from '../index.js'
import type { Database } from './driver.js'
import { migrations } from './migrations/index.js'

/** "CNST", in the header of each of our files. */
export const applicationId = 0x434e5354

/**
 * Brings the schema up to date, in one transaction; several processes may do it at once. Throws `store_too_new` for a
 * schema of a later version, faults of SQLite as they are; nothing is changed then.
 */
export function migrate(database: Database, file: string): void {
  if (schemaOf(database, file) === migrations.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Read again under the lock: another process may have been faster.
    const schema = schemaOf(database, file)
    for (const migration of migrations.slice(schema)) database.exec(migration)
    database.exec(`PRAGMA application_id=${applicationId}`)
    database.exec(`PRAGMA user_version=${migrations.length}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function schemaOf(database: Database, file: string): number {
  const { user_version: schema } = database.prepare('PRAGMA user_version').get() as { user_version: number }
  if (schema <= migrations.length) return schema
  throw storeError(
    'store_too_new',
    `${file} was written by a newer version of Constancia (schema ${schema}; this version knows ${migrations.length}). ` +
      'It was left as it is, and no run was touched. Install that version or a later one.',
  )
}
