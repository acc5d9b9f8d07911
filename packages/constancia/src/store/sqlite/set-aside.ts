import type { DueRecord } from './claim-table.js'
import type { Session } from './session.js'

/**
 * How often in a row leases of this run have run out, without an event of an owner in between, if it is taken now. Events from
 * outside are no progress: nobody had to work on the run for them.
 */
export function lostLeasesOf(session: Session, due: DueRecord): number {
  if (due.claim_id === null) return due.lost_leases // Its count may have come through a rebuild.
  return session.claims.hasProgress(due.stream, due.claimed_head_seq) ? 1 : due.lost_leases + 1
}

/** Sets a run aside whose owners keep getting lost, so that it holds up no other. */
export function setAside(session: Session, due: DueRecord, lostLeaseCount: number): void {
  const message =
    `The lease of run ${due.id} ran out ${lostLeaseCount} times in a row without an event of its owner in between; the last owner was ` +
    `${due.worker ?? 'unknown'}. Something in the run probably ends or stops its worker: too much memory, an endless loop, a call that ends ` +
    'the process. The run was set aside: its journal is whole, no worker takes it, and no other run is held up. Look into what those ' +
    'workers said last, correct it, then retry the run.'
  session.claims.setAside(due.stream, { code: 'poison', message, lostLeaseCount })
  session.tips.forget(due.id)
  session.watchers.touch({ run: due.id, headSeq: due.head_seq, due: false, outbox: false })
}
