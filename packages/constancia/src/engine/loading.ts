import { emptyHead, type Head, type StoredEvent, type StreamId, verifyChain } from '../journal/index.js'
import type { Store } from '../store/index.js'

// Little enough that a page is garbage before it is old, which is cheaper by far.
const pageEventCount = 512

/** Where a journal begins and ends. */
export interface JournalRange {
  /** Undefined if there is nothing. */
  readonly first: StoredEvent | undefined
  readonly head: Head
}

/**
 * Reads a journal from its first event on and verifies its chain, page by page: what was taken of a page need not stay in
 * memory. Rejects with `journal_damaged` or a fault of the store.
 */
export async function readJournal(
  store: Store,
  stream: StreamId,
  take: (page: readonly StoredEvent[]) => void,
): Promise<JournalRange> {
  let head = emptyHead(stream)
  let first: StoredEvent | undefined
  for (;;) {
    const page = await store.read(stream, { fromSeq: head.seq + 1, limit: pageEventCount })
    head = verifyChain(stream, head, page)
    first ??= page[0]
    take(page)
    if (page.length < pageEventCount) return { first, head }
  }
}
