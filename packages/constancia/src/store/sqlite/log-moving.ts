import { assert, type StreamId } from '../../journal/index.js'
import type { Attestation, Checkpoint, Leaf, Parcel, Tile } from '../index.js'
import type { Database, Statement } from './driver.js'

const pageSize = 500
const tilesAtOnce = 50

/** The log as parcels of a move. */
export function* logParcels(database: Database): Generator<Parcel> {
  const leaves = database.prepare(`
    SELECT l.no AS "index", s.name AS stream, l.seq, lower(hex(l.hash)) AS hash
    FROM log_leaves AS l JOIN streams AS s ON s.no = l.stream WHERE l.no >= ? ORDER BY l.no LIMIT ?`)
  for (let from = 0; ; from += pageSize) {
    const items = (leaves.all(from, pageSize) as Leaf[]).map((row) => ({ ...row }))
    if (items.length === 0) break
    yield { kind: 'leaves', items }
  }
  const tiles = database.prepare(
    'SELECT level, no, hex(hashes) AS hashes FROM log_tiles ORDER BY level, no LIMIT ? OFFSET ?',
  )
  for (let from = 0; ; from += tilesAtOnce) {
    const rows = tiles.all(tilesAtOnce, from) as { level: number; no: number; hashes: string }[]
    if (rows.length === 0) break
    const items = rows.map(({ level, no, hashes }): Tile => {
      return { level, index: no, hashes: new Uint8Array(Buffer.from(hashes, 'hex')) }
    })
    yield { kind: 'tiles', items }
  }
  const checkpoints = database.prepare(`
    SELECT size, lower(hex(root)) AS root, note, at AS atMs FROM log_checkpoints WHERE size > ? ORDER BY size LIMIT ?`)
  for (let last = 0; ; ) {
    const items = (checkpoints.all(last, pageSize) as Checkpoint[]).map((row) => ({ ...row }))
    if (items.length === 0) break
    yield { kind: 'checkpoints', items }
    last = items.at(-1)?.size ?? last
  }
  const attestations = database.prepare(`
    SELECT size, kind, said_by AS "by", text FROM log_attestations ORDER BY size, kind, said_by LIMIT ? OFFSET ?`)
  for (let from = 0; ; from += pageSize) {
    const items = (attestations.all(pageSize, from) as Attestation[]).map((row) => ({ ...row }))
    if (items.length === 0) break
    yield { kind: 'attestations', items }
  }
}

/** Puts the log of another store into a file that is being filled, within its transaction. */
export class LogArrival {
  readonly #database: Database
  readonly #leaf: Statement
  readonly #tile: Statement
  readonly #checkpoint: Statement
  readonly #attestation: Statement
  #size = 0

  constructor(database: Database) {
    this.#database = database
    this.#leaf = database.prepare('INSERT INTO log_leaves (no, stream, seq, hash) VALUES (?, ?, ?, unhex(?))')
    this.#tile = database.prepare('INSERT INTO log_tiles (level, no, hashes) VALUES (?, ?, ?)')
    this.#checkpoint = database.prepare('INSERT INTO log_checkpoints (size, root, note, at) VALUES (?, unhex(?), ?, ?)')
    this.#attestation = database.prepare('INSERT INTO log_attestations (size, kind, said_by, text) VALUES (?, ?, ?, ?)')
  }

  put(parcel: LogParcel, noOf: (stream: StreamId) => number | undefined): void {
    switch (parcel.kind) {
      case 'leaves':
        for (const { index, stream, seq, hash } of parcel.items) {
          const no = noOf(stream)
          assert(no !== undefined, `leaf ${index} is of ${stream}, which was not moved before it`)
          this.#leaf.run(index, no, seq, hash)
          this.#size = index + 1
        }
        return
      case 'tiles':
        for (const { level, index, hashes } of parcel.items) this.#tile.run(level, index, hashes)
        return
      case 'checkpoints':
        for (const { size, root, note, atMs } of parcel.items) this.#checkpoint.run(size, root, note, atMs)
        return
      case 'attestations':
        for (const { size, kind, by, text } of parcel.items) this.#attestation.run(size, kind, by, text)
    }
  }

  /** Once all of it is there: the next sealing looks at every event, and at every end that is left of a journal. */
  end(): void {
    this.#database.prepare('UPDATE log SET size = ?, cursor = 0').run(this.#size)
    this.#database.exec(`
      DELETE FROM log_owed;
      INSERT INTO log_owed (stream, seq, hash) SELECT p.stream, p.head_seq, p.head_hash FROM purged AS p
      WHERE NOT EXISTS (SELECT 1 FROM log_leaves AS l WHERE l.stream = p.stream AND l.seq = p.head_seq)`)
  }
}

/** A parcel of a log. */
export type LogParcel = Extract<Parcel, { readonly kind: 'leaves' | 'tiles' | 'checkpoints' | 'attestations' }>
