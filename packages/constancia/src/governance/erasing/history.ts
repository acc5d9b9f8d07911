import type { ErasedRange, GovernanceBodies } from '@constancia/verify/governance'
import { decodeValue, type StoredEvent } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import { governanceStream } from '../law-book.js'

/** One erasure, as the governance stream tells it. */
export interface ToldErasure {
  readonly seq: number
  /** UTC milliseconds since 1970. */
  readonly atMs: number
  /** `principal:<id>` of whoever did it. */
  readonly by: string
  readonly texts: readonly ErasedRange[]
  /** Whose data it was; null where whole runs were named. */
  readonly principal: string | null
  readonly reason: string | undefined
}

const pageSize = 1_000

/** Reads every erasure, the oldest first. Rejects with faults of the store. */
export async function* readErasures(store: Pick<Store, 'read'>): AsyncGenerator<ToldErasure> {
  for (let fromSeq = 0; ; fromSeq += pageSize) {
    const events = await store.read(governanceStream, { fromSeq, limit: pageSize })
    for (const event of events) if (event.kind === 'Erased') yield toldErasure(event)
    if (events.length < pageSize) return
  }
}

function toldErasure({ seq, at, by, body, data }: StoredEvent): ToldErasure {
  const { texts, principal } = JSON.parse(body) as GovernanceBodies['Erased']
  const reason = data === undefined ? undefined : String(decodeValue(data))
  return { seq, atMs: at, by, texts, principal, reason }
}
