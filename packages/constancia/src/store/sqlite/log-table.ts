import type { RunId, StreamId } from '../../journal/index.js'
import {
  type Attestation,
  type BegunRange,
  type Checkpoint,
  type GrownHead,
  type Leaf,
  type LogState,
  type Sealing,
  type StreamStanding,
  sealedLast,
  type Tile,
  type TilePlace,
} from '../index.js'
import type { Database, Value } from './driver.js'
import { RowStatements } from './event-writer.js'

/** The tables of the log. */
export interface LogTable {
  state(): LogState
  /** Up to where the events were looked at. */
  place(): LogPlace
  /** Streams with events above an id and up to another, by their numbers. */
  touched(afterId: number, upToId: number): number[]
  /** The greatest id of an event; 0 where there is none. */
  lastId(): number
  /** Ends of purged journals that are not sealed, so many at most. */
  owed(limit: number): number[]
  /** Where streams end, and what of them is sealed; those that are left out were purged and are sealed. In no order that matters. */
  standings(streamNos: readonly number[]): Standing[]
  governanceNo(): number | undefined
  add(sealing: Sealing): void
  /** Notes how far the log goes, and up to which event was looked. */
  setPlace(size: number, cursor: number): void
  leaves(from: number, limit: number): Leaf[]
  leavesOf(stream: StreamId, before: number, limit: number): Leaf[]
  tile(place: TilePlace): Uint8Array
  checkpoints(fromSize: number, limit: number): Checkpoint[]
  checkpointUpTo(size: number): Checkpoint | undefined
  attest(attestation: Attestation): void
  attestations(fromSize: number, limit: number): Attestation[]
  attestationsUpTo(size: number, limit: number): Attestation[]
  streams(after: string, limit: number): StreamStanding[]
  begun(range: BegunRange): RunId[]
  /** Whether this holder has the lease now. */
  lease(holder: string, untilMs: number, nowMs: number): boolean
}

/** What is compared when somebody seals. */
export interface LogPlace {
  readonly size: number
  readonly cursor: number
  readonly purges: number
}

/** The end of a stream and the last event of it that is sealed, -1 where none is. */
export interface Standing extends GrownHead {
  readonly sealed: number
}

const numeric = Number.MAX_SAFE_INTEGER

/** Prepares the statements. */
export function logTable(database: Database): LogTable {
  return { ...reading(database), ...growth(database), ...writing(database), ...attesting(database) }
}

function growth(
  database: Database,
): Pick<LogTable, 'place' | 'touched' | 'lastId' | 'owed' | 'standings' | 'governanceNo'> {
  const place = database.prepare('SELECT size, cursor, purges FROM log')
  // The order keeps the planner from an index over streams, all of which it would read.
  const touched = database.prepare('SELECT DISTINCT stream FROM events NOT INDEXED WHERE id > ? AND id <= ?')
  touched.setReturnArrays(true)
  const lastId = database.prepare('SELECT ifnull(max(id), 0) AS id FROM events')
  const owed = database.prepare('SELECT stream FROM log_owed ORDER BY stream LIMIT ?')
  // One statement for many takes a third of the time of many.
  const standings = database.prepare(`
    SELECT s.no, s.name, e.seq, lower(hex(e.hash)), ${sealedOf('s.no')}
    FROM json_each(?1) AS i CROSS JOIN streams AS s ON s.no = i.value
    CROSS JOIN events AS e ON e.stream = s.no AND e.seq = (SELECT max(l.seq) FROM events AS l WHERE l.stream = s.no)
    UNION ALL SELECT s.no, s.name, o.seq, lower(hex(o.hash)), ${sealedOf('s.no')}
    FROM log_owed AS o CROSS JOIN streams AS s ON s.no = o.stream WHERE o.stream IN (SELECT value FROM json_each(?1))`)
  standings.setReturnArrays(true)
  const governanceNo = database.prepare('SELECT no FROM streams WHERE name = ?')
  return {
    place: () => ({ ...(place.get() as LogPlace) }),
    touched: (afterId, upToId) => (touched.all(afterId, upToId) as [number][]).map(([no]) => no),
    lastId: () => (lastId.get() as { id: number }).id,
    owed: (limit) => (owed.all(limit) as { stream: number }[]).map(({ stream }) => stream),
    standings: (streamNos) =>
      (standings.all(JSON.stringify(streamNos)) as StandingRow[]).map(([place, stream, seq, hash, sealed]) => {
        return { place, stream, seq, hash, sealed }
      }),
    governanceNo: () => (governanceNo.get(sealedLast) as { no: number } | undefined)?.no,
  }
}

type StandingRow = readonly [no: number, stream: StreamId, seq: number, hash: string, sealed: number]

function sealedOf(no: string): string {
  return `ifnull((SELECT l.seq FROM log_leaves AS l WHERE l.stream = ${no} ORDER BY l.no DESC LIMIT 1), -1)`
}

function writing(database: Database): Pick<LogTable, 'add' | 'setPlace' | 'lease'> {
  const leaves = new RowStatements(
    database,
    'INSERT OR FAIL INTO log_leaves (no, stream, seq, hash) VALUES',
    '(?, ?, ?, unhex(?))',
  )
  const grow = database.prepare('UPDATE log_tiles SET hashes = ? WHERE level = ? AND no = ?')
  const begin = database.prepare('INSERT INTO log_tiles (hashes, level, no) VALUES (?, ?, ?)')
  const checkpoint = database.prepare('INSERT INTO log_checkpoints (size, root, note, at) VALUES (?, unhex(?), ?, ?)')
  const settle = database.prepare('DELETE FROM log_owed WHERE stream = ? AND seq <= ?')
  const setPlace = database.prepare('UPDATE log SET size = ?, cursor = ?')
  const lease = database.prepare(`
    UPDATE log SET holder = ?1, held_until = ?2 WHERE holder IS NULL OR holder = ?1 OR held_until <= ?3`)
  const hasOwed = database.prepare('SELECT 1 FROM log_owed LIMIT 1')
  return {
    add: ({ size, heads, tiles, checkpoint: made }) => {
      const values: Value[] = []
      for (const [index, { place, seq, hash }] of heads.entries()) values.push(size + index, place, seq, hash)
      leaves.insert(values)
      for (const tile of tiles) putTile(tile)
      checkpoint.run(made.size, made.root, made.note, made.atMs)
      if (hasOwed.get() !== undefined) for (const { place, seq } of heads) settle.run(place, seq)
    },
    setPlace: (size, cursor) => void setPlace.run(size, cursor),
    lease: (holder, untilMs, nowMs) => Number(lease.run(holder, untilMs, nowMs).changes) > 0,
  }

  function putTile({ level, index, hashes }: Tile): void {
    const { changes } = grow.run(hashes, level, index)
    if (Number(changes) === 0) begin.run(hashes, level, index)
  }
}

type Attesting = 'attest' | 'attestations' | 'attestationsUpTo'

function attesting(database: Database): Pick<LogTable, Attesting> {
  const attest = database.prepare(`
    INSERT INTO log_attestations (size, kind, said_by, text) SELECT c.size, ?2, ?3, ?4 FROM log_checkpoints AS c WHERE c.size = ?1
    AND NOT EXISTS (SELECT 1 FROM log_attestations AS a WHERE a.size = ?1 AND a.kind = ?2 AND a.said_by = ?3)`)
  const ofAttestation = 'SELECT size, kind, said_by AS "by", text FROM log_attestations'
  const from = database.prepare(`${ofAttestation} WHERE size >= ? ORDER BY size, kind, said_by LIMIT ?`)
  const upTo = database.prepare(`${ofAttestation} WHERE size <= ? ORDER BY size DESC, kind DESC, said_by DESC LIMIT ?`)
  return {
    attest: ({ size, kind, by, text }) => void attest.run(size, kind, by, text),
    attestations: (fromSize, limit) => (from.all(fromSize, limit) as Attestation[]).map((row) => ({ ...row })),
    attestationsUpTo: (size, limit) => (upTo.all(size, limit) as Attestation[]).map((row) => ({ ...row })),
  }
}

type Reading = 'state' | 'leaves' | 'leavesOf' | 'tile' | 'checkpoints' | 'checkpointUpTo' | 'streams' | 'begun'

function reading(database: Database): Pick<LogTable, Reading> {
  const ofLeaf = 'l.no AS "index", s.name AS stream, l.seq, lower(hex(l.hash)) AS hash'
  const leaves = database.prepare(`
    SELECT ${ofLeaf} FROM log_leaves AS l JOIN streams AS s ON s.no = l.stream WHERE l.no >= ? ORDER BY l.no LIMIT ?`)
  const leavesOf = database.prepare(`
    SELECT ${ofLeaf} FROM log_leaves AS l JOIN streams AS s ON s.no = l.stream
    WHERE l.stream = (SELECT no FROM streams WHERE name = ?) AND l.no < ? ORDER BY l.no DESC LIMIT ?`)
  const tile = database.prepare('SELECT hex(hashes) AS hashes FROM log_tiles WHERE level = ? AND no = ?')
  const ofCheckpoint = 'SELECT size, lower(hex(root)) AS root, note, at AS atMs FROM log_checkpoints'
  const checkpoints = database.prepare(`${ofCheckpoint} WHERE size >= ? ORDER BY size LIMIT ?`)
  const upTo = database.prepare(`${ofCheckpoint} WHERE size <= ? ORDER BY size DESC LIMIT 1`)
  const size = database.prepare('SELECT size FROM log')
  const streams = database.prepare(selectStreams)
  const begun = database.prepare(`
    SELECT substr(s.name, 5) AS run FROM streams AS s JOIN events AS e ON e.stream = s.no AND e.seq = 0
    WHERE s.name > 'run/' || ? AND s.name < 'run0' AND e.at >= ? AND e.at < ? ORDER BY s.name LIMIT ?`)
  const lastUpTo = (most: number): Checkpoint | undefined => {
    const row = upTo.get(most) as Checkpoint | undefined
    return row && { ...row }
  }
  return {
    state: () => ({ size: (size.get() as { size: number }).size, checkpoint: lastUpTo(numeric) }),
    leaves: (from, limit) => (leaves.all(from, limit) as Leaf[]).map((row) => ({ ...row })),
    leavesOf: (stream, before, limit) => (leavesOf.all(stream, before, limit) as Leaf[]).map((row) => ({ ...row })),
    tile: ({ level, index }) => {
      const row = tile.get(level, index) as { readonly hashes: string } | undefined
      return new Uint8Array(Buffer.from(row?.hashes ?? '', 'hex'))
    },
    checkpoints: (from, limit) => (checkpoints.all(from, limit) as Checkpoint[]).map((row) => ({ ...row })),
    checkpointUpTo: lastUpTo,
    streams: (after, limit) =>
      (streams.all(after, limit) as StreamRow[]).map(({ purged, ...row }) => ({ ...row, isPurged: purged === 1 })),
    begun: ({ fromMs, beforeMs, after = '', limit }) =>
      (begun.all(after, fromMs, beforeMs, limit) as { readonly run: RunId }[]).map(({ run }) => run),
  }
}

type StreamRow = Omit<StreamStanding, 'isPurged'> & { readonly purged: number }

const selectStreams = `
  SELECT s.name AS stream, ifnull(e.seq, p.head_seq) AS seq, lower(hex(ifnull(e.hash, p.head_hash))) AS hash,
    p.stream IS NOT NULL AS purged
  FROM streams AS s LEFT JOIN purged AS p ON p.stream = s.no
  LEFT JOIN events AS e ON e.stream = s.no AND e.seq = (SELECT max(l.seq) FROM events AS l WHERE l.stream = s.no)
  WHERE s.name > ? AND (e.seq IS NOT NULL OR p.stream IS NOT NULL) ORDER BY s.name LIMIT ?`
