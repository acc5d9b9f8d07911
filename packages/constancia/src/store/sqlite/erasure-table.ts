import { type ErasedTexts, lawfulKinds } from '../index.js'
import type { Database } from './driver.js'

/** What carries texts that are to go. */
export interface ErasureTable {
  /** Whether a contract is among these events. */
  holdsLaw(streamNo: number, texts: ErasedTexts): boolean
  /** Overwrites texts and salts with zeros. Refused by the database unless the last event of `governance` is an `Erased` that names them. */
  erase(texts: readonly { readonly streamNo: number; readonly from: number; readonly to: number }[]): void
}

/** Prepares the statements that erase. */
export function erasureTable(database: Database): ErasureTable {
  const kinds = lawfulKinds.map((kind) => `'${kind}'`).join(', ')
  const law = database.prepare(
    `SELECT 1 FROM events WHERE stream = ? AND seq BETWEEN ? AND ? AND kind IN (${kinds}) LIMIT 1`,
  )
  const remove = database.prepare(
    'DELETE FROM event_data WHERE event IN (SELECT id FROM events WHERE stream = ? AND seq BETWEEN ? AND ?)',
  )
  return {
    holdsLaw: (streamNo, { from, to }) => law.get(streamNo, from, to) !== undefined,
    erase: (texts) => {
      // Else what was deleted stays in the pages until something else is written over it.
      database.exec('PRAGMA secure_delete=ON')
      try {
        for (const { streamNo, from, to } of texts) remove.run(streamNo, from, to)
      } finally {
        database.exec('PRAGMA secure_delete=OFF')
      }
    },
  }
}
