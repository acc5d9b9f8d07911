import type { RunId } from '../journal/index.js'
import type { RunStatus } from './run-status.js'

/** What a worker says of itself, so that people see who is there. Nothing about correctness rests on it. */
export interface WorkerNote {
  /** Fresh for each worker that is started; never used again. */
  readonly id: string
  /** What people call it; several may have the same. */
  readonly name: string
  readonly host: string
  readonly pid: number
  /** Version of Constancia that it runs. */
  readonly program: string
  readonly flows: readonly FlowVersion[]
  /** Runs in memory at once, at most. */
  readonly concurrency: number
  /** A worker that drains claims nothing more, and ends once it has given back what it holds. */
  readonly state: 'working' | 'draining'
}

/** One version of a flow. */
export interface FlowVersion {
  readonly flow: string
  readonly version: number
}

/** A worker as a list shows it: what it said last, and when. Moments are the database's, UTC milliseconds since 1970. */
export interface WorkerRow extends Omit<WorkerNote, 'state'> {
  /** Gone is who said nothing for as long as it had announced. */
  readonly state: WorkerNote['state'] | 'gone'
  /** When it was announced first. */
  readonly sinceMs: number
  /** When it was announced last. */
  readonly announcedAtMs: number
}

/** Open runs that have a flow, a version, a status and, where they are claimed, a holder in common. */
export interface OpenRuns extends FlowVersion {
  readonly status: RunStatus
  readonly runCount: number
  /** Undefined where nobody has claimed them. */
  readonly holder: Holder | undefined
}

/** Who has claimed runs. */
export interface Holder {
  /** The name that it claimed them with. */
  readonly worker: string
  /** The id that it claimed them with; undefined where it named none. */
  readonly workerId: string | undefined
  /** Whether the lease of any of them still runs. */
  readonly isAlive: boolean
  /** The one that was claimed first. */
  readonly oldestRun: RunId
  /** When that was, by the database's clock, UTC milliseconds since 1970; undefined where nobody noted it. */
  readonly sinceMs: number | undefined
}

/** So long a worker that said nothing more is listed as gone; then it is forgotten. An hour, in milliseconds. */
export const workerForgottenMs = 3_600_000

/** What is kept of an announcement. */
export interface Announced {
  readonly note: WorkerNote
  readonly sinceMs: number
  readonly announcedAtMs: number
  /** It is alive until then. */
  readonly untilMs: number
}

/** The row of a worker at a moment; undefined once it is forgotten. */
export function workerRowOf({ note, untilMs, ...moments }: Announced, nowMs: number): WorkerRow | undefined {
  if (untilMs + workerForgottenMs <= nowMs) return undefined
  return { ...note, ...moments, state: untilMs > nowMs ? note.state : 'gone' }
}
