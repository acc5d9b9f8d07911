import { type RunId, runStream, type StoredEvent } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import { type Replayed, replayGovernance } from '../../dist/testing/replay.js'

export { inWords, replayEventOf } from '../../dist/testing/replay.js'

/** Journals, by stream; `governance` among them. */
export type Journals = ReadonlyMap<string, readonly StoredEvent[]>

/** All journals of a store that an auditor needs. */
export async function journalsOf(store: Store): Promise<Journals> {
  const journals = new Map([['governance', await store.read('governance' as never, { fromSeq: 0, limit: 100_000 })]])
  for (let after: string | undefined; ; ) {
    const page = await store.runs({ limit: 500, ...(after === undefined ? {} : { after }) })
    for (const { id } of page.items) journals.set(runStream(id), await store.read(runStream(id)))
    after = page.next
    if (after === undefined) return journals
  }
}

/** Replays journals. */
export function replayed(journals: Journals): Replayed {
  const runs = [...journals].filter(([stream]) => stream.startsWith('run/'))
  const ids = new Map(runs.map(([stream, events]) => [stream.slice('run/'.length) as RunId, events]))
  return replayGovernance(journals.get('governance') ?? [], ids)
}
