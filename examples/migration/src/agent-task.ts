import type { MigrateInput } from './flow.js'
import type { TrapPlace } from './trap.js'

/** What the process is started with, as JSON in its first argument. */
export interface AgentTask {
  readonly input: MigrateInput
  readonly repository: string
  /** Of the forge and the model. */
  readonly url: string
  /** The SQLite file; undefined to work without a journal. */
  readonly journal: string | undefined
  readonly trap: TrapPlace | undefined
}

/** The one run of the demo. */
export const runId = 'spring-cleaning'

/**
 * How long the others wait for a process that went silent, in milliseconds. A minute unless set; the demo is in a hurry, and a process
 * that a busy machine keeps waiting is not silent yet.
 */
export const leaseMs = 3_000
