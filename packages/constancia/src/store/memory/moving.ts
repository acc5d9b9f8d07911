import { assert, rootRunId, runStream } from '../../journal/index.js'
import {
  type Arrival,
  type Departure,
  JournalCheck,
  type JournalPiece,
  type MoveState,
  type Moving,
  type Parcel,
  type PurgedJournal,
  type StoreCounts,
  type StoreParts,
  StreamCheck,
  type StreamEnd,
  storeError,
  type WholeJournal,
} from '../index.js'
import { keepApprovals } from './approvals.js'
import { type MemoryDisk, memoryDisk } from './disk.js'

const pageSize = 100

// By which disks are told apart.
const numbers = new WeakMap<MemoryDisk, number>()
let lastNumber = 0

/** A disk that is open to be moved. */
export class MemoryMoving implements Moving {
  readonly #disk: MemoryDisk
  readonly #parts: StoreParts
  readonly identity: string

  constructor(disk: MemoryDisk, parts: StoreParts) {
    this.#disk = disk
    this.#parts = parts
    const number = numbers.get(disk) ?? ++lastNumber
    numbers.set(disk, number)
    this.identity = `memory ${number}`
  }

  describe(): string {
    return this.identity
  }

  async state(): Promise<MoveState | undefined> {
    return this.#disk.moveState
  }

  async isEmpty(): Promise<boolean> {
    return isEmpty(this.#disk)
  }

  async expect(state: MoveState): Promise<boolean> {
    if (!isEmpty(this.#disk)) return false
    this.#disk.moveState = state
    return true
  }

  async release(): Promise<void> {
    this.#disk.moveState = undefined
  }

  async depart(): Promise<Departure> {
    return new MemoryDeparture(this.#disk, this.#parts)
  }

  async arrive(id: string): Promise<Arrival | undefined> {
    const disk = this.#disk
    return disk.moveState?.id === id && isEmpty(disk) ? new MemoryArrival(disk) : undefined
  }

  async close(): Promise<void> {
    // Nothing is held.
  }
}

function isEmpty(disk: MemoryDisk): boolean {
  return disk.count === 0 && [...disk.allPurged()].length === 0 && disk.streams().length === 0
}

function countsOf(disk: MemoryDisk): StoreCounts {
  const runs = disk.all()
  return {
    runCount: runs.length,
    eventCount: [...runs.map(({ events }) => events), ...disk.streams().map(([, events]) => events)].flat().length,
    purgedCount: [...disk.allPurged()].length,
    deliveryCount: [...disk.inboxes()].reduce((sum, [, deliveries]) => sum + deliveries.size, 0),
    entryCount: disk.outbox.all().length,
    leafCount: disk.log.leaves.length,
    checkpointCount: disk.log.checkpoints.length,
    attestationCount: disk.log.allAttestations().length,
  }
}

async function* endsOf(disk: MemoryDisk): AsyncGenerator<readonly StreamEnd[]> {
  const journals = disk.all().map(({ row, events }) => [runStream(row.id), events] as const)
  const all = [...journals, ...disk.streams()]
  yield* pagesOf(all.map(([stream, events]) => ({ stream, seq: events.length - 1, hash: events.at(-1)?.hash ?? '' })))
}

function* pagesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += pageSize) yield items.slice(from, from + pageSize)
}

class MemoryDeparture implements Departure {
  readonly #disk: MemoryDisk
  readonly owners: readonly string[]
  #hasEnded = false

  constructor(disk: MemoryDisk, parts: StoreParts) {
    if (disk.isLocked) throw storeError('store_locked', 'The store is being moved by somebody else. Nothing was done.')
    disk.isLocked = true
    this.#disk = disk
    const nowMs = parts.clock.now()
    const claims = [...disk.claimed()].flatMap(({ row: { claim } }) => claim ?? [])
    const holders = claims.filter((claim) => claim.leaseUntilMs > nowMs).map(({ worker }) => worker)
    const announced = [...disk.workers.values()].filter(({ untilMs }) => untilMs > nowMs).map(({ note }) => note.name)
    this.owners = [...new Set([...holders, ...announced])].sort()
  }

  async count(): Promise<StoreCounts> {
    return countsOf(this.#disk)
  }

  ends(): AsyncIterable<readonly StreamEnd[]> {
    return endsOf(this.#disk)
  }

  async *parcels(): AsyncGenerator<Parcel> {
    const purged = [...this.#disk.allPurged()].map(({ id, ...left }): PurgedJournal => ({ run: id, ...left }))
    for (const items of pagesOf(purged)) yield { kind: 'purged', items }
    const pieces = this.#disk.all().map(({ row, dueAtMs, events }): JournalPiece => ({ row, dueAtMs, events }))
    for (const items of pagesOf(pieces)) yield { kind: 'journals', items }
    const inboxes = [...this.#disk.inboxes()]
    const deliveries = inboxes.flatMap(([root, all]) => [...all].map((delivery) => ({ root, delivery })))
    for (const items of pagesOf(deliveries)) yield { kind: 'deliveries', items }
    for (const items of pagesOf(this.#disk.outbox.all())) yield { kind: 'entries', items }
    const streams = this.#disk.streams().map(([stream, events]) => ({ stream, events }))
    for (const items of pagesOf(streams)) yield { kind: 'streams', items }
    for (const items of pagesOf(this.#disk.log.leaves)) yield { kind: 'leaves', items }
    for (const items of pagesOf(this.#disk.log.allTiles())) yield { kind: 'tiles', items }
    for (const items of pagesOf(this.#disk.log.checkpoints)) yield { kind: 'checkpoints', items }
    for (const items of pagesOf(this.#disk.log.allAttestations())) yield { kind: 'attestations', items }
  }

  async seal(state: MoveState): Promise<void> {
    this.#disk.moveState = state
    await this.end()
  }

  async end(): Promise<void> {
    if (!this.#hasEnded) this.#disk.isLocked = false
    this.#hasEnded = true
  }
}

class MemoryArrival implements Arrival {
  readonly #disk: MemoryDisk
  /** What is put is kept here until all of it is there. */
  readonly #draft = memoryDisk()
  readonly #check = new JournalCheck()
  readonly #streams = new StreamCheck()
  readonly #parcels: Exclude<Parcel, { kind: 'journals' }>[] = []
  readonly #events: JournalPiece['events'][number][][] = []
  readonly #journals: WholeJournal[] = []

  constructor(disk: MemoryDisk) {
    this.#disk = disk
  }

  async put(parcel: Parcel): Promise<void> {
    if (parcel.kind === 'journals') for (const piece of parcel.items) this.#putPiece(piece)
    else {
      if (parcel.kind === 'streams') for (const piece of parcel.items) this.#streams.take(piece)
      this.#parcels.push(parcel)
      apply(this.#draft, parcel)
    }
  }

  #putPiece(piece: JournalPiece): void {
    const place = this.#journals.length
    this.#events[place] = [...(this.#events[place] ?? []), ...piece.events]
    const whole = this.#check.take(piece)
    if (whole === undefined) return
    this.#journals.push(whole)
    add(this.#draft, whole, this.#events[place])
  }

  async count(): Promise<StoreCounts> {
    this.#check.end()
    return countsOf(this.#draft)
  }

  ends(): AsyncIterable<readonly StreamEnd[]> {
    return endsOf(this.#draft)
  }

  async commit(): Promise<void> {
    for (const [place, journal] of this.#journals.entries()) add(this.#disk, journal, this.#events[place] ?? [])
    for (const parcel of this.#parcels) apply(this.#disk, parcel)
    this.#disk.moveState = undefined
  }

  async end(): Promise<void> {
    // What was put is forgotten with this object.
  }
}

function add(disk: MemoryDisk, whole: WholeJournal, events: JournalPiece['events']): void {
  const { row, fold, epoch, dueAtMs, claimedHeadSeq } = whole
  const stored = disk.add({ ...row, ...fold, epoch, claim: undefined }, [...events], dueAtMs)
  disk.setRow(stored, { ...stored.row, claim: row.claim })
  stored.claimedHeadSeq = claimedHeadSeq
  keepApprovals(stored, events)
}

function apply(disk: MemoryDisk, parcel: Exclude<Parcel, { kind: 'journals' }>): void {
  switch (parcel.kind) {
    case 'purged':
      for (const { run, ...left } of parcel.items) disk.addPurged({ id: run, root: rootRunId(run), ...left })
      return
    case 'deliveries':
      for (const { root, delivery } of parcel.items) {
        assert(!disk.inboxOf(root).has(delivery), `the inbox of run ${root} has delivery ${delivery} twice`)
        disk.inboxOf(root).add(delivery)
      }
      return
    case 'entries':
      disk.outbox.add(parcel.items)
      return
    case 'streams':
      for (const { stream, events } of parcel.items) disk.addToStream(stream, events)
      return
    case 'leaves':
      for (const leaf of parcel.items) disk.log.addLeaf(leaf)
      return
    case 'tiles':
      for (const tile of parcel.items) disk.log.setTile(tile)
      return
    case 'checkpoints':
      disk.log.checkpoints.push(...parcel.items)
      return
    case 'attestations':
      for (const attestation of parcel.items) disk.log.attest(attestation)
  }
}
