import type { StreamId } from './ids.js'

/** An event to be: the fact and what it carries, as the exact texts that will be written. */
export interface Draft {
  /** Past tense, PascalCase. */
  readonly kind: string
  /** JSON text of the fact: no personal data, no clock time. */
  readonly body: string
  /** JSON text of what the fact carries, or undefined for nothing. */
  readonly data: string | undefined
}

/** One row of a journal: a fact, what it carries, and its provenance. */
export interface StoredEvent extends Draft {
  readonly stream: StreamId
  /** Position in the stream, from 0 without gaps. */
  readonly seq: number
  readonly bodySalt: Uint8Array
  readonly dataSalt: Uint8Array | undefined
  /** Lower-case hex; stays when data and its salt are erased. */
  readonly dataCommit: string | undefined
  /** UTC milliseconds since 1970; never earlier than the event before it. */
  readonly at: number
  /** `claim:<id>@<epoch>`, `principal:<id>` or `system:<part>`. */
  readonly by: string
  /** Head of the governance stream and last checkpoint known: `<seq>:<hash>/<size>:<root>`, `-` where there is none. */
  readonly seen: string
  /** Lower-case hex SHA-256 of the header; see `@constancia/verify`. */
  readonly hash: string
}

/** Where a stream ends. `seq` is -1 and `hash` the genesis hash while it is empty. */
export interface Head {
  readonly seq: number
  readonly hash: string
  readonly at: number
}

/** `seen` of a store that has neither a governance stream nor a checkpoint yet. */
export const nothingSeen = '-/-'

/** `seen` of what was written by somebody who knew the governance stream up to this head, and no checkpoint. */
export function seenOf({ seq, hash }: Head): string {
  return seq < 0 ? nothingSeen : `${seq}:${hash}/-`
}

/** What was seen, completed by the last checkpoint that the writer knew (`<size>:<root>`, `-` for none), where it names none. */
export function seenWith(seen: string, checkpoint: string): string {
  return checkpoint !== '-' && seen.endsWith('/-') ? `${seen.slice(0, -1)}${checkpoint}` : seen
}
