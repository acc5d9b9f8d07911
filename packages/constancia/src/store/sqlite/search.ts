import type { ClaimedFlow } from '../index.js'
import type { Room } from './room.js'
import type { Session } from './session.js'

/** A flow as it is claimed, and which of its runs. */
export interface LevelOfFlow extends ClaimedFlow {
  readonly priority: number
}

/** What one claim looks through its lanes with. */
export interface Search {
  readonly session: Session
  readonly room: Room
  readonly nowMs: number
  /** Streams that were taken meanwhile, or held back as suspects. */
  readonly taken: ReadonlySet<number>
  /** So many runs are wanted of all lanes together. */
  readonly limit: number
}
