import { BinaryColumns, type BinaryElement } from './binary.js'
import type { Plain } from './plain.js'
import type { Session } from './session.js'
import { eventTypes } from './write.js'

const types = [...(['text', 'text', 'integer', 'hex', 'integer'] as const), ...eventTypes]
const sql = `SELECT {schema}.write_plain(${types.map((_, index) => `$${index + 1}`).join(', ')}) AS stored`

/**
 * Writes what many runs do, each step after step, in one round trip and one transaction. Each is stored or, where it does not fit,
 * not at all; answers the places of those that did not fit. Rejects with the driver's error; then nothing is stored, or nobody
 * knows.
 */
export async function writePlain(session: Session, plains: readonly Plain[]): Promise<ReadonlySet<number>> {
  const columns = new BinaryColumns(types)
  for (const plain of plains) columns.add(rowOf(plain))
  const [row] = await session.connections.call(session.sql(sql), columns.arrays())
  const stored = row?.['stored'] as readonly number[] | null | undefined
  if (stored === null) return new Set()
  const unfit = new Set(plains.keys())
  for (const place of stored ?? []) unfit.delete(place - 1)
  return unfit
}

// Spelt out: of what would be spread nothing is kept.
function rowOf({ claim, head, event, readSignalCount }: Plain): BinaryElement[] {
  const { seq, kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data } = event
  return [
    claim.run,
    claim.id,
    claim.epoch,
    head.hash,
    readSignalCount,
    seq,
    kind,
    body,
    bodySalt,
    dataCommit,
    at,
    by,
    seen,
    hash,
    dataSalt,
    data,
  ]
}
