import type { Clock, KnownCheckpoint } from '../index.js'
import type { Connections } from './driver.js'
import type { JobQueue } from './job.js'
import type { Patience } from './patience.js'
import type { Tips } from './tips.js'
import type { Watchers } from './watch.js'

/** What everything of one open store works with. */
export interface Session {
  readonly connections: Connections
  readonly patience: Patience
  readonly tips: Tips
  readonly watchers: Watchers
  readonly commit: JobQueue
  /** Flows that somebody has claimed with a limit through this handle: a run of theirs that rests may make room for another. */
  readonly limitedFlows: Set<string>
  /** Dates events of owners; leases and decisions are dated by the database. */
  readonly clock: Clock
  /** Returns 16 fresh random bytes. */
  readonly salt: () => Uint8Array
  readonly known: KnownCheckpoint
  /** Puts the schema's name into a statement. */
  readonly sql: (text: string) => string
  /** Does something that may be done twice, for as long as patience lasts. Fails with `store_closed` after the end. */
  readonly patiently: <T>(call: () => Promise<T>) => Promise<T>
}
