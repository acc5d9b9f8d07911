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
import { approvals } from './approvals.js'
import { beginSession } from './begin.js'
import { claim, type Turn } from './claiming.js'
import { release, renew, suspend } from './claims.js'
import { decide } from './decisions.js'
import { usualAnswerMsMax } from './driver.js'
import { readEvents } from './events.js'
import { messageOf } from './faults.js'
import { ThreadHeartbeat } from './heartbeat.js'
import { append, create } from './journals.js'
import { PostgresLog } from './log.js'
import { hold, mark, missing, pulse, quarantine } from './mark.js'
import { openMoving } from './moving.js'
import { type Opened, open, openToMove, type PostgresOptions, placeOfOptions } from './open.js'
import { outbox } from './outbox.js'
import { closedError, Outages, type Patience } from './patience.js'
import { purge } from './purge.js'
import { rebuild } from './rebuild.js'
import { runs } from './run-list.js'
import { rowOf } from './run-record.js'
import { recordsOf } from './runs.js'
import type { Session } from './session.js'
import { record } from './streams.js'
import { announce, depart, openRuns, workers } from './workers.js'

/**
 * The store of a fleet: a schema in a PostgreSQL, for workers on many machines. Everything that it acknowledges is committed
 * there. Leases, due times and decisions are dated by the database's clock. A database that goes away is waited for.
 */
export function postgres(options: PostgresOptions): MovableStoreFactory {
  const openStore = async (parts: StoreParts): Promise<Store> => {
    const life = { isClosing: false }
    const patience = patienceOf(options, parts, life)
    const opened = await open(options, patience)
    return new PostgresStore({ opened, session: beginSession({ opened, parts, patience }), parts, life })
  }
  const openMove = async (parts: StoreParts): Promise<Moving> => {
    const patience = patienceOf(options, parts, { isClosing: false })
    return openMoving(await openToMove(options, patience), patience)
  }
  return Object.assign(openStore, { openToMove: openMove })
}

interface Life {
  isClosing: boolean
}

function patienceOf(options: PostgresOptions, parts: StoreParts, life: Life): Patience {
  const place = placeOfOptions(options)
  const outages = new Outages()
  return {
    place,
    waitMsMax: options.waitMsMax ?? 30_000,
    answerMsMax: options.answerMsMax ?? usualAnswerMsMax,
    randomBytes: parts.randomBytes,
    isClosing: () => life.isClosing,
    report: (isAway, cause) => {
      if (outages.note(isAway) && !life.isClosing) {
        parts.warn(
          `${place} cannot be reached, or does not write (${messageOf(cause)}). Runs wait and none fails for it; it is tried again until the ` +
            'database is back. See that it runs and accepts connections.',
        )
      }
    },
  }
}

interface StoreGround {
  readonly opened: Opened
  readonly session: Session
  readonly parts: StoreParts
  readonly life: Life
}

class PostgresStore implements Store {
  readonly transactions = 'postgres'
  readonly #ground: StoreGround
  readonly #session: Session
  readonly #turn: Turn = { index: 0 }
  readonly #hearts = new Set<Heartbeat>()
  readonly #underway = new Set<Promise<unknown>>()
  readonly log: Log
  #closed: Promise<void> | undefined

  constructor(ground: StoreGround) {
    this.#ground = ground
    this.#session = ground.session
    this.log = new PostgresLog(ground.session, { ask: (call) => this.#ask(call), do: (call) => this.#do(call) })
  }

  describe(): string {
    return this.#ground.opened.description
  }

  create(request: CreateRun): Promise<Created> {
    return this.#do(() => create(this.#session, request))
  }

  // Whatever is accepted is decided before the queue of writes is closed, so there is nothing besides to wait for.
  append(request: Append): Promise<Appended> {
    return append(this.#session, request)
  }

  decide<T>(request: Decide<T>): Promise<T> {
    return this.#do(() => decide(this.#session, request))
  }

  record(request: RecordRequest): Promise<Recorded> {
    return this.#do(() => record(this.#session, request))
  }

  suspend(request: Suspend): Promise<boolean> {
    return this.#do(() => suspend(this.#session, request))
  }

  read(stream: StreamId, range: { readonly fromSeq?: number; readonly limit?: number } = {}): Promise<StoredEvent[]> {
    const asked = { fromSeq: range.fromSeq ?? 0, limit: range.limit }
    return this.#ask(() => readEvents(this.#session, this.#session.connections, { stream, range: asked }))
  }

  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return this.#do(() => claim(this.#session, request, this.#turn))
  }

  renew(claims: readonly ClaimRef[], leaseMs: number): Promise<ClaimRef[]> {
    return this.#do(() => renew(this.#session, claims, leaseMs))
  }

  release(given: ClaimRef): Promise<boolean> {
    return this.#do(() => release(this.#session, given))
  }

  run(id: RunId): Promise<RunRow | undefined> {
    return this.#ask(async () => {
      const record = (await recordsOf(this.#session, this.#session.connections, [id])).get(id)
      return record === undefined ? undefined : rowOf(record)
    })
  }

  outbox(query: OutboxQuery): Promise<Page<OutboxEntry>> {
    return this.#ask(() => outbox(this.#session, query))
  }

  purge(request: Purge): Promise<{ readonly purged: readonly RunId[] }> {
    return this.#do(() => purge(this.#session, request))
  }

  runs(query: RunQuery): Promise<Page<RunRow>> {
    return this.#ask(() => runs(this.#session, query))
  }

  approvals(query: ApprovalQuery): Promise<Page<ApprovalRow>> {
    return this.#ask(() => approvals(this.#session, query))
  }

  watch(listener: (change: Change) => void): () => void {
    this.#checkOpen()
    return this.#session.watchers.add(listener)
  }

  heartbeat(options: HeartbeatOptions): Heartbeat {
    this.#checkOpen()
    assert(options.leaseMs > 0, 'a lease lasts longer than 0 ms')
    const { opened, parts } = this.#ground
    const { connection, schema } = opened
    const { place } = this.#session.patience
    const heart = new ThreadHeartbeat({ connection, schema, place, options, warn: parts.warn })
    this.#hearts.add(heart)
    return heart
  }

  announce(note: WorkerNote, forMs: number): Promise<void> {
    return this.#ask(() => announce(this.#session, note, forMs))
  }

  depart(id: string): Promise<void> {
    return this.#ask(() => depart(this.#session, id))
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#ask(() => workers(this.#session))
  }

  openRuns(): Promise<readonly OpenRuns[]> {
    return this.#ask(() => openRuns(this.#session))
  }

  rebuild(): Promise<{ readonly runCount: number; readonly eventCount: number }> {
    return this.#do(() => rebuild(this.#session))
  }

  mark(): Promise<Mark> {
    return this.#ask(() => mark(this.#session))
  }

  pulse(): Promise<Mark> {
    return this.#do(() => pulse(this.#session))
  }

  missing(heads: readonly NotedHead[]): Promise<NotedHead[]> {
    return this.#ask(() => missing(this.#session, heads))
  }

  hold(reason: string): Promise<void> {
    return this.#do(() => hold(this.#session, reason))
  }

  quarantine(parking: Parking): Promise<{ readonly parkedCount: number }> {
    return this.#do(() => quarantine(this.#session, parking))
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#ground.life.isClosing = true
    await this.#session.commit.close()
    await Promise.allSettled([...this.#underway, ...[...this.#hearts].map((heart) => heart.stop())])
    await this.#session.watchers.close()
    await this.#ground.opened.connections.close()
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedError()
  }

  // Something that closing waits for.
  async #do<T>(call: () => Promise<T>): Promise<T> {
    this.#checkOpen()
    const underway = call()
    this.#underway.add(underway)
    try {
      return await underway
    } finally {
      this.#underway.delete(underway)
    }
  }

  #ask<T>(call: () => Promise<T>): Promise<T> {
    return this.#do(() => this.#session.patiently(call))
  }
}
