import type { OutboxEntry, RunId } from '../../journal/index.js'
import type { OutboxQuery, OutboxRef, Page } from '../index.js'
import type { Database } from './driver.js'
import { cursorOf, limitOf } from './run-list.js'

/** The projection `outbox`: what runs have to tell each other and nobody has done yet. */
export interface OutboxTable {
  insert(streamNo: number, entry: OutboxEntry): void
  /** Takes an entry off; nothing happens if it is not there. */
  settle(ref: OutboxRef): void
  /** Whether the run of this stream still has something to tell. */
  has(streamNo: number): boolean
  /** Whether an entry asks this run to end. */
  asksToEnd(run: RunId): boolean
  /** Entries, oldest first; see `Store.outbox`. */
  list(query: OutboxQuery): Page<OutboxEntry>
  /** Empties the table. */
  clear(): void
}

interface OutboxRecord extends OutboxEntry {
  readonly id: number
}

const prefix = 'run/'

/** Prepares the statements of the outbox. */
export function outboxTable(database: Database): OutboxTable {
  const insert = database.prepare('INSERT INTO outbox (stream, seq, kind, target) VALUES (?, ?, ?, ?)')
  const settle = database.prepare(
    'DELETE FROM outbox WHERE stream = (SELECT no FROM streams WHERE name = ?) AND seq = ?',
  )
  const has = database.prepare('SELECT 1 FROM outbox WHERE stream = ? LIMIT 1')
  const wish = database.prepare("SELECT 1 FROM outbox WHERE kind = 'cancel' AND target = ? LIMIT 1")
  const list = database.prepare(`
    SELECT o.id, substr(s.name, ${prefix.length + 1}) AS run, o.seq, o.kind, o.target
    FROM outbox AS o JOIN streams AS s ON s.no = o.stream WHERE o.id > ? ORDER BY o.id LIMIT ?`)
  return {
    insert: (streamNo, { seq, kind, target }) => void insert.run(streamNo, seq, kind, target),
    settle: ({ run, seq }) => void settle.run(prefix + run, seq),
    has: (streamNo) => has.get(streamNo) !== undefined,
    asksToEnd: (run) => wish.get(run) !== undefined,
    list: (query) => {
      const limit = limitOf(query.limit)
      const after = query.after === undefined ? 0 : cursorOf(query.after)
      const records = list.all(after, limit + 1) as OutboxRecord[]
      const page = records.slice(0, limit)
      const next = records.length > limit ? String(page.at(-1)?.id) : undefined
      return { items: page.map(({ run, seq, kind, target }) => ({ run: run as RunId, seq, kind, target })), next }
    },
    clear: () => database.exec('DELETE FROM outbox'),
  }
}
