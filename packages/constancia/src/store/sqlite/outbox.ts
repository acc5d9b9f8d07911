import type { OutboxEntry, RunId } from '../../journal/index.js'
import type { OutboxQuery, OutboxRef, Page } from '../index.js'
import type { Database } from './driver.js'
import { cursorOf, limitOf } from './run-list.js'

/** The projection `outbox`: what runs have to tell each other and nobody has done yet. */
export interface OutboxTable {
  insert(streamNo: number, entry: OutboxEntry): void
  /** Takes an entry off; nothing happens if it is not there. */
  settle(ref: OutboxRef): void
  /** Whether the run of this stream still has something to tell another. */
  has(streamNo: number): boolean
  /** Whether an entry asks this run to end. */
  asksToEnd(run: RunId): boolean
  /** Entries, oldest first; see `Store.outbox`. */
  list(query: OutboxQuery): Page<OutboxEntry>
  /** Takes off whatever the run of this stream still has to tell. */
  remove(streamNo: number): void
  /** Takes off what runs have to tell each other. */
  clear(): void
}

interface OutboxRecord extends OutboxEntry {
  readonly id: number
}

const prefix = 'run/'
// Exactly what the indexes say, or they are of no use.
const forRuns = "kind <> 'notice'"
const forCallers = "kind = 'notice'"

/** Prepares the statements of the outbox. */
export function outboxTable(database: Database): OutboxTable {
  const insert = database.prepare('INSERT INTO outbox (stream, seq, kind, target) VALUES (?, ?, ?, ?)')
  const settle = database.prepare(
    'DELETE FROM outbox WHERE stream = (SELECT no FROM streams WHERE name = ?) AND seq = ?',
  )
  const has = database.prepare(`SELECT 1 FROM outbox WHERE stream = ? AND ${forRuns} LIMIT 1`)
  const remove = database.prepare('DELETE FROM outbox WHERE stream = ?')
  const wish = database.prepare("SELECT 1 FROM outbox WHERE kind = 'cancel' AND target = ? LIMIT 1")
  const lister = (isFor: string) =>
    database.prepare(`
    SELECT o.id, substr(s.name, ${prefix.length + 1}) AS run, o.seq, o.kind, o.target
    FROM outbox AS o JOIN streams AS s ON s.no = o.stream WHERE o.id > ? AND o.${isFor} ORDER BY o.id LIMIT ?`)
  const lists = { runs: lister(forRuns), caller: lister(forCallers) }
  return {
    insert: (streamNo, { seq, kind, target }) => void insert.run(streamNo, seq, kind, target),
    settle: ({ run, seq }) => void settle.run(prefix + run, seq),
    has: (streamNo) => has.get(streamNo) !== undefined,
    asksToEnd: (run) => wish.get(run) !== undefined,
    list: (query) => {
      const limit = limitOf(query.limit)
      const after = query.after === undefined ? 0 : cursorOf(query.after)
      const records = lists[query.to ?? 'runs'].all(after, limit + 1) as OutboxRecord[]
      const page = records.slice(0, limit)
      const next = records.length > limit ? String(page.at(-1)?.id) : undefined
      return { items: page.map(({ run, seq, kind, target }) => ({ run: run as RunId, seq, kind, target })), next }
    },
    remove: (streamNo) => void remove.run(streamNo),
    clear: () => database.exec(`DELETE FROM outbox WHERE ${forRuns}`),
  }
}
