import type { StreamId } from '../../journal/index.js'
import { type ErasedTexts, foreignStreams, lawfulKinds, runIn } from '../index.js'
import type { Connection } from './driver.js'
import { arrayOf, Columns } from './literals.js'
import { selectOver } from './purge.js'
import type { Session } from './session.js'

const lock = 'SELECT 1 FROM {schema}.runs WHERE id = ANY ($1::text[]) ORDER BY id FOR SHARE'

const selectLaw = `
  SELECT 1 FROM {schema}.events AS e JOIN {schema}.streams AS s ON s.no = e.stream
  JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS i (stream, first, last)
    ON i.stream = s.name AND e.seq BETWEEN i.first AND i.last
  WHERE s.name = 'governance' AND e.kind IN (${lawfulKinds.map((kind) => `'${kind}'`).join(', ')}) LIMIT 1`

const remove = `
  DELETE FROM {schema}.event_data AS d USING {schema}.streams AS s, unnest($1::text[], $2::bigint[], $3::bigint[]) AS i (stream, first, last)
  WHERE s.name = i.stream AND d.stream = s.no AND d.seq BETWEEN i.first AND i.last`

interface Ground {
  readonly session: Session
  readonly on: Connection
}

/**
 * The streams of texts that cannot go: of runs that are not over or not there, of the law, and of streams that have none. What it says holds
 * until the end of the transaction.
 */
export async function notErasable({ session, on }: Ground, texts: readonly ErasedTexts[]): Promise<StreamId[]> {
  if (texts.length === 0) return []
  const runs = [...new Set(texts.flatMap(({ stream }) => runIn(stream) ?? []))]
  await on.query(session.sql(lock), [arrayOf(runs)])
  const over = new Set((await on.query(session.sql(selectOver), [arrayOf(runs)])).map(({ id }) => String(id)))
  const open = runs.filter((run) => !over.has(run)).map((run) => `run/${run}` as StreamId)
  const law = (await on.query(session.sql(selectLaw), columnsOf(texts))).length > 0 ? ['governance' as StreamId] : []
  return [...new Set([...foreignStreams(texts), ...open, ...law])]
}

/** Takes texts and their salts away, within a transaction that has recorded why. It is sent before this returns. */
export async function erase({ session, on }: Ground, texts: readonly ErasedTexts[]): Promise<void> {
  await on.query(session.sql(remove), columnsOf(texts))
}

function columnsOf(texts: readonly ErasedTexts[]): string[] {
  const columns = new Columns(3)
  for (const { stream, from, to } of texts) columns.add([stream, from, to])
  return columns.literals()
}
