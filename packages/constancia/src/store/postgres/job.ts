import type { Head, RunId, StreamId } from '../../journal/index.js'
import type { Append, Appended, Decide, Facts, Within } from '../index.js'
import type { RunRecord } from './run-record.js'
import type { Unfit } from './unfit.js'
import type { Work } from './work.js'

/** Something that waits to be written. */
export type Job = WriteJob | DecideJob | WithinJob

/** What all of them have. */
interface JobBase {
  /** Runs that it changes or reads: what was asked about one of them before is done before. */
  readonly runs: readonly RunId[]
  /** Both are set when it is submitted. */
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/** A job before somebody waits for it. */
export type JobRequest<J extends Job> = Omit<J, 'resolve' | 'reject'>

/** A change that its author can make without reading first. */
export interface WriteJob extends JobBase {
  /** `whole`: a transaction of its own, which is rolled back unless all of it fits. */
  readonly lane: 'write' | 'whole'
  /** Where the author believes the journal ends, if the fold there is needed. */
  readonly at: { readonly run: RunId; readonly head: Head } | undefined
  /**
   * What is to be written, or what to answer at once. Given what is in the row where the fold at that head is not at hand.
   * Throws what is wrong with the request.
   */
  readonly prepare: (
    found: { readonly record: RunRecord | undefined } | undefined,
  ) => Work | { readonly answer: unknown }
  /** What to answer once it is stored, or did not fit. */
  readonly finish: (unfit: Unfit | undefined) => unknown
}

/** A change beside which something else is done, in a transaction of its own. */
export interface WithinJob extends JobBase {
  readonly lane: 'within'
  readonly request: Append & { readonly within: Within }
}

/** What became of such a change: where what was to be done beside it failed, nothing of either is there. */
export type AppendedWithin = Appended | { readonly kind: 'undone'; readonly error: unknown }

/** A change that is decided from what is read in its transaction. */
export interface DecideJob extends JobBase {
  readonly lane: 'decide'
  readonly run: RunId
  readonly delivery: string | undefined
  /** The stream whose end is among the facts. */
  readonly basis: StreamId | undefined
  /** How far whoever decides has read; see `Decide.known`. */
  readonly known: Decide<unknown>['known']
  /** A child of the run: whether the outbox asks it to end is read as well. */
  readonly child: RunId | undefined
  /** Decides. Throws what the decision throws, or what is wrong with it. */
  readonly decide: (facts: Facts, record: RunRecord | undefined, isChildToEnd: boolean) => Decided
}

/** What was decided: what is to be written, if anything, and the answer. */
export interface Decided {
  readonly work: Work | undefined
  readonly answer: unknown
  /** What to answer instead where the run that is to start was there already. */
  readonly answerIfExists?: () => unknown
}

/** Takes jobs, and does each within a next transaction. */
export interface JobQueue {
  submit<J extends Job>(request: JobRequest<J>): Promise<never>
  /** Nothing is accepted any more; resolves when what was accepted before is decided. */
  close(): Promise<void>
}
