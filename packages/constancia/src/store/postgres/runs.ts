import type { RunId } from '../../journal/index.js'
import type { Connection } from './driver.js'
import { arrayOf } from './literals.js'
import { type RunRecord, recordColumns } from './run-record.js'
import type { Session } from './session.js'

const select = `SELECT ${recordColumns} FROM {schema}.runs AS r WHERE r.id = ANY ($1::text[])`

/** The rows of runs, as far as there are any. */
export async function recordsOf(
  session: Session,
  on: Connection,
  runs: readonly RunId[],
): Promise<Map<RunId, RunRecord>> {
  const records = (await on.query(session.sql(select), [arrayOf(runs)])) as unknown as RunRecord[]
  return new Map(records.map((record) => [record.id, record]))
}
