export { type Clock, systemClock } from './clock.js'
export { type StoreErrorCode, storeError } from './errors.js'
export type { RunStatus } from './run-status.js'
export { isSuspect, type Poison, poisonMessage } from './set-aside.js'
export type {
  Append,
  Appended,
  Change,
  Claim,
  ClaimAnswer,
  ClaimedFlow,
  ClaimRef,
  ClaimRequest,
  Created,
  CreateRun,
  Decide,
  Decision,
  Facts,
  Heartbeat,
  HeartbeatOptions,
  HeldClaim,
  OutboxQuery,
  OutboxRef,
  Page,
  Purge,
  Rest,
  RunQuery,
  RunRow,
  Store,
  StoreFactory,
  StoreParts,
  Suspend,
  WaitingFor,
} from './store.js'
export {
  type Announced,
  type FlowVersion,
  type Holder,
  type OpenRuns,
  type WorkerNote,
  type WorkerRow,
  workerForgottenMs,
  workerRowOf,
} from './workers.js'
