import type { Head, OutboxEntry, RunFold, RunId, StoredEvent, StreamId } from '../journal/index.js'
import type { Attestation, Checkpoint, Leaf, Tile } from './log.js'
import type { RunRow, StoreFactory, StoreParts } from './store.js'

/** The factory of a store whose whole content can be taken out, and put into an empty one. */
export interface MovableStoreFactory extends StoreFactory {
  /**
   * Opens it to move what is in it, or to move something into it; also where opening it to work is refused with `store_moved`
   * or `store_unfinished`. Rejects as opening does otherwise.
   */
  readonly openToMove: (parts: StoreParts) => Promise<Moving>
}

/** Whether a factory is one of those whose stores can be moved. */
export function isMovable(factory: StoreFactory): factory is MovableStoreFactory {
  return typeof (factory as Partial<MovableStoreFactory>).openToMove === 'function'
}

/** What is noted in a store that has to do with a move; it is durable, and opening such a store to work is refused. */
export interface MoveState {
  /** `moved`: everything was moved away from here. `arriving`: a move into here was begun and is not finished. */
  readonly kind: 'moved' | 'arriving'
  /** Of the move: the same on both sides. */
  readonly id: string
  /** The other side, for people. */
  readonly place: string
  /** When it was noted, UTC milliseconds since 1970. */
  readonly atMs: number
}

/** A store that is open to be moved. */
export interface Moving {
  /** What it is, in a line. */
  describe(): string
  /** Tells databases apart, whatever name each is reached by. */
  readonly identity: string
  /** What is noted of a move, if anything is. */
  state(): Promise<MoveState | undefined>
  /** Whether nothing ever was in here. */
  isEmpty(): Promise<boolean>
  /** Notes that a move into here begins. False, and nothing is done, unless it is empty. Durable on return. */
  expect(state: MoveState): Promise<boolean>
  /** Takes off whatever is noted of a move: whoever opens it works on it again. Durable on return. */
  release(): Promise<void>
  /** Keeps every writer out until the departure ends. Rejects with `store_locked` if somebody writes for too long. */
  depart(): Promise<Departure>
  /** Begins to fill it, in one transaction. Undefined where this move is not expected, or something else is. */
  arrive(id: string): Promise<Arrival | undefined>
  close(): Promise<void>
}

/** How much is in a store. */
export interface StoreCounts {
  readonly runCount: number
  /** Of runs, and of streams that belong to none. */
  readonly eventCount: number
  readonly purgedCount: number
  /** Deliveries that inboxes remember. */
  readonly deliveryCount: number
  /** What runs have to tell each other and nobody has done yet. */
  readonly entryCount: number
  /** Of the log. */
  readonly leafCount: number
  readonly checkpointCount: number
  readonly attestationCount: number
}

/** Where a stream ends, read from its last event. */
export interface StreamEnd {
  readonly stream: StreamId
  readonly seq: number
  readonly hash: string
}

/** What both sides of a move can be asked, to compare them. */
export interface Inventory {
  count(): Promise<StoreCounts>
  /** The ends of all journals, in the order in which the runs were created, then those of other streams by their names; in pages. */
  ends(): AsyncIterable<readonly StreamEnd[]>
}

/** Everything of a store, read while nobody can change it. */
export interface Departure extends Inventory {
  /** Names of workers that seem alive: runs are claimed by them, or they would be found by those who look. */
  readonly owners: readonly string[]
  /** In the order in which it is to be put; no more than some megabytes at once unless events are large. */
  parcels(): AsyncIterable<Parcel>
  /**
   * Notes that everything was moved, and makes the database itself refuse every later change, also of those who have it open.
   * Durable on return; the departure is over. Rejects, and changes nothing, otherwise.
   */
  seal(state: MoveState): Promise<void>
  /** Lets writers in again, and changes nothing. */
  end(): Promise<void>
}

/** A store that is being filled: all of it, or nothing. */
export interface Arrival extends Inventory {
  /** Adds something; chains are verified. Rejects with `journal_damaged` for a journal that is not whole. */
  put(parcel: Parcel): Promise<void>
  /** Keeps everything and forgets that it was expected. Durable on return; the arrival is over. */
  commit(): Promise<void>
  /** Forgets what was put; it is still expected. */
  end(): Promise<void>
}

/** A part of what is in a store. */
export type Parcel =
  | { readonly kind: 'purged'; readonly items: readonly PurgedJournal[] }
  /** In the order in which runs were created; the pieces of a journal follow each other. */
  | { readonly kind: 'journals'; readonly items: readonly JournalPiece[] }
  | { readonly kind: 'deliveries'; readonly items: readonly InboxDelivery[] }
  /** Oldest first. */
  | { readonly kind: 'entries'; readonly items: readonly OutboxEntry[] }
  /** Streams that belong to no run, by their names; the pieces of each follow each other. */
  | { readonly kind: 'streams'; readonly items: readonly StreamPiece[] }
  /** By their indexes. */
  | { readonly kind: 'leaves'; readonly items: readonly Leaf[] }
  | { readonly kind: 'tiles'; readonly items: readonly Tile[] }
  /** By their sizes. */
  | { readonly kind: 'checkpoints'; readonly items: readonly Checkpoint[] }
  /** By the sizes of their checkpoints, which were put before them. */
  | { readonly kind: 'attestations'; readonly items: readonly Attestation[] }

/** What is left of a journal that was deleted. */
export interface PurgedJournal {
  readonly run: RunId
  readonly head: Pick<Head, 'seq' | 'hash'>
  readonly outcome: RunFold['outcome']
  /** UTC milliseconds since 1970, as all of these. */
  readonly endedAtMs: number
  readonly purgedAtMs: number
  readonly by: string
}

/** Some events of a journal that follow each other, and what is known of their run besides. */
export interface JournalPiece {
  readonly row: RunRow
  /** When somebody may next try the run, UTC milliseconds since 1970. */
  readonly dueAtMs: number | undefined
  readonly events: readonly StoredEvent[]
}

/** Some events that follow each other in a stream that belongs to no run. */
export interface StreamPiece {
  readonly stream: StreamId
  readonly events: readonly StoredEvent[]
}

/** A delivery that an inbox remembers. */
export interface InboxDelivery {
  /** Whose inbox: the first of a line of runs. */
  readonly root: RunId
  readonly delivery: string
}
