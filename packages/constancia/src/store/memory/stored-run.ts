import type { StoredEvent } from '../../journal/index.js'
import type { RunRow } from '../index.js'

/** One run on a disk. The row is replaced, never changed: whoever was given it keeps what he saw. */
export interface StoredRun {
  /** Order of creation, from 0. */
  readonly no: number
  readonly events: StoredEvent[]
  readonly inbox: Set<string>
  row: RunRow
  /** When somebody may next try the run, UTC milliseconds since 1970. */
  dueAtMs: number | undefined
}
