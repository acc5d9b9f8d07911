import type {
  ClaimId,
  Draft,
  Head,
  Limits,
  OutboxEntry,
  RunFold,
  RunId,
  StoredEvent,
  StreamId,
} from '../journal/index.js'
import type { AppendBasis } from './append-basis.js'
import type { ApprovalQuery, ApprovalRow } from './approvals.js'
import type { Change } from './change.js'
import type { ClaimRef } from './claim-ref.js'
import type { Clock } from './clock.js'
import type { Heartbeat, HeartbeatOptions } from './heartbeat.js'
import type { Log } from './log.js'
import type { Mark, NotedHead } from './mark.js'
import type { RunStatus } from './run-status.js'
import type { rolledBackCode } from './set-aside.js'
import type { Recorded, RecordRequest } from './streams.js'
import type { DatabaseKind, Within } from './transaction.js'
import type { OpenRuns, WorkerNote, WorkerRow } from './workers.js'

/** Opens a store: `sqlite({ file })`, `memory()`. Rejects with a code of `StoreErrorCode` if it cannot be trusted. */
export type StoreFactory = (parts: StoreParts) => Promise<Store>

/** What a store is given by whoever opens it. */
export interface StoreParts {
  /** Dates events and leases where the database has no clock of its own. */
  readonly clock: Clock
  /** Returns so many fresh random bytes: salts and claim ids are made of them. */
  readonly randomBytes: (count: number) => Uint8Array
  readonly limits: Limits
  /** Told, seldom, what an operator should look into. */
  readonly warn: (message: string) => void
}

/**
 * Where journals live. Every implementation passes the suite `storeConformance` of `constancia/testing`. Whatever a
 * method acknowledges is durable when it returns. Faults are `ConstanciaError`s with a code of `StoreErrorCode`; what is
 * expected to happen is an outcome. Safety never depends on time: leases only decide who may try.
 */
export interface Store {
  /** Whose transactions {@link Append.within} gets; `none` where there are none, and an append with it is a bug. */
  readonly transactions: DatabaseKind | 'none'
  /** The log over the heads of all streams, by which others can be shown that nothing was changed. */
  readonly log: Log
  /** What it is and runs with, in a line: `SQLite 3.53.0, WAL, synchronous=FULL, /var/lib/app.db`. */
  describe(): string
  /**
   * Starts a run's journal and marks the run ready. The same id again changes nothing and returns what is there, also where
   * it was purged.
   */
  create(request: CreateRun): Promise<Created>
  /** Adds events of the claim's owner, and starts its successor where it has one. All of it is stored, or nothing. */
  append(request: Append): Promise<Appended>
  /**
   * Lets the world outside add to a run: reads, decides and appends in one transaction, so that nobody starves and no
   * fact changes in between. Events mark a waiting run ready. A delivery that is stored already is reported in the facts,
   * and events that carry it are not added again.
   */
  decide<T>(request: Decide<T>): Promise<T>
  /**
   * Adds to a stream that belongs to no run, such as `governance`: one after the other, whoever asks. Whatever depends on where that stream ends
   * ({@link Append.basis}, {@link Decide.basis}) comes before or after all of it. With an `Erased` of `governance` the data that its body names is deleted.
   */
  record(request: RecordRequest): Promise<Recorded>
  /**
   * Ends a claim because nothing is left to do until something comes. False, and nothing is done, if something came
   * (the head moved) or the claim is lost.
   */
  suspend(request: Suspend): Promise<boolean>
  /** The events of a stream from `fromSeq` (0) on, at most `limit`, in order. Empty for a stream that is unknown. */
  read(stream: StreamId, range?: { readonly fromSeq?: number; readonly limit?: number }): Promise<StoredEvent[]>
  /**
   * Takes runs that are due: ready, at their time, or with a lease that ran out. Longest due first within a flow; flows
   * take turns; no flow and no key gets more at once than its limits say. Each gets a fresh claim id and its epoch plus one.
   * A run whose lease ran out too often is not taken but set aside.
   */
  claim(request: ClaimRequest): Promise<ClaimAnswer>
  /** Prolongs leases from now on. Returns those that are still held; the others are lost for good. */
  renew(claims: readonly ClaimRef[], leaseMs: number): Promise<ClaimRef[]>
  /** Ends a claim and marks its run ready. False, and nothing is done, if the claim is lost. */
  release(claim: ClaimRef): Promise<boolean>
  run(id: RunId): Promise<RunRow | undefined>
  /** What runs have to tell each other, or those who started them, and nobody has done yet, oldest first. */
  outbox(query: OutboxQuery): Promise<Page<OutboxEntry>>
  /**
   * Deletes journals of runs that have ended; the id, the head and the time of each remain, so that it is never started
   * again. Skips runs that are open, unknown, or still have something to tell another; notices for whoever started a run go with it. In one
   * transaction.
   */
  purge(request: Purge): Promise<{ readonly purged: readonly RunId[] }>
  /** Runs, newest first. */
  runs(query: RunQuery): Promise<Page<RunRow>>
  /** Approvals that runs have asked for, oldest first. */
  approvals(query: ApprovalQuery): Promise<Page<ApprovalRow>>
  /**
   * Calls the listener after something changed, in this process or another: a hint that may be late, doubled, or without
   * a run's name, never a promise. Returns what stops it.
   */
  watch(listener: (change: Change) => void): () => void
  /** Keeps leases alive from where a busy event loop cannot block it. */
  heartbeat(options: HeartbeatOptions): Heartbeat
  /**
   * Notes that a worker is there, for so many milliseconds from now on; again prolongs that and replaces what it said. Forgets
   * workers that are long gone. Wakes nobody.
   */
  announce(note: WorkerNote, forMs: number): Promise<void>
  /** Strikes a worker off the list; nothing happens if it is not there. */
  depart(id: string): Promise<void>
  /** Workers that were announced and have not departed, the first of them first; those that are gone for an hour yet. */
  workers(): Promise<readonly WorkerRow[]>
  /** Open runs, counted; and who holds how many of them. In no order that matters. */
  openRuns(): Promise<readonly OpenRuns[]>
  /**
   * Computes every projection anew from the journals and marks open runs ready, but for those that {@link Store.quarantine}
   * parked. For an operator; no worker may be up.
   */
  rebuild(): Promise<{ readonly runCount: number; readonly eventCount: number }>
  /**
   * Where the database stands, as it is now on the server that takes writes. Rejects with `store_rolled_back` where this handle can see that
   * its database was put away under it.
   */
  mark(): Promise<Mark>
  /**
   * Counts one up, in a commit of its own: whoever finds it later knows that what was acknowledged before is there as well. Begins a
   * term where another server serves the database than in the last one. Returns the mark, read afterwards.
   */
  pulse(): Promise<Mark>
  /** Those of these events that are not in the database, though their runs were not purged. */
  missing(heads: readonly NotedHead[]): Promise<NotedHead[]>
  /** Notes in the mark what was found missing, unless something is noted already. */
  hold(reason: string): Promise<void>
  /**
   * Accepts the database as it is, for an operator: parks every open run as stuck, takes it away from its owner, raises its epoch beyond
   * any that may have been lost, and begins a term. In one transaction. A run that was stuck keeps the code `poison`, and what was said of it follows the message.
   */
  quarantine(parking: Parking): Promise<{ readonly parkedCount: number }>
  /** Waits for what is under way and lets go of the database. Whatever is called afterwards fails with `store_closed`. */
  close(): Promise<void>
}

/** A run to start. */
export interface CreateRun {
  readonly run: RunId
  /** The first is `FlowStarted`. */
  readonly drafts: readonly Draft[]
  readonly by: string
  readonly seen: string
  /** Taken off the outbox in the same transaction, whatever becomes of the start. */
  readonly settles?: OutboxRef
  /**
   * Follow the drafts if the outbox asks this run to end already: nothing that the run whose event is settled says can come between
   * that look and the start. So a run that is to end before it begins has that in its journal before anybody can have it.
   * Only for a start that settles an entry.
   */
  readonly draftsIfToEnd?: readonly Draft[]
}

/** Which entry of the outbox: the event that put it there. */
export type OutboxRef = Pick<OutboxEntry, 'run' | 'seq'>

/** What becomes of a start. */
export type Created =
  | { readonly kind: 'created'; readonly events: readonly StoredEvent[] }
  | { readonly kind: 'exists'; readonly row: RunRow }
  /** There was such a run; its journal was deleted. */
  | { readonly kind: 'purged' }

/** A run that was taken: who it is, what it runs, and where its journal ends. */
export interface Claim extends ClaimRef {
  readonly stream: StreamId
  readonly flow: string
  readonly version: number
  readonly head: Head
  /** How often in a row its lease ran out before this claim, without an event of an owner in between. */
  readonly lostLeaseCount: number
}

/** Events that a claim's owner adds. */
export interface Append {
  readonly claim: ClaimRef
  /** The last event that the owner knows. */
  readonly head: Head
  readonly drafts: readonly Draft[]
  readonly seen: string
  /** How many of the run's signals its flow has read so far. */
  readonly readSignalCount: number
  /**
   * The run that takes over, where the last draft is `FlowContinued`. Signals that it carries over are in the inbox already,
   * which the two share.
   */
  readonly successor?: CreateRun
  /** Another stream that these events were decided from; it must still end there. */
  readonly basis?: AppendBasis
  /** What is done in the same transaction; it has no successor then. */
  readonly within?: Within
}

/** What becomes of an append. */
export type Appended =
  | { readonly kind: 'appended'; readonly events: readonly StoredEvent[] }
  /** Somebody outside appended first: read on from `head`, then try again. */
  | { readonly kind: 'head_conflict'; readonly head: Head }
  /** The stream that it was decided from has grown: read on there, and decide anew. */
  | { readonly kind: 'basis_moved' }
  /** Another owner has the run, or had it. Stop at once. */
  | { readonly kind: 'claim_lost' }
  | { readonly kind: 'run_ended' }

/** Something from outside that adds to a run, or does not. */
export interface Decide<T> {
  readonly run: RunId
  /** Counts once: the inbox remembers it with the events. */
  readonly delivery: string | undefined
  readonly by: string
  readonly seen: string
  /** Taken off the outbox in the same transaction, whatever is decided. */
  readonly settles?: OutboxRef
  /** A stream of {@link Store.record} that the decision depends on: where it ends is among the facts, and nothing is added to it until this is stored. */
  readonly basis?: StreamId
  /** How far whoever decides has read, -1 for nothing: what came since is among the facts. */
  readonly known?: { readonly runSeq: number; readonly basisSeq: number }
  /** Pure: it may be called more than once. */
  readonly decide: (facts: Facts) => Decision<T>
}

/** What a decision is made from; read in the transaction that appends it. */
export interface Facts {
  readonly run: RunRow | undefined
  /** The database's clock, UTC milliseconds since 1970. */
  readonly nowMs: number
  /** True if the request's delivery is in the inbox already, which a run shares with those that it took over from. */
  readonly delivered: boolean
  /** Where the stream ends that the decision depends on; undefined where the request names none. */
  readonly basisHead: Head | undefined
  /** What came since what the request says is known, undefined where it does not say. It may not be durable yet: nothing of it is to be kept. */
  readonly news: News | undefined
}

/** The next 1,000 events, at most, of the run and of the stream that the decision depends on. */
export interface News {
  readonly run: readonly StoredEvent[]
  readonly basis: readonly StoredEvent[]
}

/** What a decision adds, and what its caller is told. */
export interface Decision<T> {
  /** Must be empty where the run is unknown or has ended. */
  readonly drafts: readonly Draft[]
  /** What was known, where that is more than the request says. */
  readonly seen?: string
  /** Whether a run that is stuck becomes ready. */
  readonly unstick?: boolean
  readonly result: T
}

/** A run that rests. */
export interface Suspend {
  readonly claim: ClaimRef
  readonly head: Head
  readonly rest: Rest
  readonly readSignalCount: number
}

/** What a run rests on. */
export type Rest =
  | {
      /** `paused` where a person has to do something. */
      readonly kind: 'waiting' | 'paused'
      /** UTC milliseconds since 1970; undefined if only something from outside wakes it. */
      readonly wakeAtMs: number | undefined
      readonly waitingFor: readonly WaitingFor[]
    }
  | { readonly kind: 'stuck'; readonly code: string; readonly message: string }

/** One thing that a run waits for, as a list shows it. */
export interface WaitingFor {
  readonly kind: 'timer' | 'signal' | 'retry' | 'child' | 'worker' | 'approval' | 'statement' | 'message'
  /** The op that waits; `-` for a worker. */
  readonly op: string
  readonly name: string
  /** UTC milliseconds since 1970, where there is such a moment. */
  readonly untilMs?: number
}

/** Which runs a worker would take, and for how long. */
export interface ClaimRequest {
  /** Names the process for people; safety does not depend on it. */
  readonly worker: string
  /** The id that the worker announces itself with, so that people see what it holds. */
  readonly workerId?: string
  readonly flows: readonly ClaimedFlow[]
  readonly limit: number
  readonly leaseMs: number
  /** A run whose lease ran out so often, without an event of an owner in between, is set aside. */
  readonly lostLeaseCountMax: number
  /** How many suspects (see `isSuspect`) may be among what is taken; unlimited unless set. Those held back do not count as due. */
  readonly suspectCountMax?: number
}

/** One flow that a worker has, and how many of its runs may be claimed at once, by all workers together. */
export interface ClaimedFlow {
  readonly flow: string
  readonly version: number
  /** Of all its versions; unlimited unless set. */
  readonly runningMax?: number
  /** With the same key; unlimited unless set. */
  readonly runningPerKeyMax?: number
}

/** The runs that were taken. */
export interface ClaimAnswer {
  readonly claims: readonly Claim[]
  /**
   * When the next run of these flows is due, UTC milliseconds since 1970; undefined if none has a time. Runs that a limit
   * holds back do not count.
   */
  readonly nextDueAtMs: number | undefined
  /** Runs that were set aside: they are stuck with the code `poison`. */
  readonly setAside: readonly RunId[]
  /** The database's clock while this was answered, UTC milliseconds since 1970. */
  readonly nowMs: number
}

/** Who has a run, as a list shows it. */
export interface HeldClaim {
  readonly id: ClaimId
  readonly worker: string
  /** Undefined where the worker named none. */
  readonly workerId: string | undefined
  /** When it was claimed, UTC milliseconds since 1970; undefined where a version before claimed it, which did not note that. */
  readonly sinceMs: number | undefined
  readonly leaseUntilMs: number
}

/** A run as a list shows it: its projection, and what the scheduler knows. */
export interface RunRow extends RunFold {
  readonly status: RunStatus
  /** Epoch of the last claim; 0 before the first. */
  readonly epoch: number
  readonly claim: HeldClaim | undefined
  readonly wakeAtMs: number | undefined
  readonly waitingFor: readonly WaitingFor[]
  readonly stuck: { readonly code: string; readonly message: string } | undefined
  readonly readSignalCount: number
  /** How often in a row its lease ran out without an event of an owner in between. */
  readonly lostLeaseCount: number
  /** Of a root: the last of the runs that took over from it; undefined while there is none. */
  readonly latest: RunId | undefined
}

/** Which entries of the outbox to list. */
export interface OutboxQuery {
  /** For whom they are: other runs, unless set, or those who started runs (`notice`). */
  readonly to?: 'runs' | 'caller'
  /** At most 1,000; 100 unless set. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

/** Which journals to delete. */
export interface Purge {
  readonly runs: readonly RunId[]
  /** Who wants it. */
  readonly by: string
}

/** How runs are parked: what lists show of them. */
export interface Parking {
  readonly code: typeof rolledBackCode
  readonly message: string
}

/** Which runs to list. */
export interface RunQuery {
  readonly flow?: string
  readonly status?: RunStatus
  /** Children of this run. */
  readonly parent?: RunId
  /** Runs whose id begins so. */
  readonly idPrefix?: string
  /** Ended before this moment, UTC milliseconds since 1970. */
  readonly endedBeforeMs?: number
  /** At most 1,000; 100 unless set. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

/** Some of many, and how to get the rest. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}
