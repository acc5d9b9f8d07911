import {
  assertExactTexts,
  chainDrafts,
  type Draft,
  type Head,
  type Projection,
  projectionOf,
  type RunFold,
  type RunId,
  type StoredEvent,
  type StreamId,
} from '../../journal/index.js'
import type { Handle } from './handle.js'

/** Events that are about to be stored, and what follows from them. Making one changes nothing: it may still be refused. */
export interface Batch extends Projection {
  readonly events: readonly StoredEvent[]
}

/** What is to be added to a stream, and by whom. */
export interface Addition {
  readonly stream: StreamId
  readonly drafts: readonly Draft[]
  readonly head: Head
  readonly by: string
  readonly seen: string
  /** When it was decided, where that is known: the events are dated no earlier. */
  readonly atMs?: number | undefined
}

/** Makes drafts into the next events of a journal. Throws if one of them cannot be stored. */
export function chained(parts: Handle['parts'], { stream, drafts, head, by, seen, atMs = 0 }: Addition): StoredEvent[] {
  assertExactTexts(drafts)
  return chainDrafts(head, drafts, {
    stream,
    nowMs: Math.max(parts.clock.now(), atMs),
    by,
    seen: parts.known.complete(seen),
    salt: () => new Uint8Array(parts.randomBytes(16)),
  })
}

/** What follows from events of a run; see `projectionOf`. */
export function batchOf(run: RunId, before: RunFold | undefined, events: readonly StoredEvent[]): Batch {
  return { events, ...projectionOf(run, before, events) }
}
