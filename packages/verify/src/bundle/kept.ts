import { isGovernanceKind } from '../governance/law.js'
import { isReplayed } from '../governance/reading/forms.js'
import type { ByteReader } from './byte-reader.js'
import { keptBytesMax, namedCountMax, voteCountMax } from './grammar.js'

/** Kinds whose data a replay may have to keep as well: contracts, and what people are asked and say. */
const dataKinds: ReadonlySet<string> = new Set([
  'ContractProposed',
  'ContractActivated',
  'ApprovalRequested',
  'ApprovalVoted',
  'ApprovalResolved',
  'OutcomeStated',
])

/** Counts what the events of a file make its reader keep, so that a file that is far too large for that is refused. */
export class Kept {
  readonly #reader: ByteReader
  readonly #sizes = new Set<number>()
  #bytes = 0
  #voteCount = 0

  constructor(reader: ByteReader) {
    this.#reader = reader
  }

  /** A stream begins. */
  begin(): void {
    this.#bytes = 0
    this.#voteCount = 0
  }

  /** An event of this kind comes. Throws where they are too many. */
  event(kind: string): void {
    if (kind === 'ApprovalVoted' && ++this.#voteCount > voteCountMax)
      throw this.#reader.unreadable(`the stream has more than ${voteCountMax} votes`)
  }

  /** A text of an event of this kind comes. Throws where it is too much. */
  text(kind: string, name: 'body' | 'data', byteCount: number): void {
    const isKept = name === 'data' ? dataKinds.has(kind) : isGovernanceKind(kind) || isReplayed(kind)
    if (!isKept) return
    this.#bytes += byteCount
    if (this.#bytes > keptBytesMax)
      throw this.#reader.unreadable(`what decides in this stream has more than ${keptBytesMax} bytes`)
  }

  /** An event names a checkpoint of this size. Throws where they are too many. */
  named(size: number): void {
    this.#sizes.add(size)
    if (this.#sizes.size > namedCountMax)
      throw this.#reader.unreadable(`the events name more than ${namedCountMax} checkpoints`)
  }
}
