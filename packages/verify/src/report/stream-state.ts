import type { ReadEvent } from '../bundle/index.js'

/** Where a number along a stream rose above all before it: the event, and to what. */
export type Rise = readonly [seq: number, to: number]

/** Rises one after the other, two numbers each: there may be as many as events. */
type Rises = number[]

/** What is kept of a stream while its file is read. */
export class StreamState {
  readonly name: string
  readonly eventCount: number
  /** Of its first event in the file; more than 0 in a receipt alone. */
  firstSeq = 0
  /** Where the hash of its first event is in the pool. */
  firstPlace = 0
  beganAt = 0
  lastAt = 0
  /** Events that were read. */
  readCount = 0
  ended: string | undefined
  withheldCount = 0
  erasedCount = 0
  /** The claim of the last event that one wrote, and its epoch. */
  claim = ''
  epoch = -1
  /** Of its last leaf so far. */
  leafSeq: number | undefined
  leafIndex = -1
  /** Where the head of governance and the size of the checkpoint rose that its events have seen. */
  #governance: Rises = none
  #checkpoint: Rises = none

  constructor(name: string, eventCount: number) {
    this.name = name
    this.eventCount = eventCount
  }

  /** Remembers what an event has seen, as far as it is more than what those before it have; a head only if it is in the chain. */
  see({ seq, seenParts: { governance, checkpoint } }: ReadEvent, isHeadRight: boolean): void {
    if (governance !== undefined && isHeadRight) this.#governance = risen(this.#governance, seq, governance.seq)
    if (checkpoint !== undefined) this.#checkpoint = risen(this.#checkpoint, seq, checkpoint.size)
  }

  /** The greatest head of governance that events up to this one have seen, and which of them first. */
  governanceSeenBy(seq: number): Rise | undefined {
    return lastRise(this.#governance, seq)
  }

  /** The greatest checkpoint that events up to this one have seen, and which of them first. */
  checkpointSeenBy(seq: number): Rise | undefined {
    return lastRise(this.#checkpoint, seq)
  }
}

// Shared until there is something: most streams have seen nothing.
const none: Rises = []

function risen(rises: Rises, seq: number, to: number): Rises {
  if (to <= (rises.at(-1) ?? -1)) return rises
  if (rises === none) return [seq, to]
  rises.push(seq, to)
  return rises
}

/** The last one at or before an event. */
function lastRise(rises: Rises, seq: number): Rise | undefined {
  let from = 0
  let to = rises.length / 2
  while (from < to) {
    const middle = (from + to) >> 1
    if ((rises[2 * middle] ?? 0) <= seq) from = middle + 1
    else to = middle
  }
  const at = 2 * (from - 1)
  return at < 0 ? undefined : [rises[at] ?? 0, rises[at + 1] ?? 0]
}
