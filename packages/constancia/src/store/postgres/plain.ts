import type { Head, StoredEvent } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'
import type { Work } from './work.js'

/** One event of an owner, and nothing besides. */
export interface Plain {
  readonly claim: ClaimRef
  readonly head: Head
  readonly event: StoredEvent
  readonly readSignalCount: number | undefined
}

/**
 * What a work is where it is one event of an owner, which ends nothing and tells nobody anything: what runs do most of the time.
 * Undefined where it is more than that.
 */
export function plainOf({ change, start, latest, settles, touched }: Work): Plain | undefined {
  if (change === undefined || start !== undefined || latest !== undefined || settles !== undefined) return undefined
  const { claim, head, basis, added, state, readSignalCount } = change
  if (claim === undefined || head === undefined || added === undefined || state !== undefined) return undefined
  if (basis !== undefined || added.approvals.length > 0) return undefined
  const [event] = added.events
  if (event === undefined || added.events.length > 1 || added.fold.outcome !== 'open') return undefined
  if (added.deliveries.length > 0 || added.entries.length > 0) return undefined
  return touched.some(({ isLoud }) => isLoud) ? undefined : { claim, head, event, readSignalCount }
}
