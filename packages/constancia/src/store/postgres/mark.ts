import type { RunId } from '../../journal/index.js'
import { epochLeap, type Mark, type NotedHead, type Parking, stuckBefore, type Term } from '../index.js'
import type { Row } from './driver.js'
import { arrayOf } from './literals.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'

const select = `
  SELECT m.id, m.server, m.pulse, m.at, m.accepted, m.held, {schema}.server() AS now_serving
  FROM {schema}.marks AS m ORDER BY m.no`

// In one statement all of it is looked for in the same moment, also what is purged meanwhile.
const selectMissing = `
  SELECT i.place FROM unnest($1::text[], $2::integer[], $3::text[]) WITH ORDINALITY AS i (run, seq, hash, place)
  LEFT JOIN {schema}.streams AS s ON s.name = 'run/' || i.run
  WHERE NOT EXISTS (SELECT 1 FROM {schema}.events AS e WHERE e.stream = s.no AND e.seq = i.seq
      AND (i.hash = '' OR encode(e.hash, 'hex') = i.hash))
    AND NOT EXISTS (SELECT 1 FROM {schema}.purged AS p WHERE p.stream = s.no)
  ORDER BY i.place`

// The same sentence as `parkedMessage`.
const park = `
  WITH parked AS (
    UPDATE {schema}.runs AS r SET status = 'stuck', due_at = NULL, wake_at = NULL, waiting_for = NULL, claim_id = NULL, worker = NULL,
      lost_leases = 0, epoch = r.epoch + ${epochLeap}, stuck_code = CASE WHEN r.stuck_code = 'poison' THEN r.stuck_code ELSE $1 END,
      stuck_message = $2 || CASE WHEN r.stuck_code IS NULL OR r.stuck_code = $1 THEN ''
        ELSE '${stuckBefore}' || r.stuck_code || ': ' || coalesce(r.stuck_message, '') END
    WHERE r.outcome = 'open' RETURNING 1)
  SELECT count(*) AS count FROM parked`

const accept = `
  INSERT INTO {schema}.marks (no, id, server, pulse, at, accepted)
  SELECT m.no + 1, gen_random_uuid(), {schema}.server(), 0, greatest(m.at, {schema}.now_ms()), true
  FROM {schema}.marks AS m ORDER BY m.no DESC LIMIT 1`

// So many are asked for at once.
const headsMax = 1_000

/** Where the database stands; see `Store.mark`. */
export async function mark(session: Session): Promise<Mark> {
  const rows = await session.connections.query(session.sql(select))
  const last = rows.at(-1)
  const held = last?.['held']
  return {
    terms: rows.map(termOf),
    server: String(last?.['now_serving']),
    held: held == null ? undefined : String(held),
  }
}

function termOf(row: Row): Term {
  const { id, server, pulse, at, accepted } = row
  return {
    id: String(id),
    server: String(server),
    pulse: Number(pulse),
    atMs: Number(at),
    isAccepted: accepted === true,
  }
}

/** Counts one up; see `Store.pulse`. Where nobody heard whether it did, it counts once more. */
export async function pulse(session: Session): Promise<Mark> {
  await session.patiently(() => session.connections.query(session.sql('SELECT {schema}.pulse()')))
  return session.patiently(() => mark(session))
}

/** Events that are not there; see `Store.missing`. */
export async function missing(session: Session, heads: readonly NotedHead[]): Promise<NotedHead[]> {
  const found: NotedHead[] = []
  for (let from = 0; from < heads.length; from += headsMax) {
    const some = heads.slice(from, from + headsMax)
    const rows = await session.connections.query(session.sql(selectMissing), [
      arrayOf(some.map(({ run }): RunId => run)),
      arrayOf(some.map(({ seq }) => seq)),
      arrayOf(some.map(({ hash }) => hash ?? '')),
    ])
    for (const { place } of rows) found.push(some[Number(place) - 1] as NotedHead)
  }
  return found
}

/** Notes what is missing; see `Store.hold`. */
export async function hold(session: Session, reason: string): Promise<void> {
  const note =
    'UPDATE {schema}.marks SET held = $1 WHERE held IS NULL AND no = (SELECT max(m.no) FROM {schema}.marks AS m)'
  await session.patiently(() => session.connections.query(session.sql(note), [reason]))
}

/** Parks every open run and begins a term; see `Store.quarantine`. */
export function quarantine(session: Session, { code, message }: Parking): Promise<{ readonly parkedCount: number }> {
  return session.patiently(() =>
    inTransaction(session, async (on) => {
      await on.query(session.sql('LOCK TABLE {schema}.runs, {schema}.marks IN EXCLUSIVE MODE'))
      const [row] = await on.query(session.sql(park), [code, message])
      await on.commit(on.query(session.sql(accept)))
      return { parkedCount: Number(row?.['count']) }
    }),
  )
}
