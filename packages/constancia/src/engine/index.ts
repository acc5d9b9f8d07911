export type { AttemptInfo } from './attempt.js'
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
export { type Logger, type LogLevel, stderrLogger } from './log.js'
export type { Parts, Self } from './parts.js'
export type { Rehearsal } from './rehearsal.js'
export { defaultRetry, type RetryPolicy, retryPolicy } from './retry.js'
export { type CancelOptions, Run, type SignalOptions } from './run.js'
export { type OpenOptions, open, Runtime, type StartOptions } from './runtime.js'
export type { Schema, SchemaIssue, SchemaResult } from './schema.js'
export type { Received } from './signal.js'
export type { WorkerOptions } from './worker.js'
