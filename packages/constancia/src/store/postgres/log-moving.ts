import { assert, type StreamId } from '../../journal/index.js'
import type { Attestation, Leaf, Parcel } from '../index.js'
import { arrayOf, bytesOf, Columns } from './literals.js'
import { attestationOf, checkpointOf, insertLeaves, leafOf, putTiles } from './log.js'
import type { MovePlace } from './move-state.js'

const pageSize = 500
const tilesAtOnce = 50

/** The log as parcels of a move. */
export async function* logParcels({ on, sql }: MovePlace): AsyncGenerator<Parcel> {
  for (let from = 0; ; from += pageSize) {
    const rows = await on.query(sql(selectLeaves), [from, pageSize])
    if (rows.length === 0) break
    yield { kind: 'leaves', items: rows.map(leafOf) }
  }
  for (let from = 0; ; from += tilesAtOnce) {
    const rows = await on.query(sql(selectTiles), [tilesAtOnce, from])
    if (rows.length === 0) break
    const items = rows.map(({ level, no, hashes }) => {
      return { level: Number(level), index: Number(no), hashes: new Uint8Array(Buffer.from(String(hashes), 'hex')) }
    })
    yield { kind: 'tiles', items }
  }
  for (let last = 0; ; ) {
    const items = (await on.query(sql(selectCheckpoints), [last, pageSize])).map(checkpointOf)
    if (items.length === 0) break
    yield { kind: 'checkpoints', items }
    last = items.at(-1)?.size ?? last
  }
  for (let from = 0; ; from += pageSize) {
    const items = (await on.query(sql(selectAttestations), [pageSize, from])).map(attestationOf)
    if (items.length === 0) break
    yield { kind: 'attestations', items }
  }
}

/** A parcel of a log. */
export type LogParcel = Extract<Parcel, { readonly kind: 'leaves' | 'tiles' | 'checkpoints' | 'attestations' }>

/** Puts a part of the log of another store into a schema that is being filled. */
export async function putLog(place: MovePlace, parcel: LogParcel): Promise<void> {
  const { on, sql } = place
  switch (parcel.kind) {
    case 'leaves':
      return putLeaves(place, parcel.items)
    case 'tiles': {
      const columns = new Columns(3)
      for (const { level, index, hashes } of parcel.items) columns.add([level, index, hashes])
      await on.query(sql(putTiles), columns.literals())
      return
    }
    case 'checkpoints': {
      const columns = new Columns(4)
      for (const { size, root, note, atMs } of parcel.items) columns.add([size, bytesOf(root), note, atMs])
      await on.query(sql(insertCheckpoints), columns.literals())
      return
    }
    case 'attestations':
      return putAttestations(place, parcel.items)
  }
}

async function putAttestations({ on, sql }: MovePlace, attestations: readonly Attestation[]): Promise<void> {
  const columns = new Columns(4)
  for (const { size, kind, by, text } of attestations) columns.add([size, kind, by, text])
  await on.query(sql(insertAttestations), columns.literals())
}

async function putLeaves({ on, sql }: MovePlace, leaves: readonly Leaf[]): Promise<void> {
  const names = [...new Set(leaves.map(({ stream }) => stream))]
  const rows = await on.query(sql('SELECT s.no, s.name FROM {schema}.streams AS s WHERE s.name = ANY ($1::text[])'), [
    arrayOf(names),
  ])
  const numbers = new Map(rows.map(({ no, name }) => [name as StreamId, Number(no)]))
  const columns = new Columns(4)
  for (const { index, stream, seq, hash } of leaves) {
    const no = numbers.get(stream)
    assert(no !== undefined, `leaf ${index} is of ${stream}, which was not moved before it`)
    columns.add([index, no, seq, bytesOf(hash)])
  }
  await on.query(sql(insertLeaves), columns.literals())
}

/** Once all of it is there: the next sealing looks at every stream, and at every end that is left of a journal. */
export async function endLog({ on, sql }: MovePlace): Promise<void> {
  await on.query(
    sql(
      `UPDATE {schema}.log SET cursor = '', size = (SELECT coalesce(max(l.no), -1) + 1 FROM {schema}.log_leaves AS l)`,
    ),
  )
  await on.query(sql('DELETE FROM {schema}.log_owed'))
  await on.query(sql(oweAll))
}

const oweAll = `
  INSERT INTO {schema}.log_owed (stream, seq, hash) SELECT p.stream, p.head_seq, p.head_hash FROM {schema}.purged AS p
  WHERE NOT EXISTS (SELECT 1 FROM {schema}.log_leaves AS l WHERE l.stream = p.stream AND l.seq = p.head_seq)`

const selectLeaves = `
  SELECT l.no, s.name, l.seq, encode(l.hash, 'hex') AS hash
  FROM {schema}.log_leaves AS l JOIN {schema}.streams AS s ON s.no = l.stream WHERE l.no >= $1 ORDER BY l.no LIMIT $2`

const selectTiles = `
  SELECT t.level, t.no, encode(t.hashes, 'hex') AS hashes FROM {schema}.log_tiles AS t ORDER BY t.level, t.no LIMIT $1 OFFSET $2`

const selectCheckpoints = `
  SELECT c.size, encode(c.root, 'hex') AS root, c.note, c.at FROM {schema}.log_checkpoints AS c
  WHERE c.size > $1 ORDER BY c.size LIMIT $2`

const selectAttestations = `
  SELECT a.size, a.kind, a.said_by, a.text FROM {schema}.log_attestations AS a ORDER BY a.size, a.kind, a.said_by LIMIT $1 OFFSET $2`

const insertAttestations = `
  INSERT INTO {schema}.log_attestations (size, kind, said_by, text)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])`

const insertCheckpoints = `
  INSERT INTO {schema}.log_checkpoints (size, root, note, at)
  SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::bigint[])`
