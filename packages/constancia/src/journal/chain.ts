import { commitPreimage, genesisText, headerText, saltBytes } from '@constancia/verify/chain'
import { journalError } from './errors.js'
import type { Draft, Head, StoredEvent } from './event.js'
import { sha256 } from './hash.js'
import type { StreamId } from './ids.js'

/** Where it is written, by whom, when, with what knowledge; and where salts come from. */
export interface Provenance {
  readonly stream: StreamId
  /** UTC milliseconds; an event is never dated before the one before it, whatever this says. */
  readonly nowMs: number
  readonly by: string
  readonly seen: string
  /** Returns 16 fresh random bytes. */
  readonly salt: () => Uint8Array
}

/** The head of a stream without events. */
export function emptyHead(stream: StreamId): Head {
  return { seq: -1, hash: sha256(genesisText(stream)), at: 0 }
}

/** Where a stream ends once this event is its last. */
export function headOf(event: StoredEvent): Head {
  return { seq: event.seq, hash: event.hash, at: event.at }
}

/** Chains drafts to a head: gives them their places, times, salts and hashes. Pure but for the salts. */
export function chainDrafts(head: Head, drafts: readonly Draft[], provenance: Provenance): StoredEvent[] {
  const events: StoredEvent[] = []
  let previous = head
  for (const draft of drafts) {
    const event = chainDraft(previous, draft, provenance)
    events.push(event)
    previous = event
  }
  return events
}

function chainDraft(previous: Head, draft: Draft, provenance: Provenance): StoredEvent {
  const bodySalt = provenance.salt()
  const dataSalt = draft.data === undefined ? undefined : provenance.salt()
  const dataCommit = draft.data === undefined || dataSalt === undefined ? undefined : commit(dataSalt, draft.data)
  const seq = previous.seq + 1
  const at = Math.max(provenance.nowMs, previous.at)
  const { stream, by, seen } = provenance
  const bodyCommit = commit(bodySalt, draft.body)
  const { kind, body, data } = draft
  const hash = sha256(headerText({ stream, seq, kind, at, by, seen, bodyCommit, dataCommit, prev: previous.hash }))
  return { stream, seq, kind, body, bodySalt, data, dataSalt, dataCommit, at, by, seen, hash }
}

function commit(salt: Uint8Array, text: string): string {
  return sha256(commitPreimage(salt, text))
}

/**
 * Recomputes the chain of events that follow a head, and returns the new head. Throws `journal_damaged`, which names the
 * first event that does not follow.
 */
export function verifyChain(stream: StreamId, head: Head, events: readonly StoredEvent[]): Head {
  let previous = head
  for (const event of events) {
    const problem = checkEvent(stream, previous, event)
    if (problem !== undefined) {
      throw journalError(
        'journal_damaged',
        `Event ${event.seq} of ${stream} ${problem}: the journal was changed after it was written, or the disk is failing. ` +
          'Nothing was executed. Restore the database from a backup, or find out who wrote to it.',
        { details: { stream, seq: event.seq } },
      )
    }
    previous = event
  }
  return { seq: previous.seq, hash: previous.hash, at: previous.at }
}

function checkEvent(stream: StreamId, previous: Head, event: StoredEvent): string | undefined {
  if (event.stream !== stream) return `belongs to ${event.stream}`
  if (event.seq !== previous.seq + 1) return `does not follow event ${previous.seq}`
  if (event.at < previous.at) return 'is dated before the event before it'
  if (event.bodySalt.length !== saltBytes) return 'has a salt of the wrong length'
  if (event.data !== undefined) {
    if (event.dataSalt?.length !== saltBytes) return 'has data without a salt of the right length'
    if (commit(event.dataSalt, event.data) !== event.dataCommit) return 'has data that its commit does not fit'
  }
  const { seq, kind, at, by, seen, dataCommit } = event
  const bodyCommit = commit(event.bodySalt, event.body)
  if (dataCommit === '-') return 'has a commit that is none'
  const hash = sha256(headerText({ stream, seq, kind, at, by, seen, bodyCommit, dataCommit, prev: previous.hash }))
  return hash === event.hash ? undefined : 'does not fit its hash'
}
