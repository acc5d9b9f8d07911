import { resolve } from 'node:path'
import { headOf, type OutboxEntry, type RunId, type StoredEvent, type StreamId } from '../../journal/index.js'
import type { ApprovalQuery, ApprovalRow } from '../approvals.js'
import type { Change } from '../change.js'
import type { ClaimRef } from '../claim-ref.js'
import type { Clock } from '../clock.js'
import type { Heartbeat, HeartbeatOptions } from '../heartbeat.js'
import type { Log } from '../log.js'
import type { Mark, NotedHead } from '../mark.js'
import type {
  Append,
  Appended,
  ClaimAnswer,
  ClaimRequest,
  Created,
  CreateRun,
  Decide,
  OutboxQuery,
  Page,
  Parking,
  Purge,
  RunQuery,
  RunRow,
  Store,
  Suspend,
} from '../store.js'
import type { Recorded, RecordRequest } from '../streams.js'
import type { OpenRuns, WorkerNote, WorkerRow } from '../workers.js'
import { Guard } from './guard.js'
import { GuardedHeartbeat } from './heartbeat.js'
import { GuardedLog } from './log.js'
import { type Loss, lossError } from './loss.js'

/** What a marked store is opened with. */
export interface MarkOptions {
  readonly store: Store
  /** Path of the mark file; its folder is there. */
  readonly path: string
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  readonly tell: (level: 'info' | 'warn' | 'error', message: string) => void
}

/**
 * A store that compares itself with a file outside the database: at once, before anybody acts on what was claimed, before what comes from
 * outside is written, and after each pulse. Once acknowledged events are missing it writes nothing more, whoever has a claim has lost
 * it, and it looks at each claim whether the right database is back or an operator has accepted this one.
 */
export class MarkedStore implements Store {
  readonly #inner: Store
  readonly #guard: Guard
  readonly #hearts: Set<GuardedHeartbeat>
  readonly log: Log

  private constructor(inner: Store, guard: Guard, hearts: Set<GuardedHeartbeat>) {
    this.#inner = inner
    this.log = new GuardedLog(inner.log, async () => guard.fresh())
    this.#guard = guard
    this.#hearts = hearts
  }

  /** Compares the database with its mark. Rejects with `store_mark_failed` and faults of the store; see {@link MarkedStore.loss}. */
  static async open(options: MarkOptions): Promise<MarkedStore> {
    const hearts = new Set<GuardedHeartbeat>()
    const onLost = (): void => {
      for (const heart of hearts) heart.loseAll()
    }
    const guard = await Guard.begin({ ...options, path: resolve(options.path), onLost })
    return new MarkedStore(options.store, guard, hearts)
  }

  /** Compares again and tells what was lost; undefined where nothing is known to be. */
  async loss(): Promise<Loss | undefined> {
    await this.#guard.check().catch((error: unknown) => {
      if (this.#guard.loss === undefined) throw error
    })
    return this.#guard.loss
  }

  get transactions(): Store['transactions'] {
    return this.#inner.transactions
  }

  describe(): string {
    return this.#inner.describe()
  }

  async create(request: CreateRun): Promise<Created> {
    await this.#guard.fresh()
    const { acceptCount } = this.#guard
    const created = await this.#inner.create(request)
    if (created.kind === 'created') this.#note(request.run, created.events, acceptCount)
    return created
  }

  // Whoever has lost the database has lost the claim as well.
  append(request: Append): Promise<Appended> {
    if (this.#guard.loss !== undefined) return Promise.resolve({ kind: 'claim_lost' })
    const { acceptCount } = this.#guard
    return this.#inner.append(request).then((answer) => this.#appended(request, answer, acceptCount))
  }

  async decide<T>(request: Decide<T>): Promise<T> {
    await this.#guard.fresh()
    let written: NotedHead | undefined
    const decide: Decide<T>['decide'] = (facts) => {
      const decision = request.decide(facts)
      const { run } = facts
      const isWritten = run !== undefined && decision.drafts.length > 0 && !facts.delivered
      written = isWritten ? { run: run.id, seq: run.head.seq + decision.drafts.length, hash: undefined } : undefined
      return decision
    }
    const { acceptCount } = this.#guard
    const result = await this.#inner.decide({ ...request, decide })
    if (written !== undefined) this.#guard.note(written, acceptCount)
    return result
  }

  async record(request: RecordRequest): Promise<Recorded> {
    await this.#guard.fresh()
    const recorded = await this.#inner.record(request)
    if (recorded.kind === 'recorded') this.#guard.stir()
    return recorded
  }

  async suspend(request: Suspend): Promise<boolean> {
    return this.#guard.loss === undefined && this.#inner.suspend(request)
  }

  read(stream: StreamId, range?: { readonly fromSeq?: number; readonly limit?: number }): Promise<StoredEvent[]> {
    return this.#inner.read(stream, range)
  }

  // Compared after the claim: what was lost before it is seen before anybody acts, and a claim does not outlive what is lost later.
  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    if (this.#guard.loss !== undefined) await this.#guard.check()
    const answer = await this.#inner.claim(request)
    if (answer.claims.length === 0) return answer
    try {
      await this.#guard.check()
      return answer
    } catch (error) {
      for (const claim of answer.claims) await this.#inner.release(claim).catch(() => false)
      throw error
    }
  }

  renew(claims: readonly ClaimRef[], leaseMs: number): Promise<ClaimRef[]> {
    return this.#inner.renew(claims, leaseMs)
  }

  release(claim: ClaimRef): Promise<boolean> {
    return this.#inner.release(claim)
  }

  run(id: RunId): Promise<RunRow | undefined> {
    return this.#inner.run(id)
  }

  outbox(query: OutboxQuery): Promise<Page<OutboxEntry>> {
    return this.#inner.outbox(query)
  }

  async purge(request: Purge): Promise<{ readonly purged: readonly RunId[] }> {
    await this.#guard.fresh()
    return this.#inner.purge(request)
  }

  runs(query: RunQuery): Promise<Page<RunRow>> {
    return this.#inner.runs(query)
  }

  approvals(query: ApprovalQuery): Promise<Page<ApprovalRow>> {
    return this.#inner.approvals(query)
  }

  watch(listener: (change: Change) => void): () => void {
    return this.#inner.watch(listener)
  }

  heartbeat(options: HeartbeatOptions): Heartbeat {
    const heart = new GuardedHeartbeat(this.#inner.heartbeat(options), options.onLost, () => this.#hearts.delete(heart))
    this.#hearts.add(heart)
    return heart
  }

  announce(note: WorkerNote, forMs: number): Promise<void> {
    return this.#inner.announce(note, forMs)
  }

  depart(id: string): Promise<void> {
    return this.#inner.depart(id)
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#inner.workers()
  }

  openRuns(): Promise<readonly OpenRuns[]> {
    return this.#inner.openRuns()
  }

  async rebuild(): Promise<{ readonly runCount: number; readonly eventCount: number }> {
    await this.#guard.fresh()
    return this.#inner.rebuild()
  }

  mark(): Promise<Mark> {
    return this.#inner.mark()
  }

  async pulse(): Promise<Mark> {
    if (this.#guard.loss !== undefined) throw lossError(this.#guard.loss)
    return this.#inner.pulse()
  }

  missing(heads: readonly NotedHead[]): Promise<NotedHead[]> {
    return this.#inner.missing(heads)
  }

  hold(reason: string): Promise<void> {
    return this.#inner.hold(reason)
  }

  async quarantine(parking: Parking): Promise<{ readonly parkedCount: number }> {
    const answer = await this.#inner.quarantine(parking)
    await this.#guard.accept()
    return answer
  }

  async close(): Promise<void> {
    await this.#guard.close()
    await this.#inner.close()
  }

  #appended(request: Append, answer: Appended, acceptCount: number): Appended | Promise<Appended> {
    const { claim, head, successor } = request
    if (answer.kind === 'appended') {
      this.#note(claim.run, answer.events, acceptCount)
      if (successor !== undefined)
        this.#guard.note({ run: successor.run, seq: successor.drafts.length - 1, hash: undefined }, acceptCount)
      return answer
    }
    const known = { run: claim.run, seq: head.seq, hash: head.hash }
    const isBehind = answer.kind === 'head_conflict' && answer.head.seq <= head.seq
    if (!isBehind && answer.kind !== 'claim_lost') return answer
    // Nobody's events go away. A claim is lost for other reasons as well.
    return this.#guard.verify(known, acceptCount).then(
      () => (this.#guard.loss === undefined ? answer : { kind: 'claim_lost' }),
      () => answer,
    )
  }

  #note(run: RunId, events: readonly StoredEvent[], acceptCount: number): void {
    const last = events.at(-1)
    if (last === undefined) return
    const { seq, hash } = headOf(last)
    this.#guard.note({ run, seq, hash }, acceptCount)
  }
}
