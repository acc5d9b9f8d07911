import { poisonMessage } from '../index.js'
import type { DueRecord } from './due.js'
import type { Session } from './session.js'

/**
 * How often in a row leases of this run have run out, without an event of an owner in between, if it is taken now. Events from
 * outside are no progress: nobody had to work on the run for them.
 */
export function lostLeasesOf(session: Session, due: DueRecord): number {
  const { streamNo, lastClaim, lostLeaseCount } = due
  if (lastClaim === undefined) return lostLeaseCount // It may have come through a rebuild.
  return session.claims.hasProgress(streamNo, lastClaim.headSeq) ? 1 : lostLeaseCount + 1
}

/** Sets a run aside whose owners keep getting lost, so that it holds up no other. */
export function setAside(session: Session, due: DueRecord, lostLeaseCount: number): void {
  const { id, head } = due.fold
  const message = poisonMessage({ run: id, lostLeaseCount, worker: due.lastClaim?.worker })
  session.claims.setAside(due.streamNo, { code: 'poison', message, lostLeaseCount })
  session.tips.forget(id)
  session.watchers.touch({ run: id, headSeq: head.seq, due: false, outbox: false })
}
