import type { RunId, StreamId } from '../journal/index.js'

/**
 * The Merkle log over the heads of all streams, as `docs/evidence-format.md` §2 says what it is. A store keeps its leaves, the
 * tiles that hold their hashes, and the signed checkpoints; it computes and verifies nothing of it. Every implementation of `Store`
 * has one, which is empty until somebody seals. What a method acknowledges is durable when it returns; faults are those of the store.
 */
export interface Log {
  /** How far it goes. */
  state(): Promise<LogState>
  /**
   * What the next sealing adds: the heads of streams that grew since the last one, about `limit` of them at most, and that of `governance`, which is
   * read after all others: no event up to those heads has seen an event of it that comes later. Finds every event that was committed
   * before the call, whoever wrote it.
   */
  grown(limit: number): Promise<Grown>
  /**
   * Adds leaves, tiles and a checkpoint, in one transaction, and only where the log still has the size that the sealing says: of
   * two that seal at once one does nothing.
   */
  seal(sealing: Sealing): Promise<Sealed>
  /** Leaves by their indexes, from one on, in order. */
  leaves(range: { readonly from: number; readonly limit: number }): Promise<Leaf[]>
  /** Leaves of one stream with an index below `before` (all unless set), the last of them first. */
  leavesOf(stream: StreamId, range: { readonly before?: number; readonly limit: number }): Promise<Leaf[]>
  /** The hashes in each of these tiles, 32 bytes each, in the order asked for; empty for a tile that is not there. */
  tiles(places: readonly TilePlace[]): Promise<Uint8Array[]>
  /** Checkpoints by their sizes, from one on, in order. */
  checkpoints(range: { readonly fromSize: number; readonly limit: number }): Promise<Checkpoint[]>
  /** The checkpoint with the greatest size of at most this; undefined where there is none. */
  checkpointUpTo(size: number): Promise<Checkpoint | undefined>
  /**
   * Keeps what somebody else said of a checkpoint of this log after it was made. Of one who says it twice the first stays; what is said of no checkpoint that
   * is here is not kept. Nothing about it is verified.
   */
  attest(attestation: Attestation): Promise<void>
  /** Attestations by the sizes of their checkpoints, from one on, in order; of one size by kind and by who it is, byte by byte. */
  attestations(range: { readonly fromSize: number; readonly limit: number }): Promise<Attestation[]>
  /** Attestations of checkpoints of at most this size, in the other order. */
  attestationsUpTo(range: { readonly size: number; readonly limit: number }): Promise<Attestation[]>
  /** All streams and where they end, by their names, byte by byte; those after a name. */
  streams(range: { readonly after?: StreamId; readonly limit: number }): Promise<StreamStanding[]>
  /** Runs whose first event is dated from one moment on and before another, by their ids, byte by byte; those after an id. */
  begun(range: BegunRange): Promise<RunId[]>
  /**
   * Whether this sealer is to seal for so many milliseconds from now on: true for whoever asks first, and for him again, until
   * they are over. A courtesy that spares work: what holds is {@link Log.seal}.
   */
  lease(holder: string, forMs: number): Promise<boolean>
  /** Events written through this handle from now on say that this checkpoint was known; it is in the log. */
  know(checkpoint: Pick<Checkpoint, 'size' | 'root'>): void
}

/** How far a log goes. */
export interface LogState {
  /** How many leaves it has. */
  readonly size: number
  /** The last checkpoint, which is of that size; undefined while nothing was sealed. */
  readonly checkpoint: Checkpoint | undefined
}

/** What has grown. */
export interface Grown {
  /** How many leaves there were. */
  readonly size: number
  /** Streams but `governance` that go further than their last leaves say, each once. */
  readonly heads: readonly GrownHead[]
  /** Where `governance` ends, whether or not it grew; undefined while it is empty. */
  readonly governance: GrownHead | undefined
  /** Whether `governance` goes further than its last leaf says. */
  readonly hasGovernanceGrown: boolean
  /** Whether there is more than was asked for. */
  readonly hasMore: boolean
  /** Up to where the journals were looked at: the store's own text. */
  readonly cursor: string
}

/** Where a stream ends. */
export interface GrownHead {
  readonly stream: StreamId
  readonly seq: number
  /** Lower-case hex. */
  readonly hash: string
  /** The store's own number of the stream. */
  readonly place: number
}

/** What is added to a log. */
export interface Sealing {
  /** How many leaves there must be before. */
  readonly size: number
  /** The new leaves in order; that of `governance` is the last. */
  readonly heads: readonly GrownHead[]
  /** Every tile that these change, as it is with them. */
  readonly tiles: readonly Tile[]
  /** Of the log with them. */
  readonly checkpoint: Checkpoint
  /** {@link Grown.cursor}. */
  readonly cursor: string
}

/** What becomes of a sealing. */
export type Sealed =
  | { readonly kind: 'sealed' }
  /** Somebody else has sealed: look what has grown since, and seal that. */
  | { readonly kind: 'conflict'; readonly size: number }

/** One leaf: this stream went up to this event. */
export interface Leaf {
  readonly index: number
  readonly stream: StreamId
  readonly seq: number
  /** Lower-case hex. */
  readonly hash: string
}

/** Which tile: 256 hashes of leaves (level 0) or of whole tiles of the level below, at a place counted from 0. */
export interface TilePlace {
  readonly level: number
  readonly index: number
}

/** A tile; the last one of a level may have less than 256 hashes. */
export interface Tile extends TilePlace {
  readonly hashes: Uint8Array
}

/** A checkpoint as it was signed. */
export interface Checkpoint {
  readonly size: number
  /** Lower-case hex. */
  readonly root: string
  /** The signed note. */
  readonly note: string
  /** When it was made, by the clock of whoever sealed; UTC milliseconds since 1970. */
  readonly atMs: number
}

/** What somebody who does not run the log said of one of its checkpoints. */
export interface Attestation {
  /** Of the checkpoint. */
  readonly size: number
  /** The cosignature of a witness, or a token of a time-stamping authority. */
  readonly kind: 'cosignature' | 'token'
  /** Who said it: 1 to 400 characters of whoever keeps it. */
  readonly by: string
  /** What was said: a signature line of a note without its newline, or base64. */
  readonly text: string
}

/** A stream and where it ends. */
export interface StreamStanding {
  readonly stream: StreamId
  readonly seq: number
  readonly hash: string
  /** Whether only its end is left; see `Store.purge`. */
  readonly isPurged: boolean
}

/** Which runs; moments are UTC milliseconds since 1970. */
export interface BegunRange {
  readonly fromMs: number
  readonly beforeMs: number
  readonly after?: RunId
  readonly limit: number
}

/** The stream whose leaf is the last of every sealing. */
export const sealedLast = 'governance' as StreamId

/** Bytes of a tile with all of its 256 hashes. */
export const fullTileBytes = 256 * 32

/**
 * What a sealing has to be, whatever store it is for: throws a `RangeError` unless the size of the checkpoint is that of the log with the new
 * leaves, the last of which is that of `governance`.
 */
export function checkSealing({ size, heads, checkpoint }: Sealing): void {
  if (checkpoint.size !== size + heads.length)
    throw new RangeError(`a checkpoint of size ${checkpoint.size} for ${size} leaves and ${heads.length} more`)
  if (heads.at(-1)?.stream !== sealedLast)
    throw new RangeError(`a sealing whose last leaf is not that of ${sealedLast}`)
}
