import type { RunId } from '../../journal/index.js'
import type { Purge } from '../index.js'
import { arrayOf } from './literals.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'

const lock = 'SELECT 1 FROM {schema}.runs WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE'

// Runs of a line take over from each other as they end: it is over with the last of them.
/** Of runs, those that have ended, whose line has, and that have nothing to tell another: their streams and ids. */
export const selectOver = `
  SELECT r.stream, r.id FROM {schema}.runs AS r
  WHERE r.id = ANY ($1::text[]) AND r.outcome <> 'open'
    AND NOT EXISTS (SELECT 1 FROM {schema}.outbox AS o WHERE o.stream = r.stream AND o.kind <> 'notice')
    AND NOT EXISTS (
      SELECT 1 FROM {schema}.runs AS root JOIN {schema}.runs AS last ON last.id = root.latest
      WHERE root.id = coalesce(r.root, r.id) AND last.outcome = 'open')`

const note = `
  INSERT INTO {schema}.purged (stream, head_seq, head_hash, outcome, ended_at, purged_at, by)
  SELECT stream, head_seq, head_hash, outcome, coalesce(ended_at, head_at), {schema}.now_ms(), $2
  FROM {schema}.runs WHERE stream = ANY ($1::bigint[])`

const removals = [
  'DELETE FROM {schema}.event_data WHERE stream = ANY ($1::bigint[])',
  'DELETE FROM {schema}.events WHERE stream = ANY ($1::bigint[])',
  'DELETE FROM {schema}.inbox AS i USING {schema}.runs AS r WHERE r.stream = ANY ($1::bigint[]) AND i.root = r.id',
  'DELETE FROM {schema}.outbox WHERE stream = ANY ($1::bigint[])',
  'DELETE FROM {schema}.approvals WHERE stream = ANY ($1::bigint[])',
  'DELETE FROM {schema}.runs WHERE stream = ANY ($1::bigint[])',
]

/** Deletes journals of runs that have ended; see `Store.purge`. */
export async function purge(session: Session, { runs, by }: Purge): Promise<{ purged: RunId[] }> {
  const purged = await session.patiently(() =>
    inTransaction(session, async (on) => {
      await on.query(session.sql(lock), [arrayOf(runs)])
      const over = await on.query(session.sql(selectOver), [arrayOf(runs)])
      if (over.length === 0) return []
      const streams = arrayOf(over.map(({ stream }) => Number(stream)))
      await on.query(session.sql(note), [streams, by])
      for (const sql of removals) await on.query(session.sql(sql), [streams])
      return on.commit(Promise.resolve(over.map(({ id }) => id as RunId)))
    }),
  )
  for (const run of purged) {
    session.tips.forget(run)
    session.watchers.tell([{ run, headSeq: undefined, due: false, outbox: false, isLoud: false }])
  }
  return { purged }
}
