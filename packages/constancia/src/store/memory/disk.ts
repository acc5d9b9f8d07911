import type { RunId, StoredEvent, StreamId } from '../../journal/index.js'
import type { Announced, Change, MoveState, RunRow } from '../index.js'
import { DueLists } from './due-list.js'
import { KeptLog } from './kept-log.js'
import type { KeptTerms } from './kept-terms.js'
import { Outbox } from './outbox.js'
import type { PurgedRun, StoredRun } from './stored-run.js'

/**
 * What a memory store keeps: it outlives the handles on it, as a disk outlives a crash. Several handles may use one at
 * once. Opaque; made by {@link memoryDisk}.
 */
export class MemoryDisk {
  readonly #runs = new Map<RunId, StoredRun>()
  /** By their order of creation; undefined where the run was purged. */
  readonly #inOrder: (StoredRun | undefined)[] = []
  readonly #due = new Map<string, DueLists>()
  readonly #inboxes = new Map<RunId, Set<string>>()
  readonly #purged = new Map<RunId, PurgedRun>()
  readonly #claimed = new Set<StoredRun>()
  /** Those that belong to no run. */
  readonly #streams = new Map<StreamId, StoredEvent[]>()
  readonly outbox = new Outbox()
  readonly log = new KeptLog()
  /** Made when somebody first asks. */
  kept: KeptTerms | undefined
  /** Whether it has to do with a move. */
  moveState: MoveState | undefined
  /** While somebody reads all of it to move it away, nobody else writes. */
  isLocked = false
  /** What workers said of themselves, by their ids. */
  readonly workers = new Map<string, Announced>()
  /** Of every handle. */
  readonly listeners = new Set<(change: Change) => void>()

  find(id: RunId): StoredRun | undefined {
    return this.#runs.get(id)
  }

  /** The run of this number, unless it was purged or does not exist. */
  at(no: number): StoredRun | undefined {
    return this.#inOrder[no]
  }

  /** One more than the highest number of a run, purged ones included. */
  get count(): number {
    return this.#inOrder.length
  }

  /** Every run, oldest first. */
  all(): readonly StoredRun[] {
    return [...this.#runs.values()]
  }

  /** Those whose claim was not given back, whether or not its lease ran out. */
  claimed(): Iterable<StoredRun> {
    return this.#claimed
  }

  add(row: RunRow, events: StoredEvent[], dueAtMs: number | undefined): StoredRun {
    const run: StoredRun = { no: this.#inOrder.length, events, row, dueAtMs: undefined, claimedHeadSeq: -1 }
    this.#runs.set(row.id, run)
    this.#inOrder.push(run)
    this.setDue(run, dueAtMs)
    return run
  }

  setRow(run: StoredRun, row: RunRow): void {
    run.row = row
    if (row.claim === undefined) this.#claimed.delete(run)
    else this.#claimed.add(run)
  }

  setDue(run: StoredRun, dueAtMs: number | undefined): void {
    const list = this.due(run.row.flow, run.row.version).of(run.row.priority)
    if (run.dueAtMs !== undefined) list.delete({ dueAtMs: run.dueAtMs, run })
    run.dueAtMs = dueAtMs
    if (dueAtMs !== undefined) list.add({ dueAtMs, run })
  }

  /** The runs of a flow that have a due time. */
  due(flow: string, version: number): DueLists {
    const key = `${version} ${flow}`
    const lists = this.#due.get(key) ?? new DueLists()
    this.#due.set(key, lists)
    return lists
  }

  /** The deliveries that a root and those that took over from it have got. */
  inboxOf(root: RunId): Set<string> {
    const inbox = this.#inboxes.get(root) ?? new Set()
    this.#inboxes.set(root, inbox)
    return inbox
  }

  /** What is left of a run whose journal was deleted. */
  findPurged(id: RunId): PurgedRun | undefined {
    return this.#purged.get(id)
  }

  allPurged(): Iterable<PurgedRun> {
    return this.#purged.values()
  }

  /** Notes a run whose journal was deleted elsewhere. */
  addPurged(left: PurgedRun): void {
    this.#purged.set(left.id, left)
  }

  /** Inboxes by their roots, in the order in which they began. */
  inboxes(): Iterable<readonly [root: RunId, deliveries: ReadonlySet<string>]> {
    return this.#inboxes
  }

  /** Deletes an ended run and its inbox; what is given of it remains. */
  purge(run: StoredRun, left: PurgedRun): void {
    this.#purged.set(left.id, left)
    this.#runs.delete(left.id)
    this.#inOrder[run.no] = undefined
    this.#inboxes.delete(left.id)
  }

  /** The events of a stream that belongs to no run. */
  stream(id: StreamId): readonly StoredEvent[] {
    return this.#streams.get(id) ?? []
  }

  /** The same, to be changed. */
  eventsOf(id: StreamId): StoredEvent[] {
    return this.#streams.get(id) ?? []
  }

  /** Adds the next events of such a stream. */
  addToStream(id: StreamId, events: readonly StoredEvent[]): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) this.#streams.set(id, [...events])
    else stream.push(...events)
  }

  /** All of them, in the order of their names. */
  streams(): (readonly [stream: StreamId, events: readonly StoredEvent[]])[] {
    return [...this.#streams].sort(([one], [other]) => (one < other ? -1 : 1))
  }

  /** Tells every listener, one after the other. */
  tell(change: Change): void {
    for (const listener of [...this.listeners]) listener(change)
  }
}

/** An empty disk for {@link MemoryDisk | memory stores}. */
export function memoryDisk(): MemoryDisk {
  return new MemoryDisk()
}
