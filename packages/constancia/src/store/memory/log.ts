import type { RunId, StreamId } from '../../journal/index.js'
import {
  type Attestation,
  type BegunRange,
  type Checkpoint,
  checkSealing,
  type Grown,
  type GrownHead,
  type Leaf,
  type Log,
  type LogState,
  type Sealed,
  type Sealing,
  type StreamStanding,
  sealedLast,
  type TilePlace,
} from '../index.js'
import type { MemoryDisk } from './disk.js'
import type { Handle } from './handle.js'

const prefix = 'run/'

/** The log of a disk. Whatever is sealed is one piece, as everything in memory. */
export class MemoryLog implements Log {
  readonly #open: () => Handle
  readonly #toWrite: () => Handle

  constructor(open: () => Handle, toWrite: () => Handle) {
    this.#open = open
    this.#toWrite = toWrite
  }

  async state(): Promise<LogState> {
    const { log } = this.#open().disk
    return { size: log.leaves.length, checkpoint: log.checkpoints.at(-1) }
  }

  async grown(limit: number): Promise<Grown> {
    const { disk } = this.#open()
    const all = [...standingsOf(disk)]
    const isGrown = ({ stream, seq }: StreamStanding): boolean => seq > disk.log.sealedSeq(stream)
    const others = all.filter((one) => one.stream !== sealedLast && isGrown(one)).map(headOf)
    const last = all.find(({ stream }) => stream === sealedLast)
    const rest = { cursor: '', size: disk.log.leaves.length, hasMore: others.length > limit }
    const hasGovernanceGrown = last !== undefined && isGrown(last)
    return { heads: others.slice(0, limit), governance: last && headOf(last), hasGovernanceGrown, ...rest }
  }

  async seal(sealing: Sealing): Promise<Sealed> {
    const { log } = this.#toWrite().disk
    checkSealing(sealing)
    if (log.leaves.length !== sealing.size) return { kind: 'conflict', size: log.leaves.length }
    for (const tile of sealing.tiles) log.checkTile(tile)
    for (const { stream, seq, hash } of sealing.heads) log.addLeaf({ index: log.leaves.length, stream, seq, hash })
    for (const tile of sealing.tiles) log.setTile(tile)
    log.checkpoints.push(sealing.checkpoint)
    return { kind: 'sealed' }
  }

  async leaves({ from, limit }: { readonly from: number; readonly limit: number }): Promise<Leaf[]> {
    return this.#open().disk.log.leaves.slice(from, from + limit)
  }

  async leavesOf(stream: StreamId, range: { readonly before?: number; readonly limit: number }): Promise<Leaf[]> {
    const { before = Number.POSITIVE_INFINITY, limit } = range
    const leaves = this.#open().disk.log.leavesOf(stream)
    return leaves
      .filter(({ index }) => index < before)
      .reverse()
      .slice(0, limit)
  }

  async tiles(places: readonly TilePlace[]): Promise<Uint8Array[]> {
    const { log } = this.#open().disk
    return places.map((place) => log.tile(place))
  }

  async checkpoints(range: { readonly fromSize: number; readonly limit: number }): Promise<Checkpoint[]> {
    const { fromSize, limit } = range
    return this.#open()
      .disk.log.checkpoints.filter(({ size }) => size >= fromSize)
      .slice(0, limit)
  }

  async checkpointUpTo(size: number): Promise<Checkpoint | undefined> {
    return this.#open().disk.log.checkpoints.findLast((one) => one.size <= size)
  }

  async attest(attestation: Attestation): Promise<void> {
    this.#toWrite().disk.log.attest(attestation)
  }

  async attestations(range: { readonly fromSize: number; readonly limit: number }): Promise<Attestation[]> {
    const { fromSize, limit } = range
    const all = this.#open().disk.log.allAttestations()
    return all.filter(({ size }) => size >= fromSize).slice(0, limit)
  }

  async attestationsUpTo(range: { readonly size: number; readonly limit: number }): Promise<Attestation[]> {
    const all = this.#open().disk.log.allAttestations()
    return all
      .filter(({ size }) => size <= range.size)
      .reverse()
      .slice(0, range.limit)
  }

  async streams(range: { readonly after?: StreamId; readonly limit: number }): Promise<StreamStanding[]> {
    const { after = '', limit } = range
    const later = [...standingsOf(this.#open().disk)].filter(({ stream }) => stream > after)
    return later.sort((one, other) => (one.stream < other.stream ? -1 : 1)).slice(0, limit)
  }

  async begun({ fromMs, beforeMs, after = '' as RunId, limit }: BegunRange): Promise<RunId[]> {
    const isIn = (atMs: number | undefined): boolean => atMs !== undefined && atMs >= fromMs && atMs < beforeMs
    const found = this.#open()
      .disk.all()
      .filter(({ events, row }) => row.id > after && isIn(events[0]?.at))
    return found
      .map(({ row }) => row.id)
      .sort()
      .slice(0, limit)
  }

  async lease(holder: string, forMs: number): Promise<boolean> {
    const { disk, parts } = this.#toWrite()
    const nowMs = parts.clock.now()
    const { lease } = disk.log
    if (lease !== undefined && lease.holder !== holder && lease.untilMs > nowMs) return false
    disk.log.lease = { holder, untilMs: nowMs + forMs }
    return true
  }

  know(checkpoint: Pick<Checkpoint, 'size' | 'root'>): void {
    this.#open().parts.known.know(checkpoint)
  }
}

function* standingsOf(disk: MemoryDisk): Generator<StreamStanding> {
  for (const { row } of disk.all())
    yield { stream: `${prefix}${row.id}` as StreamId, seq: row.head.seq, hash: row.head.hash, isPurged: false }
  for (const { id, head } of disk.allPurged())
    yield { stream: `${prefix}${id}` as StreamId, seq: head.seq, hash: head.hash, isPurged: true }
  for (const [stream, events] of disk.streams()) {
    const last = events.at(-1)
    if (last !== undefined) yield { stream, seq: last.seq, hash: last.hash, isPurged: false }
  }
}

function headOf({ stream, seq, hash }: StreamStanding): GrownHead {
  return { stream, seq, hash, place: 0 }
}
