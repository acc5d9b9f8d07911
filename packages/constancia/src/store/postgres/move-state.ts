import type { MoveState } from '../index.js'
import type { Connection } from './driver.js'

/**
 * What is noted of a move. The table `moves` is made when there is something to note, and whoever may use the schema reads it. A schema
 * that was moved away has triggers besides, which refuse every change: also to those who have it open, and to versions that
 * know nothing of moves.
 */

/** What the triggers' refusal is called. */
export const sealedState = 'CN001'

/** The tables that hold what is moved. */
export const movedTables = [
  ...['streams', 'events', 'event_data', 'runs', 'inbox', 'outbox', 'purged', 'approvals'],
  ...['log', 'log_leaves', 'log_tiles', 'log_checkpoints', 'log_attestations', 'log_owed'],
]

/** Where marks are read and written: a connection, and what puts the schema's name into a statement. */
export interface MovePlace {
  readonly on: Connection
  readonly sql: (text: string) => string
}

/** Reads what is noted in a schema, if anything is; also where there is no schema yet. Rejects with the driver's error. */
export async function moveStateOf({ on, sql }: MovePlace): Promise<MoveState | undefined> {
  if (!(await hasMoves({ on, sql }))) return undefined
  const [row] = await on.query(sql('SELECT m.kind, m.id, m.place, m.at FROM {schema}.moves AS m'))
  if (row === undefined) return undefined
  const kind = row['kind'] === 'moved' ? 'moved' : 'arriving'
  return { kind, id: String(row['id']), place: String(row['place']), atMs: Number(row['at']) }
}

/** Notes this instead of whatever there is. To be called in a transaction; readers do not wait for it. */
export async function setMoveState({ on, sql }: MovePlace, { kind, id, place, atMs }: MoveState): Promise<void> {
  await on.query(sql(makeTable))
  await clearMoveState({ on, sql })
  await on.query(sql('INSERT INTO {schema}.moves (kind, id, place, at) VALUES ($1, $2, $3, $4)'), [
    kind,
    id,
    place,
    atMs,
  ])
  if (kind === 'moved') await on.query(sql([refusal, ...movedTables.map(sealOf)].join('\n')))
}

const makeTable = `
  SET LOCAL client_min_messages = warning;
  CREATE TABLE IF NOT EXISTS {schema}.moves (kind text NOT NULL, id text NOT NULL, place text NOT NULL, at bigint NOT NULL);
  GRANT SELECT ON {schema}.moves TO PUBLIC`

const refusal = `
  CREATE OR REPLACE FUNCTION {schema}.refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $body$
  BEGIN
    RAISE EXCEPTION 'moved away: % of % refused', TG_OP, TG_TABLE_NAME USING ERRCODE = '${sealedState}';
  END $body$;`

function sealOf(table: string): string {
  return `
    CREATE OR REPLACE TRIGGER moved BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {schema}.${table}
      FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_moved();
    ALTER TABLE {schema}.${table} ENABLE ALWAYS TRIGGER moved;`
}

/** Takes the note off a schema that was not moved away. To be called in a transaction. */
export async function clearMoveState({ on, sql }: MovePlace): Promise<void> {
  if (await hasMoves({ on, sql })) await on.query(sql('DELETE FROM {schema}.moves'))
}

/** Lets writers in again. To be called in a transaction; readers wait for it. */
export async function unseal({ on, sql }: MovePlace): Promise<void> {
  const drops = movedTables.map((table) => `DROP TRIGGER IF EXISTS moved ON {schema}.${table};`)
  await on.query(sql(['SET LOCAL client_min_messages = warning;', ...drops].join('\n')))
}

async function hasMoves({ on, sql }: MovePlace): Promise<boolean> {
  const [found] = await on.query('SELECT to_regclass($1) IS NOT NULL AS has_moves', [sql('{schema}.moves')])
  return found?.['has_moves'] === true
}
