import type { Head, StoredEvent } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'
import type { Value } from './driver.js'
import { bytesOf } from './literals.js'
import type { Session } from './session.js'
import type { Work } from './work.js'

/** One event of an owner, and nothing besides. */
interface Lone {
  readonly claim: ClaimRef
  readonly head: Head
  readonly event: StoredEvent
  readonly readSignalCount: number | undefined
}

const valueCount = 16
const sql = `SELECT {schema}.write_one(${Array.from({ length: valueCount }, (_, index) => `$${index + 1}`).join(', ')}) AS stored`

/**
 * Writes works that are no more than one event of an owner, which a lone run does step after step. False where they are more
 * than that, or do not fit; then nothing is stored. Rejects with the driver's error; then nothing is stored, or nobody knows.
 */
export async function writeOne(session: Session, works: readonly Work[]): Promise<boolean> {
  const lone = loneOf(session, works)
  if (lone === undefined) return false
  const [row] = await session.connections.call(session.sql(sql), valuesOf(lone))
  return row?.['stored'] === true
}

function loneOf(session: Session, works: readonly Work[]): Lone | undefined {
  const [work] = works
  if (works.length !== 1 || work === undefined) return undefined
  const { change, start, latest, settles, touched } = work
  if (change === undefined || start !== undefined || latest !== undefined || settles !== undefined) return undefined
  const { claim, head, basis, added, state, readSignalCount } = change
  if (claim === undefined || head === undefined || basis !== undefined || added === undefined || state !== undefined)
    return undefined
  const [event] = added.events
  if (event === undefined || added.events.length > 1 || added.fold.outcome !== 'open') return undefined
  if (added.deliveries.length > 0 || added.entries.length > 0 || added.approvals.length > 0) return undefined
  return session.watchers.noteOf(touched) === null ? { claim, head, event, readSignalCount } : undefined
}

function valuesOf({ claim, head, event, readSignalCount }: Lone): Value[] {
  const { kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data } = event
  const place = [claim.run, claim.id, claim.epoch, head.seq, bytesOf(head.hash), readSignalCount ?? null]
  const facts = [kind, body, bodySalt, dataCommit === undefined ? null : bytesOf(dataCommit), at, by, seen]
  return [...place, ...facts, bytesOf(hash), dataSalt ?? null, data ?? null]
}
