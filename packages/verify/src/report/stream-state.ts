import type { ReadEvent } from '../bundle/index.js'

/** Where a number along a stream rose above all before it: the event, and to what. */
export type Rise = readonly [seq: number, to: number]

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
  /** The hash that the last event states, or what comes before the first. */
  prev: Uint8Array = new Uint8Array(32)
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
  readonly #governance: Rise[] = []
  readonly #checkpoint: Rise[] = []

  constructor(name: string, eventCount: number) {
    this.name = name
    this.eventCount = eventCount
  }

  /** Remembers what an event has seen, as far as it is more than what those before it have. */
  see({ seq, seenParts: { governance, checkpoint } }: ReadEvent): void {
    if (governance !== undefined) rise(this.#governance, seq, governance.seq)
    if (checkpoint !== undefined) rise(this.#checkpoint, seq, checkpoint.size)
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

function rise(rises: Rise[], seq: number, to: number): void {
  if (to > (rises.at(-1)?.[1] ?? -1)) rises.push([seq, to])
}

/** The last one at or before an event. */
function lastRise(rises: readonly Rise[], seq: number): Rise | undefined {
  let from = 0
  let to = rises.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((rises[middle]?.[0] ?? 0) <= seq) from = middle + 1
    else to = middle
  }
  return rises[from - 1]
}
