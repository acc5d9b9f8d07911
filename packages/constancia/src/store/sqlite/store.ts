import type { OutboxEntry, RunId, StoredEvent, StreamId } from '../../journal/index.js'
import { assert } from '../../journal/index.js'
import type {
  Append,
  Appended,
  ApprovalQuery,
  ApprovalRow,
  Change,
  ClaimAnswer,
  ClaimRef,
  ClaimRequest,
  Created,
  CreateRun,
  Decide,
  Heartbeat,
  HeartbeatOptions,
  Log,
  Mark,
  MovableStoreFactory,
  Moving,
  NotedHead,
  OpenRuns,
  OutboxQuery,
  Page,
  Parking,
  Purge,
  Recorded,
  RecordRequest,
  RunQuery,
  RunRow,
  Store,
  StoreParts,
  Suspend,
  WorkerNote,
  WorkerRow,
} from '../index.js'
import { claim, release, renew, suspend, type Turn } from './claims.js'
import { decide } from './decisions.js'
import { ThreadHeartbeat } from './heartbeat.js'
import { append, create } from './journals.js'
import { SqliteLog } from './log.js'
import { mark, pulse, quarantine } from './mark.js'
import { openMoving } from './moving.js'
import { absolutePath, type Opened, open, type SqliteOptions } from './open.js'
import type { Patience } from './patience.js'
import { purge } from './purge.js'
import { rebuild } from './rebuild.js'
import { rowOf } from './run-record.js'
import { beginSession, type Session } from './session.js'
import { record } from './streams.js'
import { cutBack, walKeeper } from './wal.js'
import { remember } from './whereabouts.js'

/**
 * The embedded store: one file of SQLite, for one machine. Several processes may use it at once. Everything that it
 * acknowledges is on the disk (write-ahead log, `synchronous=FULL`). The machine's clock is the database's.
 */
export function sqlite(options: SqliteOptions): MovableStoreFactory {
  const openStore = (parts: StoreParts): Promise<Store> => openToWork(options, parts)
  const openToMove = (parts: StoreParts): Promise<Moving> => openMoving(options, patienceOf(options, parts), parts)
  return remember(Object.assign(openStore, { openToMove }), () => absolutePath(options.file))
}

function patienceOf({ file, busyMsMax = 30_000 }: SqliteOptions, { randomBytes }: StoreParts): Patience {
  return { file: absolutePath(file), busyMsMax, randomBytes }
}

async function openToWork(options: SqliteOptions, parts: StoreParts): Promise<Store> {
  const patience = patienceOf(options, parts)
  const opened = await open(options, patience)
  return storeOver({ opened, options, parts, patience })
}

/** What a store is made of once its file was opened and checked. */
export interface StoreGround {
  readonly opened: Opened
  readonly options: SqliteOptions
  readonly parts: StoreParts
  readonly patience: Patience
}

/** A store over a connection that was checked. */
export function storeOver({ opened, options, parts, patience }: StoreGround): Store {
  const { walBytesMax = 64 * 2 ** 20, watchPollMs = 25 } = options
  const { database, file } = opened
  const { warn } = parts
  const afterCommit = walKeeper({ database, file, bytesMax: walBytesMax, warn })
  return new SqliteStore(opened, beginSession({ opened, parts, patience, watchPollMs, afterCommit }), warn)
}

class SqliteStore implements Store {
  readonly transactions = 'sqlite'
  readonly #opened: Opened
  readonly #session: Session
  readonly #warn: (message: string) => void
  readonly #turn: Turn = { index: 0 }
  readonly #hearts = new Set<Heartbeat>()
  readonly log: Log
  #closed: Promise<void> | undefined

  constructor(opened: Opened, session: Session, warn: (message: string) => void) {
    this.#opened = opened
    this.#session = session
    this.#warn = warn
    this.log = new SqliteLog(session)
  }

  describe(): string {
    return this.#opened.description
  }

  create(request: CreateRun): Promise<Created> {
    return create(this.#session, request)
  }

  append(request: Append): Promise<Appended> {
    return append(this.#session, request)
  }

  decide<T>(request: Decide<T>): Promise<T> {
    return decide(this.#session, request)
  }

  record(request: RecordRequest): Promise<Recorded> {
    return record(this.#session, request)
  }

  suspend(request: Suspend): Promise<boolean> {
    return suspend(this.#session, request)
  }

  read(stream: StreamId, range: { readonly fromSeq?: number; readonly limit?: number } = {}): Promise<StoredEvent[]> {
    // SQLite takes a negative limit for none.
    return this.#session.read(() => this.#session.events.read(stream, range.fromSeq ?? 0, range.limit ?? -1))
  }

  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return claim(this.#session, request, this.#turn)
  }

  renew(claims: readonly ClaimRef[], leaseMs: number): Promise<ClaimRef[]> {
    return renew(this.#session, claims, leaseMs)
  }

  release(given: ClaimRef): Promise<boolean> {
    return release(this.#session, given)
  }

  run(id: RunId): Promise<RunRow | undefined> {
    return this.#session.read(() => {
      const record = this.#session.runs.record(id)
      return record === undefined ? undefined : rowOf(record)
    })
  }

  outbox(query: OutboxQuery): Promise<Page<OutboxEntry>> {
    return this.#session.read(() => this.#session.outbox.list(query))
  }

  purge(request: Purge): Promise<{ readonly purged: readonly RunId[] }> {
    return purge(this.#session, request)
  }

  runs(query: RunQuery): Promise<Page<RunRow>> {
    return this.#session.read(() => this.#session.list(query))
  }

  approvals(query: ApprovalQuery): Promise<Page<ApprovalRow>> {
    return this.#session.read(() => this.#session.approvals.list(query))
  }

  watch(listener: (change: Change) => void): () => void {
    this.#session.commit.checkAlive()
    return this.#session.watchers.add(listener)
  }

  heartbeat(options: HeartbeatOptions): Heartbeat {
    this.#session.commit.checkAlive()
    assert(options.leaseMs > 0, 'a lease lasts longer than 0 ms')
    const heart = new ThreadHeartbeat({ file: this.#opened.file, options, warn: this.#warn })
    this.#hearts.add(heart)
    return heart
  }

  announce(note: WorkerNote, forMs: number): Promise<void> {
    return this.#session.write(() => {
      const nowMs = this.#session.clock.now()
      this.#session.workers.announce(note, { nowMs, untilMs: nowMs + forMs })
    })
  }

  depart(id: string): Promise<void> {
    return this.#session.write(() => this.#session.workers.depart(id))
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#session.read(() => this.#session.workers.list(this.#session.clock.now()))
  }

  openRuns(): Promise<readonly OpenRuns[]> {
    return this.#session.read(() => this.#session.workers.openRuns(this.#session.clock.now()))
  }

  rebuild(): Promise<{ readonly runCount: number; readonly eventCount: number }> {
    return rebuild(this.#session)
  }

  mark(): Promise<Mark> {
    return mark(this.#session)
  }

  pulse(): Promise<Mark> {
    return pulse(this.#session)
  }

  missing(heads: readonly NotedHead[]): Promise<NotedHead[]> {
    return this.#session.read(() => this.#session.marks.missing(heads))
  }

  hold(reason: string): Promise<void> {
    return this.#session.write(() => this.#session.marks.hold(reason))
  }

  quarantine(parking: Parking): Promise<{ readonly parkedCount: number }> {
    return quarantine(this.#session, parking)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.all([this.#session.commit.close(), ...[...this.#hearts].map((heart) => heart.stop())])
    this.#session.watchers.close()
    this.#session.presence.leave()
    cutBack(this.#opened.database)
    this.#opened.database.close()
  }
}
