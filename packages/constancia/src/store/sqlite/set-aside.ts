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
  const message =
    `The lease of run ${id} ran out ${lostLeaseCount} times in a row without an event of its owner in between; the last owner was ` +
    `${due.lastClaim?.worker ?? 'unknown'}. Something in the run probably ends or stops its worker: too much memory, an endless loop, a call that ends ` +
    'the process. The run was set aside: its journal is whole, no worker takes it, and no other run is held up. Look into what those ' +
    'workers said last, correct it, then retry the run.'
  session.claims.setAside(due.streamNo, { code: 'poison', message, lostLeaseCount })
  session.tips.forget(id)
  session.watchers.touch({ run: id, headSeq: head.seq, due: false, outbox: false })
}
