import { BinaryColumns } from './binary.js'
import type { Plain } from './plain.js'
import type { Session } from './session.js'
import { eventRow, eventTypes } from './write.js'

const types = [...(['text', 'text', 'integer', 'hex', 'integer'] as const), ...eventTypes]
const sql = `SELECT {schema}.write_plain(${types.map((_, index) => `$${index + 1}`).join(', ')}) AS stored`

/**
 * Writes what many runs do, each step after step, in one round trip and one transaction. Each is stored or, where it does not fit,
 * not at all; answers the places of those that did not fit. Rejects with the driver's error; then nothing is stored, or nobody
 * knows.
 */
export async function writePlain(session: Session, plains: readonly Plain[]): Promise<ReadonlySet<number>> {
  const columns = new BinaryColumns(types)
  for (const { claim, head, event, readSignalCount } of plains)
    columns.add([claim.run, claim.id, claim.epoch, head.hash, readSignalCount, ...eventRow(event)])
  const [row] = await session.connections.call(session.sql(sql), columns.arrays())
  const stored = row?.['stored'] as readonly number[] | null | undefined
  if (stored === null) return new Set()
  const unfit = new Set(plains.keys())
  for (const place of stored ?? []) unfit.delete(place - 1)
  return unfit
}
