import type { Database } from './driver.js'

/** Which deliveries a line of runs has had; a line is known by the stream of its root. */
export interface InboxTable {
  has(rootNo: number, delivery: string): boolean
  /** Remembers a delivery that must be new. */
  insert(rootNo: number, delivery: string): void
  /** Remembers a delivery that the line may have had already: a run that takes over carries it on. */
  carryOver(rootNo: number, delivery: string): void
  /** Forgets what a line has had. */
  remove(rootNo: number): void
  /** Empties the table. */
  clear(): void
}

/** Prepares the statements of the inbox. */
export function inboxTable(database: Database): InboxTable {
  const select = database.prepare('SELECT 1 FROM inbox WHERE stream = ? AND delivery = ?')
  const insert = database.prepare('INSERT INTO inbox (stream, delivery) VALUES (?, ?)')
  const carryOver = database.prepare('INSERT OR IGNORE INTO inbox (stream, delivery) VALUES (?, ?)')
  const remove = database.prepare('DELETE FROM inbox WHERE stream = ?')
  return {
    has: (rootNo, delivery) => select.get(rootNo, delivery) !== undefined,
    insert: (rootNo, delivery) => void insert.run(rootNo, delivery),
    carryOver: (rootNo, delivery) => void carryOver.run(rootNo, delivery),
    remove: (rootNo) => void remove.run(rootNo),
    clear: () => database.exec('DELETE FROM inbox'),
  }
}
