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
  type TilePlace,
} from '../index.js'
import type { LogPlace } from './log-table.js'
import type { Session } from './session.js'

// So many are looked at in one piece: the event loop waits for some milliseconds at most.
const eventsAtOnce = 8_192
const streamsAtOnce = 1_024

/** The log in the tables of a file. */
export class SqliteLog implements Log {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  state(): Promise<LogState> {
    return this.#session.read(() => this.#session.log.state())
  }

  // Ids of events are given under the lock of the file, in the order of commits: whatever was committed before has a smaller one.
  async grown(limit: number): Promise<Grown> {
    const { log, read } = this.#session
    const place = await read(() => log.place())
    const touched = new Set(await read(() => log.owed(limit)))
    let { cursor } = place
    const lastId = await read(() => log.lastId())
    while (cursor < lastId && touched.size < limit) {
      const upTo = Math.min(lastId, cursor + eventsAtOnce)
      for (const streamNo of await read(() => log.touched(cursor, upTo))) touched.add(streamNo)
      cursor = upTo
      await turn()
    }
    const heads = await this.#headsOf([...touched])
    const rest = { size: place.size, hasMore: cursor < lastId, cursor: cursorOf({ ...place, cursor }) }
    return { ...rest, ...(await this.#governance()), heads }
  }

  async #headsOf(streamNos: readonly number[]): Promise<GrownHead[]> {
    const { log, read } = this.#session
    const heads: GrownHead[] = []
    const governanceNo = await read(() => log.governanceNo())
    for (let from = 0; from < streamNos.length; from += streamsAtOnce) {
      const some = streamNos.slice(from, from + streamsAtOnce)
      for (const { sealed, ...head } of await read(() => log.standings(some)))
        if (head.place !== governanceNo && head.seq > sealed) heads.push(head)
      await turn()
    }
    return heads
  }

  // Read after all others, in a snapshot of its own, which is a later one.
  #governance(): Promise<Pick<Grown, 'governance' | 'hasGovernanceGrown'>> {
    const { log, read } = this.#session
    return read(() => {
      const no = log.governanceNo()
      const [standing] = no === undefined ? [] : log.standings([no])
      if (standing === undefined) return { governance: undefined, hasGovernanceGrown: false }
      const { sealed, ...governance } = standing
      return { governance, hasGovernanceGrown: governance.seq > sealed }
    })
  }

  async seal(sealing: Sealing): Promise<Sealed> {
    checkSealing(sealing)
    const { log, write } = this.#session
    const looked = JSON.parse(sealing.cursor) as Omit<LogPlace, 'size'>
    return write(() => {
      const { size, cursor, purges } = log.place()
      if (size !== sealing.size) return { kind: 'conflict', size }
      log.add(sealing)
      // What was purged meanwhile may have given its ids to others.
      log.setPlace(sealing.checkpoint.size, purges === looked.purges ? looked.cursor : Math.min(cursor, looked.cursor))
      return { kind: 'sealed' }
    })
  }

  leaves({ from, limit }: { readonly from: number; readonly limit: number }): Promise<Leaf[]> {
    return this.#session.read(() => this.#session.log.leaves(from, limit))
  }

  leavesOf(stream: StreamId, range: { readonly before?: number; readonly limit: number }): Promise<Leaf[]> {
    const { before = Number.MAX_SAFE_INTEGER, limit } = range
    return this.#session.read(() => this.#session.log.leavesOf(stream, before, limit))
  }

  tiles(places: readonly TilePlace[]): Promise<Uint8Array[]> {
    return this.#session.read(() => places.map((place) => this.#session.log.tile(place)))
  }

  checkpoints(range: { readonly fromSize: number; readonly limit: number }): Promise<Checkpoint[]> {
    return this.#session.read(() => this.#session.log.checkpoints(range.fromSize, range.limit))
  }

  checkpointUpTo(size: number): Promise<Checkpoint | undefined> {
    return this.#session.read(() => this.#session.log.checkpointUpTo(size))
  }

  attest(attestation: Attestation): Promise<void> {
    return this.#session.write(() => this.#session.log.attest(attestation))
  }

  attestations(range: { readonly fromSize: number; readonly limit: number }): Promise<Attestation[]> {
    return this.#session.read(() => this.#session.log.attestations(range.fromSize, range.limit))
  }

  attestationsUpTo(range: { readonly size: number; readonly limit: number }): Promise<Attestation[]> {
    return this.#session.read(() => this.#session.log.attestationsUpTo(range.size, range.limit))
  }

  streams(range: { readonly after?: StreamId; readonly limit: number }): Promise<StreamStanding[]> {
    return this.#session.read(() => this.#session.log.streams(range.after ?? '', range.limit))
  }

  begun(range: BegunRange): Promise<RunId[]> {
    return this.#session.read(() => this.#session.log.begun(range))
  }

  lease(holder: string, forMs: number): Promise<boolean> {
    const { log, write, clock } = this.#session
    return write(() => {
      const nowMs = clock.now()
      return log.lease(holder, nowMs + forMs, nowMs)
    })
  }

  know(checkpoint: Pick<Checkpoint, 'size' | 'root'>): void {
    this.#session.known.know(checkpoint)
  }
}

function cursorOf({ cursor, purges }: Omit<LogPlace, 'size'>): string {
  return JSON.stringify({ cursor, purges })
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
