import type { OutboxEntry, RunId, StoredEvent, StreamId } from '../../journal/index.js'
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
import { KnownCheckpoint, moveStateError, storeError } from '../index.js'
import { approvals } from './approvals.js'
import { claim, release, renew, suspend, type Turn } from './claims.js'
import { decide } from './decisions.js'
import { type MemoryDisk, memoryDisk } from './disk.js'
import { append, create } from './events.js'
import type { Handle } from './handle.js'
import { TimerHeartbeat } from './heartbeat.js'
import { MemoryLog } from './log.js'
import { hold, mark, missing, pulse, quarantine } from './mark.js'
import { MemoryMoving } from './moving.js'
import { purge } from './purge.js'
import { rebuild } from './rebuild.js'
import { runs } from './runs.js'
import { record } from './streams.js'
import { announce, openRuns, workers } from './workers.js'

const prefix = 'run/'
const place = 'memory'

/**
 * A store in memory, for tests and simulations: the semantics of the others, durable only as long as its disk is kept.
 * Everything happens at the call, in one piece; results come with the next microtask. It has no timers but those of
 * heartbeats that hold something.
 */
export function memory(disk: MemoryDisk = memoryDisk()): MovableStoreFactory {
  const open = async (parts: StoreParts): Promise<Store> => {
    if (disk.moveState !== undefined) throw moveStateError(place, disk.moveState)
    return new MemoryStore(disk, parts)
  }
  return Object.assign(open, { openToMove: async (parts: StoreParts) => new MemoryMoving(disk, parts) })
}

class MemoryStore implements Store {
  readonly transactions = 'none'
  readonly #handle: Handle
  readonly #turn: Turn = { index: 0 }
  readonly #hearts = new Set<Heartbeat>()
  readonly #listeners = new Set<(change: Change) => void>()
  readonly log: Log
  #isClosed = false

  constructor(disk: MemoryDisk, parts: StoreParts) {
    this.#handle = { disk, parts: { ...parts, known: new KnownCheckpoint() } }
    this.log = new MemoryLog(
      () => this.#open(),
      () => this.#toWrite(),
    )
  }

  describe(): string {
    return 'memory, nothing outlives the process'
  }

  async create(request: CreateRun): Promise<Created> {
    return create(this.#toWrite(), request)
  }

  async append(request: Append): Promise<Appended> {
    return append(this.#toWrite(), request)
  }

  async decide<T>(request: Decide<T>): Promise<T> {
    return decide(this.#toWrite(), request)
  }

  async record(request: RecordRequest): Promise<Recorded> {
    return record(this.#toWrite(), request)
  }

  async suspend(request: Suspend): Promise<boolean> {
    return suspend(this.#toWrite(), request)
  }

  async read(
    stream: StreamId,
    range: { readonly fromSeq?: number; readonly limit?: number } = {},
  ): Promise<StoredEvent[]> {
    const { disk } = this.#open()
    const { fromSeq = 0, limit = Number.POSITIVE_INFINITY } = range
    const isOfRun = stream.startsWith(prefix)
    const events = isOfRun ? disk.find(stream.slice(prefix.length) as RunId)?.events : disk.stream(stream)
    return events?.slice(fromSeq, fromSeq + limit) ?? []
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return claim(this.#toWrite(), request, this.#turn)
  }

  async renew(claims: readonly ClaimRef[], leaseMs: number): Promise<ClaimRef[]> {
    return renew(this.#toWrite(), claims, leaseMs)
  }

  async release(given: ClaimRef): Promise<boolean> {
    return release(this.#toWrite(), given)
  }

  async run(id: RunId): Promise<RunRow | undefined> {
    return this.#open().disk.find(id)?.row
  }

  async outbox(query: OutboxQuery): Promise<Page<OutboxEntry>> {
    return this.#open().disk.outbox.page(query)
  }

  async purge(request: Purge): Promise<{ readonly purged: readonly RunId[] }> {
    return purge(this.#toWrite(), request)
  }

  async runs(query: RunQuery): Promise<Page<RunRow>> {
    return runs(this.#open().disk, query)
  }

  async approvals(query: ApprovalQuery): Promise<Page<ApprovalRow>> {
    return approvals(this.#open().disk, query)
  }

  watch(listener: (change: Change) => void): () => void {
    const { disk } = this.#open()
    // A function of its own: the same listener may be added twice. It speaks in a microtask, after the commit's caller.
    const own = (change: Change): void => queueMicrotask(() => void (disk.listeners.has(own) && listener(change)))
    const remove = (): void => {
      disk.listeners.delete(own)
      this.#listeners.delete(own)
    }
    disk.listeners.add(own)
    this.#listeners.add(own)
    return remove
  }

  heartbeat(options: HeartbeatOptions): Heartbeat {
    const heart = new TimerHeartbeat(this.#open(), options)
    this.#hearts.add(heart)
    return heart
  }

  async announce(note: WorkerNote, forMs: number): Promise<void> {
    announce(this.#open(), note, forMs)
  }

  async depart(id: string): Promise<void> {
    this.#open().disk.workers.delete(id)
  }

  async workers(): Promise<readonly WorkerRow[]> {
    return workers(this.#open())
  }

  async openRuns(): Promise<readonly OpenRuns[]> {
    return openRuns(this.#open())
  }

  async rebuild(): Promise<{ readonly runCount: number; readonly eventCount: number }> {
    return rebuild(this.#toWrite())
  }

  async mark(): Promise<Mark> {
    return mark(this.#open())
  }

  async pulse(): Promise<Mark> {
    return pulse(this.#open())
  }

  async missing(heads: readonly NotedHead[]): Promise<NotedHead[]> {
    return missing(this.#open(), heads)
  }

  async hold(reason: string): Promise<void> {
    hold(this.#open(), reason)
  }

  async quarantine(parking: Parking): Promise<{ readonly parkedCount: number }> {
    return quarantine(this.#open(), parking)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const listener of this.#listeners) this.#handle.disk.listeners.delete(listener)
    await Promise.all([...this.#hearts].map((heart) => heart.stop()))
  }

  #toWrite(): Handle {
    const handle = this.#open()
    const { moveState, isLocked } = handle.disk
    if (moveState !== undefined) throw moveStateError(place, moveState)
    if (isLocked) {
      const message =
        'The store is being moved, so nothing was written. The run is as it was; try again when it is over.'
      throw storeError('store_locked', message)
    }
    return handle
  }

  #open(): Handle {
    if (!this.#isClosed) return this.#handle
    throw storeError(
      'store_closed',
      'The store was closed, so nothing was read or written. The run is as it was; open the store again.',
    )
  }
}
