import type { RunId, StreamId } from '../../journal/index.js'
import {
  type Attestation,
  type BegunRange,
  type Checkpoint,
  checkSealing,
  type Grown,
  type Leaf,
  type Log,
  type LogState,
  type Sealed,
  type Sealing,
  type StreamStanding,
  type TilePlace,
} from '../index.js'
import type { Row, Value } from './driver.js'
import { arrayOf, bytesOf, Columns } from './literals.js'
import { grown } from './log-growth.js'
import { Wait } from './patience.js'
import type { Session } from './session.js'
import { inTransaction } from './transaction.js'

/** How a store lets somebody call it: patiently, and waited for when it closes. */
export type Ask = <T>(call: () => Promise<T>) => Promise<T>

/** The log in the tables of a schema. */
export class PostgresLog implements Log {
  readonly #session: Session
  readonly #ask: Ask
  readonly #do: Ask

  constructor(session: Session, { ask, do: doIt }: { readonly ask: Ask; readonly do: Ask }) {
    this.#session = session
    this.#ask = ask
    this.#do = doIt
  }

  async state(): Promise<LogState> {
    const [row] = await this.#query(selectState)
    const size = Number(row?.['log_size'])
    return { size, checkpoint: row === undefined || row['size'] == null ? undefined : checkpointOf(row) }
  }

  grown(limit: number): Promise<Grown> {
    return this.#ask(() => grown(this.#session, limit))
  }

  async seal(sealing: Sealing): Promise<Sealed> {
    checkSealing(sealing)
    return this.#do(() => seal(this.#session, sealing))
  }

  async leaves({ from, limit }: { readonly from: number; readonly limit: number }): Promise<Leaf[]> {
    return (await this.#query(selectLeaves, [from, limit])).map(leafOf)
  }

  async leavesOf(stream: StreamId, range: { readonly before?: number; readonly limit: number }): Promise<Leaf[]> {
    const { before = Number.MAX_SAFE_INTEGER, limit } = range
    return (await this.#query(selectLeavesOf, [stream, before, limit])).map(leafOf)
  }

  async tiles(places: readonly TilePlace[]): Promise<Uint8Array[]> {
    if (places.length === 0) return []
    const values = [arrayOf(places.map(({ level }) => level)), arrayOf(places.map(({ index }) => index))]
    const rows = await this.#query(selectTiles, values)
    return rows.map(({ hashes }) => new Uint8Array(Buffer.from(String(hashes ?? ''), 'hex')))
  }

  async checkpoints(range: { readonly fromSize: number; readonly limit: number }): Promise<Checkpoint[]> {
    return (await this.#query(selectCheckpoints, [range.fromSize, range.limit])).map(checkpointOf)
  }

  async checkpointUpTo(size: number): Promise<Checkpoint | undefined> {
    return (await this.#query(selectUpTo, [size])).map(checkpointOf)[0]
  }

  async attest({ size, kind, by, text }: Attestation): Promise<void> {
    await this.#query(insertAttestation, [size, kind, by, text])
  }

  async attestations(range: { readonly fromSize: number; readonly limit: number }): Promise<Attestation[]> {
    return (await this.#query(selectAttestations, [range.fromSize, range.limit])).map(attestationOf)
  }

  async attestationsUpTo(range: { readonly size: number; readonly limit: number }): Promise<Attestation[]> {
    return (await this.#query(selectAttestationsUpTo, [range.size, range.limit])).map(attestationOf)
  }

  async streams(range: { readonly after?: StreamId; readonly limit: number }): Promise<StreamStanding[]> {
    const rows = await this.#query(selectStreams, [range.after ?? '', range.limit])
    return rows.map(({ name, seq, hash, purged }) => {
      return { stream: name as StreamId, seq: Number(seq), hash: String(hash), isPurged: purged === true }
    })
  }

  async begun({ fromMs, beforeMs, after, limit }: BegunRange): Promise<RunId[]> {
    const rows = await this.#query(selectBegun, [after ?? '', fromMs, beforeMs, limit])
    return rows.map(({ run }) => run as RunId)
  }

  async lease(holder: string, forMs: number): Promise<boolean> {
    return (await this.#query(takeLease, [holder, forMs])).length > 0
  }

  know(checkpoint: Pick<Checkpoint, 'size' | 'root'>): void {
    this.#session.known.know(checkpoint)
  }

  #query(sql: string, values?: readonly Value[]): Promise<Row[]> {
    return this.#ask(() => this.#session.connections.query(this.#session.sql(sql), values))
  }
}

// One whose commit nobody heard of is looked for before it is made again: the note that was signed is nobody else's.
async function seal(session: Session, sealing: Sealing): Promise<Sealed> {
  const wait = new Wait(session.patience)
  for (let tries = 0; ; tries += 1) {
    try {
      const sealed = await sealOnce(session, sealing)
      session.patience.report(false)
      if (sealed.kind === 'sealed' || tries === 0) return sealed
      const { size, note } = sealing.checkpoint
      const found = await session.connections.query(session.sql(selectUpTo), [size])
      return found[0]?.['note'] === note ? { kind: 'sealed' } : sealed
    } catch (error) {
      await wait.bear(error)
    }
  }
}

function sealOnce(session: Session, sealing: Sealing): Promise<Sealed> {
  const { size: before, heads, tiles, cursor, checkpoint } = sealing
  const { size, root, note, atMs } = checkpoint
  return inTransaction(session, async (on) => {
    const [row] = await on.query(session.sql('SELECT l.size FROM {schema}.log AS l FOR NO KEY UPDATE'))
    const found = Number(row?.['size'])
    if (found !== before) return { kind: 'conflict', size: found } as const
    const leaves = new Columns(4)
    for (const [index, head] of heads.entries()) leaves.add([before + index, head.place, head.seq, bytesOf(head.hash)])
    await on.query(session.sql(insertLeaves), leaves.literals())
    const grownTiles = new Columns(3)
    for (const { level, index, hashes } of tiles) grownTiles.add([level, index, hashes])
    await on.query(session.sql(putTiles), grownTiles.literals())
    await on.query(session.sql(insertCheckpoint), [size, bytesOf(root), note, atMs])
    await on.query(session.sql(settle))
    return on.commit(on.query(session.sql(setPlace), [size, cursor]).then(() => ({ kind: 'sealed' }) as const))
  })
}

/** Of leaves that are given as columns. */
export const insertLeaves = `
  INSERT INTO {schema}.log_leaves (no, stream, seq, hash)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bytea[]) AS i (no, stream, seq, hash) ORDER BY i.no`

/** Of tiles that are given as columns. */
export const putTiles = `
  INSERT INTO {schema}.log_tiles (level, no, hashes) SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bytea[])
  ON CONFLICT (level, no) DO UPDATE SET hashes = excluded.hashes`

const insertCheckpoint = `
  INSERT INTO {schema}.log_checkpoints (size, root, note, at) VALUES ($1, $2, $3, $4)`

const settle = `
  DELETE FROM {schema}.log_owed AS o
  WHERE EXISTS (SELECT 1 FROM {schema}.log_leaves AS l WHERE l.stream = o.stream AND l.seq >= o.seq)`

const setPlace = 'UPDATE {schema}.log SET size = $1, cursor = $2'

const takeLease = `
  UPDATE {schema}.log AS l SET holder = $1, held_until = {schema}.now_ms() + $2
  WHERE l.holder IS NULL OR l.holder = $1 OR l.held_until <= {schema}.now_ms() RETURNING 1 AS one`

const ofCheckpoint = `c.size, encode(c.root, 'hex') AS root, c.note, c.at FROM {schema}.log_checkpoints AS c`

const selectState = `
  SELECT l.size AS log_size, c.* FROM {schema}.log AS l
  LEFT JOIN (SELECT ${ofCheckpoint} ORDER BY c.size DESC LIMIT 1) AS c ON true`

const selectCheckpoints = `SELECT ${ofCheckpoint} WHERE c.size >= $1 ORDER BY c.size LIMIT $2`
const selectUpTo = `SELECT ${ofCheckpoint} WHERE c.size <= $1 ORDER BY c.size DESC LIMIT 1`

const insertAttestation = `
  INSERT INTO {schema}.log_attestations (size, kind, said_by, text)
  SELECT c.size, $2, $3, $4 FROM {schema}.log_checkpoints AS c WHERE c.size = $1 ON CONFLICT DO NOTHING`

const ofAttestation = 'SELECT a.size, a.kind, a.said_by, a.text FROM {schema}.log_attestations AS a'
const selectAttestations = `${ofAttestation} WHERE a.size >= $1 ORDER BY a.size, a.kind, a.said_by LIMIT $2`
const selectAttestationsUpTo = `
  ${ofAttestation} WHERE a.size <= $1 ORDER BY a.size DESC, a.kind DESC, a.said_by DESC LIMIT $2`

const ofLeaf = `
  SELECT l.no, s.name, l.seq, encode(l.hash, 'hex') AS hash
  FROM {schema}.log_leaves AS l JOIN {schema}.streams AS s ON s.no = l.stream`

const selectLeaves = `${ofLeaf} WHERE l.no >= $1 ORDER BY l.no LIMIT $2`
const selectLeavesOf = `
  ${ofLeaf} WHERE l.stream = (SELECT t.no FROM {schema}.streams AS t WHERE t.name = $1) AND l.no < $2 ORDER BY l.no DESC LIMIT $3`

const selectTiles = `
  SELECT encode(t.hashes, 'hex') AS hashes FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS i (level, no, ord)
  LEFT JOIN {schema}.log_tiles AS t ON t.level = i.level AND t.no = i.no ORDER BY i.ord`

const selectStreams = `
  SELECT s.name, coalesce(e.seq, p.head_seq) AS seq, encode(coalesce(e.hash, p.head_hash), 'hex') AS hash, p.stream IS NOT NULL AS purged
  FROM {schema}.streams AS s LEFT JOIN {schema}.purged AS p ON p.stream = s.no
  LEFT JOIN LATERAL (SELECT l.seq, l.hash FROM {schema}.events AS l WHERE l.stream = s.no ORDER BY l.seq DESC LIMIT 1) AS e ON true
  WHERE s.name > $1 AND (e.seq IS NOT NULL OR p.stream IS NOT NULL) ORDER BY s.name LIMIT $2`

const selectBegun = `
  SELECT substr(s.name, 5) AS run FROM {schema}.streams AS s JOIN {schema}.events AS e ON e.stream = s.no AND e.seq = 0
  WHERE s.name > 'run/' || $1 AND s.name < 'run0' AND e.at >= $2 AND e.at < $3 ORDER BY s.name LIMIT $4`

/** An attestation of a row. */
export function attestationOf({ size, kind, said_by: by, text }: Row): Attestation {
  return { size: Number(size), kind: kind === 'token' ? 'token' : 'cosignature', by: String(by), text: String(text) }
}

/** A leaf of a row. */
export function leafOf({ no, name, seq, hash }: Row): Leaf {
  return { index: Number(no), stream: name as StreamId, seq: Number(seq), hash: String(hash) }
}

/** A checkpoint of a row. */
export function checkpointOf({ size, root, note, at }: Row): Checkpoint {
  return { size: Number(size), root: String(root), note: String(note), atMs: Number(at) }
}
