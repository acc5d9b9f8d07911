import type { MoveState } from '../index.js'
import type { Database } from './driver.js'

/**
 * What is noted of a move. The table `moves` exists only where there is something to note, with one row. A file that was moved away has
 * triggers besides, which refuse every change: also to those who have it open, and to versions that know nothing of moves.
 */

/** How the triggers' refusal begins. */
export const sealedText = 'moved away'

const ofLog = ['log', 'log_leaves', 'log_tiles', 'log_checkpoints', 'log_attestations', 'log_owed']
const tables = ['streams', 'events', 'event_data', 'runs', 'inbox', 'outbox', 'purged', 'approvals', ...ofLog]
const changes = ['INSERT', 'UPDATE', 'DELETE']

/** Reads what is noted in a file, if anything is. Throws faults of SQLite as they are. */
export function moveStateOf(database: Database): MoveState | undefined {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'moves'").get()
  if (table === undefined) return undefined
  const row = database.prepare('SELECT kind, id, place, at FROM moves').get() as StateRow | undefined
  return row === undefined ? undefined : { kind: row.kind, id: row.id, place: row.place, atMs: row.at }
}

interface StateRow {
  readonly kind: MoveState['kind']
  readonly id: string
  readonly place: string
  readonly at: number
}

/** Notes this instead of whatever there is. To be called in a transaction. */
export function setMoveState(database: Database, { kind, id, place, atMs }: MoveState): void {
  clearMoveState(database)
  database.exec(
    'CREATE TABLE moves (kind TEXT NOT NULL, id TEXT NOT NULL, place TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
  )
  database.prepare('INSERT INTO moves (kind, id, place, at) VALUES (?, ?, ?, ?)').run(kind, id, place, atMs)
  if (kind !== 'moved') return
  for (const [name, table, change] of seals()) {
    database.exec(`CREATE TRIGGER ${name} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(FAIL, '${sealedText}'); END`)
  }
}

/** Takes the note off. To be called in a transaction. */
export function clearMoveState(database: Database): void {
  for (const [name] of seals()) database.exec(`DROP TRIGGER IF EXISTS ${name}`)
  database.exec('DROP TABLE IF EXISTS moves')
}

function seals(): (readonly [name: string, table: string, change: string])[] {
  return tables.flatMap((table) =>
    changes.map((change) => [`moved_${table}_${change.toLowerCase()}`, table, change] as const),
  )
}
