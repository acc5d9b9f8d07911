import type { RunId } from '../../journal/index.js'
import { poisonMessage } from '../index.js'
import type { RunRecord } from './run-record.js'

/** A run that is set aside, and why. */
export interface Aside {
  readonly streamNo: number
  readonly run: RunId
  readonly headSeq: number
  readonly lostLeaseCount: number
  readonly message: string
}

/** Makes runs stuck, and nobody's. Bound: streams, messages, counts. */
export const setAsideSql = `
  UPDATE {schema}.runs AS r SET status = 'stuck', stuck_code = 'poison', stuck_message = i.message, lost_leases = i.lost,
    due_at = NULL, claim_id = NULL, worker = NULL
  FROM unnest($1::bigint[], $2::text[], $3::integer[]) AS i (stream, message, lost) WHERE r.stream = i.stream`

/**
 * How often in a row leases of this run have run out, without an event of an owner in between, if it is taken now. Events from
 * outside are no progress: nobody had to work on the run for them.
 */
export function lostLeasesOf({ claim_id: lastClaim, progressed, lost_leases: count }: RunRecord): number {
  if (lastClaim === null) return count // It may have come through a rebuild.
  return progressed ? 1 : count + 1
}

/** What is said of a run whose owners keep getting lost; it is set aside so that it holds up no other. */
export function asideOf(record: RunRecord, lostLeaseCount: number): Aside {
  const { id, stream, worker, head_seq: headSeq } = record
  const message = poisonMessage({ run: id, lostLeaseCount, worker: worker ?? undefined })
  return { streamNo: stream, run: id, headSeq, lostLeaseCount, message }
}
