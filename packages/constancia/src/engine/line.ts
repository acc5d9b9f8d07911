import type { RunId } from '../journal/index.js'
import type { RunRow, Store } from '../store/index.js'

/** The run that has taken over, in the end, from this one; the run itself if none has. Undefined for a run that is unknown. */
export async function latestOf(store: Store, run: RunId): Promise<RunId | undefined> {
  return (await latestRowOf(store, run))?.id
}

/** Its row. */
export async function latestRowOf(store: Store, run: RunId): Promise<RunRow | undefined> {
  let row = await store.run(run)
  while (row?.continuedAs !== undefined) {
    const root = row.id === row.root ? row : await store.run(row.root)
    row = await store.run(root?.latest ?? row.continuedAs)
  }
  return row
}
