export { Attempt, type AttemptInfo } from './attempt.js'
export type { Basis } from './basis.js'
export type { Companion, StartCompanion } from './companion.js'
export type { AddedWord, EngineContext } from './context.js'
export { flow } from './declare.js'
export type { Drained } from './drained.js'
export { days, hours, minutes, parseDuration, seconds } from './duration.js'
export { type EngineErrorCode, engineError } from './errors.js'
export type { Fleet, FleetWorker, HeldRuns, UnservedFlow } from './fleet.js'
export type {
  AnyFlow,
  Branch,
  Concurrency,
  Continuation,
  Flow,
  FlowContext,
  FlowDeclaration,
  StepOptions,
} from './flow.js'
export type { Governing } from './governing.js'
export { type Addon, deferredIn, type Guard, type GuardedRun, noAddon, type Pause } from './guard.js'
export { type AddedKind, type AddedVerb, noOp, type OpRecord, type Outcome } from './history.js'
export { type Logger, type LogLevel, stderrLogger } from './log.js'
export { newRunId } from './new-id.js'
export { type Host, type Op, OpBase, type OpPlace, type Ruling } from './op.js'
export { type OpenedStore, openStore, type StoreOpening } from './open-store.js'
export type { Parts, Self } from './parts.js'
export { randomFraction } from './randomness.js'
export type { Rehearsal } from './rehearsal.js'
export { defaultRetry, type RetryPolicy, retryDelayMs, retryPolicy } from './retry.js'
export { type CancelOptions, Run, type SignalOptions } from './run.js'
export { type OpenOptions, open, Runtime, type StartOptions } from './runtime.js'
export { parseWith, type Schema, type SchemaIssue, type SchemaResult } from './schema.js'
export type { Received } from './signal.js'
export { codeOf } from './step.js'
export { tellsOf } from './telling.js'
export type { WorkerOptions } from './worker.js'
