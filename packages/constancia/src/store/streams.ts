import { assert, type Draft, type Head, type StoredEvent, type StreamId } from '../journal/index.js'

/** Events for a stream that belongs to no run. */
export interface RecordRequest {
  readonly stream: StreamId
  /** The last event that whoever decided them knew; undefined where they follow whatever is there. */
  readonly head: Head | undefined
  /** At least one. */
  readonly drafts: readonly Draft[]
  readonly by: string
  readonly seen: string
}

/** What became of them. */
export type Recorded =
  | { readonly kind: 'recorded'; readonly events: readonly StoredEvent[] }
  /** Somebody added to the stream meanwhile: read on from `head`, then decide anew. */
  | { readonly kind: 'head_conflict'; readonly head: Head }
  /**
   * Nothing was recorded or erased: an `Erased` names texts of these streams, and they are of runs that are not over (as for `Store.purge`), or not
   * there, or of contracts.
   */
  | { readonly kind: 'not_erasable'; readonly streams: readonly StreamId[] }

const namePattern = /^[A-Za-z0-9._:~/-]{1,250}$/

/**
 * Throws unless events can be recorded as they are asked for: at least one of them, in a stream whose name is 1 to 250 of the
 * characters `A-Z a-z 0-9 . _ : ~ / -` and which is no run's.
 */
export function assertRecordable({ stream, drafts }: Pick<RecordRequest, 'stream' | 'drafts'>): void {
  assert(namePattern.test(stream), `events were to be recorded in a stream with the name ${JSON.stringify(stream)}`)
  assert(!stream.startsWith('run/'), `events were to be recorded in ${stream}, which is the journal of a run`)
  assert(drafts.length > 0, `no events were to be recorded in ${stream}`)
}

/** Events of one stream, at most, that a decision is told of; see `Facts.news`. */
export const newsCountMax = 1_000
