import type { Value } from './driver.js'
import { bytesOf } from './literals.js'
import type { Plain } from './plain.js'
import type { Session } from './session.js'

const valueCount = 16
const sql = `SELECT {schema}.write_one(${Array.from({ length: valueCount }, (_, index) => `$${index + 1}`).join(', ')}) AS stored`

/**
 * Writes what a lone run does step after step. False where it does not fit; then nothing is stored. Rejects with the driver's
 * error; then nothing is stored, or nobody knows.
 */
export async function writeOne(session: Session, plain: Plain): Promise<boolean> {
  const [row] = await session.connections.call(session.sql(sql), valuesOf(plain))
  return row?.['stored'] === true
}

function valuesOf({ claim, head, event, readSignalCount }: Plain): Value[] {
  const { kind, body, bodySalt, dataCommit, at, by, seen, hash, dataSalt, data } = event
  const place = [claim.run, claim.id, claim.epoch, head.seq, bytesOf(head.hash), readSignalCount ?? null]
  const facts = [kind, body, bodySalt, dataCommit === undefined ? null : bytesOf(dataCommit), at, by, seen]
  return [...place, ...facts, bytesOf(hash), dataSalt ?? null, data ?? null]
}
