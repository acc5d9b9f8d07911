import type { ClaimRef, KnownCheckpoint, RunRow, StoreParts } from '../index.js'
import type { MemoryDisk } from './disk.js'

/** A handle's view: the disk, and what the process gave. */
export interface Handle {
  readonly disk: MemoryDisk
  readonly parts: StoreParts & { readonly known: KnownCheckpoint }
}

/** What the scheduler's part of a row is while nobody has the run and it waits for nothing. */
export const atRest = { claim: undefined, wakeAtMs: undefined, waitingFor: [], stuck: undefined } as const

/** Whether a claim is the one that the run's row names. */
export function holds(given: ClaimRef, row: RunRow): boolean {
  return row.claim?.id === given.id && row.epoch === given.epoch
}
