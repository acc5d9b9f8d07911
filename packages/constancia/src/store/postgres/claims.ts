import type { ClaimRef, Rest, Suspend } from '../index.js'
import type { WriteJob } from './job.js'
import { arrayOf } from './literals.js'
import type { Session } from './session.js'
import type { State } from './work.js'

/** Prolongs leases that are still held. Bound: runs, claims, epochs, milliseconds. The clock is the statement's. */
export const renewSql = `
  WITH held AS MATERIALIZED (
    SELECT r.stream, r.id, r.claim_id FROM unnest($1::text[], $2::text[], $3::integer[]) AS i (run, claim, epoch)
    JOIN {schema}.runs AS r ON r.id = i.run AND r.claim_id = i.claim AND r.epoch = i.epoch
    ORDER BY r.id FOR NO KEY UPDATE OF r)
  UPDATE {schema}.runs AS r SET due_at = {schema}.now_ms() + $4::bigint FROM held WHERE r.stream = held.stream
  RETURNING held.id, held.claim_id`

/** The values of {@link renewSql}. */
export function renewValues(claims: readonly ClaimRef[], leaseMs: number): [string, string, string, number] {
  const columns = [claims.map(({ run }) => run), claims.map(({ id }) => id), claims.map(({ epoch }) => epoch)] as const
  return [arrayOf(columns[0]), arrayOf(columns[1]), arrayOf(columns[2]), Math.ceil(leaseMs)]
}

/** Prolongs leases; see `Store.renew`. */
export async function renew(session: Session, claims: readonly ClaimRef[], leaseMs: number): Promise<ClaimRef[]> {
  if (claims.length === 0) return session.patiently(async () => [])
  const values = renewValues(claims, leaseMs)
  const rows = await session.patiently(() => session.connections.query(session.sql(renewSql), values))
  const held = new Set(rows.map((row) => `${String(row['claim_id'])} ${String(row['id'])}`))
  return claims.filter(({ run, id }) => held.has(`${id} ${run}`))
}

/** Gives a run back; see `Store.release`. */
export function release(session: Session, claim: ClaimRef): Promise<boolean> {
  const { run } = claim
  const touched = [{ run, headSeq: undefined, due: true, outbox: false, byOwner: true, isLoud: true }]
  const change = { run, claim, head: undefined, isProgress: false, state: { status: 'ready' } }
  return session.commit.submit<WriteJob>({
    lane: 'write',
    runs: [run],
    at: undefined,
    prepare: () => ({ change, touched }),
    finish: (unfit) => {
      session.tips.forget(run)
      return unfit === undefined
    },
  })
}

/** Lays a run to rest; see `Store.suspend`. */
export function suspend(session: Session, { claim, head, rest, readSignalCount }: Suspend): Promise<boolean> {
  const { run } = claim
  return session.commit.submit<WriteJob>({
    lane: 'write',
    runs: [run],
    at: undefined,
    prepare: () => {
      // A wake time, even one to come, is for whoever waits for the next due run to learn of; and where a limit holds runs back,
      // one that rests makes room.
      const isRoom = session.limitedFlows.size > 0 && session.limitedFlows.has(session.tips.flowOf(run) ?? '')
      const wakes = rest.kind !== 'stuck' && rest.wakeAtMs !== undefined
      const isLoud = wakes || isRoom
      const touched = [{ run, headSeq: head.seq, due: isLoud, outbox: false, byOwner: true, isLoud }]
      const change = { run, claim, head, readSignalCount, isProgress: false, state: stateOf(rest) }
      return { change, touched }
    },
    finish: (unfit) => {
      if (unfit === undefined) session.tips.forget(run)
      return unfit === undefined
    },
  })
}

function stateOf(rest: Rest): State {
  if (rest.kind === 'stuck') return { status: 'stuck', stuck: { code: rest.code, message: rest.message } }
  return { status: rest.kind, wakeAtMs: rest.wakeAtMs, waitingFor: JSON.stringify(rest.waitingFor) }
}
