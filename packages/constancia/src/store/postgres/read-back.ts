import type { RunId } from '../../journal/index.js'
import { arrayOf } from './literals.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'
import { identityOf, type Work } from './work.js'

const lock = 'SELECT 1 FROM {schema}.runs WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE'

const selectEvents = `
  SELECT i.ord::integer AS ord
  FROM unnest($1::text[], $2::integer[], $3::bytea[]) WITH ORDINALITY AS i (run, seq, hash, ord)
  JOIN {schema}.streams AS s ON s.name = 'run/' || i.run
  JOIN {schema}.events AS e ON e.stream = s.no AND e.seq = i.seq AND e.hash = i.hash`

const selectGone = `
  SELECT i.ord::integer AS ord FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS i (run, epoch, ord)
  JOIN {schema}.runs AS r ON r.id = i.run WHERE r.epoch = i.epoch AND r.claim_id IS NULL`

/**
 * Which of these works, by their places, are stored. For after a connection was lost: the rows of their runs are locked first,
 * so that a server process which still works on the lost statement has ended by then. A work with events is known by the hash of
 * its last one; one that only gives a run back, by that nobody has the run although no other claim was made.
 */
export async function storedOf(session: Session, works: readonly Work[]): Promise<Set<number>> {
  const told = works.flatMap((work, index) => {
    const identity = identityOf(work)
    return identity === undefined ? [] : [{ index, ...identity }]
  })
  const given = works.flatMap(({ change }, index) => {
    const isGiven = change?.state !== undefined && change.claim !== undefined && change.added === undefined
    return isGiven ? [{ index, run: change.run, epoch: change.claim?.epoch ?? -1 }] : []
  })
  const runs = works.flatMap(({ change, start }): RunId[] => [change?.run, start?.run].flatMap((run) => run ?? []))
  return inTransaction(session, async (on) => {
    await on.query(session.sql(lock), [arrayOf(runs)])
    const stored = new Set<number>()
    const values = [
      arrayOf(told.map(({ run }) => run)),
      arrayOf(told.map(({ event }) => event.seq)),
      arrayOf(told.map(({ event }) => Buffer.from(event.hash, 'hex'))),
    ]
    for (const { ord } of await on.query(session.sql(selectEvents), values))
      stored.add(told[Number(ord) - 1]?.index ?? -1)
    const gone = [arrayOf(given.map(({ run }) => run)), arrayOf(given.map(({ epoch }) => epoch))]
    for (const { ord } of await on.query(session.sql(selectGone), gone)) stored.add(given[Number(ord) - 1]?.index ?? -1)
    return on.commit(Promise.resolve(stored))
  })
}
