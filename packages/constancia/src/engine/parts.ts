import type { Draft, Limits, RunId } from '../journal/index.js'
import type { Clock } from '../store/index.js'
import type { StartCompanion } from './companion.js'
import type { Governing } from './governing.js'
import type { Logger } from './log.js'

/**
 * What the engine needs from the world. A crash kit or a simulator passes parts of its own and drives the very code that
 * runs in production.
 */
export interface Parts {
  readonly clock: Clock
  /** Fresh random bytes: ids and salts. Nothing that a flow sees comes from here. */
  readonly randomBytes: (count: number) => Uint8Array
  /** Calls once after all that is ready to run now; two calls queued together run one right after the other. */
  readonly immediate: (call: () => void) => void
  /**
   * Asked before an outcome is offered to the journal: a promise holds it back until it resolves, undefined lets it pass
   * at once. In production everything passes.
   */
  readonly hold: (run: RunId, draft: Draft) => Promise<void> | undefined
  /** Told when an attempt of a step begins and when it is over, for whoever wants to know when nothing is under way. */
  readonly onAttempt: (phase: 'began' | 'over') => void
  readonly limits: Limits
  /** Who decides what runs may do; undefined where nothing governs them. */
  readonly governing: Governing | undefined
  /** What works on the store beside the worker. */
  readonly companion?: StartCompanion | undefined
  readonly log: Logger
  readonly self: Self
}

/** What a process says of itself in the list of workers. */
export interface Self {
  readonly host: string
  /** Version of Constancia. */
  readonly program: string
}
