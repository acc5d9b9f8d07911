import type { OutboxEntry } from '../../journal/index.js'
import type { OutboxQuery, Page } from '../index.js'
import { cursorOf, limitOf } from './run-list.js'
import type { Session } from './session.js'

type OutboxRecord = OutboxEntry & { readonly id: number }

const select = `
  SELECT o.id, substr(s.name, 5) AS run, o.seq, o.kind, o.target
  FROM {schema}.outbox AS o JOIN {schema}.streams AS s ON s.no = o.stream WHERE o.id > $1 AND {for} ORDER BY o.id LIMIT $2`

// Exactly what the indexes say, or they are of no use.
const conditions = { runs: `o.kind <> 'notice'`, caller: `o.kind = 'notice'` }

/**
 * What runs have to tell each other, oldest first; see `Store.outbox`. A commit that was slow may put an entry before those
 * that were listed already: whoever empties the outbox begins from its start again and again.
 */
export async function outbox(session: Session, query: OutboxQuery): Promise<Page<OutboxEntry>> {
  const limit = limitOf(query.limit)
  const after = query.after === undefined ? 0 : cursorOf(query.after)
  const records = (await session.connections.query(
    session.sql(select.replace('{for}', conditions[query.to ?? 'runs'])),
    [after, limit + 1],
  )) as unknown as OutboxRecord[]
  const page = records.slice(0, limit)
  const next = records.length > limit ? String(page.at(-1)?.id) : undefined
  return { items: page.map(({ run, seq, kind, target }) => ({ run, seq, kind, target })), next }
}
