export { type Clock, systemClock } from './clock.js'
export { type StoreErrorCode, storeError } from './errors.js'
export { type KnownMark, knownOf, type Mark, type NotedHead, type Standing, standingOf, type Term } from './mark.js'
export { heldLoss, type Loss, MarkedStore, type MarkOptions, parkedBecause } from './marked/index.js'
export { epochLeap, isSuspect, type Poison, parkedMessage, poisonMessage, rolledBackCode } from './set-aside.js'
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
  OutboxQuery,
  OutboxRef,
  Page,
  Parking,
  Purge,
  Rest,
  RunQuery,
  RunRow,
  RunStatus,
  Store,
  StoreFactory,
  StoreParts,
  Suspend,
  WaitingFor,
} from './store.js'
