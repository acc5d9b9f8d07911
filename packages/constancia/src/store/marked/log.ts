import type { RunId, StreamId } from '../../journal/index.js'
import type {
  Attestation,
  BegunRange,
  Checkpoint,
  Grown,
  Leaf,
  Log,
  LogState,
  Sealed,
  Sealing,
  StreamStanding,
  TilePlace,
} from '../log.js'

/** A log that is sealed only while nothing is known to be missing from its database. */
export class GuardedLog implements Log {
  readonly #inner: Log
  /** Rejects where something is missing. */
  readonly #check: () => Promise<void>

  constructor(inner: Log, check: () => Promise<void>) {
    this.#inner = inner
    this.#check = check
  }

  state(): Promise<LogState> {
    return this.#inner.state()
  }

  grown(limit: number): Promise<Grown> {
    return this.#inner.grown(limit)
  }

  async seal(sealing: Sealing): Promise<Sealed> {
    await this.#check()
    return this.#inner.seal(sealing)
  }

  leaves(range: { readonly from: number; readonly limit: number }): Promise<Leaf[]> {
    return this.#inner.leaves(range)
  }

  leavesOf(stream: StreamId, range: { readonly before?: number; readonly limit: number }): Promise<Leaf[]> {
    return this.#inner.leavesOf(stream, range)
  }

  tiles(places: readonly TilePlace[]): Promise<Uint8Array[]> {
    return this.#inner.tiles(places)
  }

  checkpoints(range: { readonly fromSize: number; readonly limit: number }): Promise<Checkpoint[]> {
    return this.#inner.checkpoints(range)
  }

  checkpointUpTo(size: number): Promise<Checkpoint | undefined> {
    return this.#inner.checkpointUpTo(size)
  }

  attest(attestation: Attestation): Promise<void> {
    return this.#inner.attest(attestation)
  }

  attestations(range: { readonly fromSize: number; readonly limit: number }): Promise<Attestation[]> {
    return this.#inner.attestations(range)
  }

  attestationsUpTo(range: { readonly size: number; readonly limit: number }): Promise<Attestation[]> {
    return this.#inner.attestationsUpTo(range)
  }

  streams(range: { readonly after?: StreamId; readonly limit: number }): Promise<StreamStanding[]> {
    return this.#inner.streams(range)
  }

  begun(range: BegunRange): Promise<RunId[]> {
    return this.#inner.begun(range)
  }

  async lease(holder: string, forMs: number): Promise<boolean> {
    await this.#check()
    return this.#inner.lease(holder, forMs)
  }

  know(checkpoint: Pick<Checkpoint, 'size' | 'root'>): void {
    this.#inner.know(checkpoint)
  }
}
