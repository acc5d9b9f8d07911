import type { Database } from './driver.js'

/** Which deliveries a stream has had. */
export interface InboxTable {
  has(streamNo: number, delivery: string): boolean
  insert(streamNo: number, delivery: string): void
  /** Empties the table. */
  clear(): void
}

/** Prepares the statements of the inbox. */
export function inboxTable(database: Database): InboxTable {
  const select = database.prepare('SELECT 1 FROM inbox WHERE stream = ? AND delivery = ?')
  const insert = database.prepare('INSERT INTO inbox (stream, delivery) VALUES (?, ?)')
  return {
    has: (streamNo, delivery) => select.get(streamNo, delivery) !== undefined,
    insert: (streamNo, delivery) => void insert.run(streamNo, delivery),
    clear: () => database.exec('DELETE FROM inbox'),
  }
}
