import {
  assert,
  chainDrafts,
  type Draft,
  deliveryOf,
  foldRun,
  type Head,
  type OutboxEntry,
  outboxEntryOf,
  type RunFold,
  type RunId,
  runStream,
  type StoredEvent,
} from '../../journal/index.js'
import type { StoreParts } from '../index.js'

/** Events that are about to be stored, and what follows from them. Making one changes nothing: it may still be refused. */
export interface Batch {
  readonly events: readonly StoredEvent[]
  /** The run's projection after the events. */
  readonly fold: RunFold
  readonly deliveries: readonly string[]
  readonly entries: readonly OutboxEntry[]
}

/** What is to be added to a run's journal, and by whom. */
export interface Addition {
  readonly run: RunId
  readonly drafts: readonly Draft[]
  readonly head: Head
  readonly by: string
  readonly seen: string
}

/** Makes drafts into the next events of a journal. Throws if one of them cannot be stored. */
export function chained(parts: StoreParts, { run, drafts, head, by, seen }: Addition): StoredEvent[] {
  checkTexts(drafts)
  return chainDrafts(head, drafts, {
    stream: runStream(run),
    nowMs: parts.clock.now(),
    by,
    seen,
    salt: () => new Uint8Array(parts.randomBytes(16)),
  })
}

/** What follows from events of a run. Throws if one of them cannot follow, or if there are none of a run that is new. */
export function batchOf(run: RunId, before: RunFold | undefined, events: readonly StoredEvent[]): Batch {
  let fold = before
  const deliveries: string[] = []
  const entries: OutboxEntry[] = []
  for (const event of events) {
    fold = foldRun(run, fold, event)
    const delivery = deliveryOf(event)
    if (delivery !== undefined) deliveries.push(delivery)
    const entry = outboxEntryOf(fold, event)
    if (entry !== undefined) entries.push(entry)
  }
  assert(fold !== undefined, `run ${run} was to have a journal without events`)
  return { events, fold, deliveries, entries }
}

// Real databases do not keep such texts; JSON never has them, for it escapes them.
function checkTexts(drafts: readonly Draft[]): void {
  for (const { body, data } of drafts) {
    assert(
      isExact(body) && (data === undefined || isExact(data)),
      'a text of an event holds U+0000 or half a surrogate pair, which cannot be stored',
    )
  }
}

function isExact(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed() && !text.includes('\0')
}
