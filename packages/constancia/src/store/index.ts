export type { AppendBasis } from './append-basis.js'
export {
  type ApprovalPlace,
  type ApprovalQuery,
  type ApprovalRecord,
  type ApprovalRow,
  type ApprovalStatus,
  approvalCursor,
  approvalPlaceOf,
  approvalRowOf,
} from './approvals.js'
export type { Change } from './change.js'
export type { ClaimRef } from './claim-ref.js'
export { type Clock, systemClock } from './clock.js'
export { syncFolder, writeDurably } from './durable-file.js'
export { type ErasedTexts, erasableStreams, erasedBy, foreignStreams, lawfulKinds, runIn } from './erasure.js'
export { moveStateError, type StoreErrorCode, storeError } from './errors.js'
export type { Heartbeat, HeartbeatOptions } from './heartbeat.js'
export { JournalCheck, StreamCheck, type WholeJournal } from './journal-check.js'
export { KnownCheckpoint } from './known-checkpoint.js'
export {
  type Attestation,
  type BegunRange,
  type Checkpoint,
  checkSealing,
  fullTileBytes,
  type Grown,
  type GrownHead,
  type Leaf,
  type Log,
  type LogState,
  type Sealed,
  type Sealing,
  type StreamStanding,
  sealedLast,
  type Tile,
  type TilePlace,
} from './log.js'
export { type KnownMark, knownOf, type Mark, type NotedHead, type Standing, standingOf, type Term } from './mark.js'
export { heldLoss, type Loss, MarkedStore, type MarkOptions, parkedBecause } from './marked/index.js'
export {
  type MoveObstacle,
  type MoveOptions,
  type MoveOutcome,
  type MoveSurvey,
  moveStore,
  surveyMove,
  workOf,
} from './move-store.js'
export {
  type Arrival,
  type Departure,
  type InboxDelivery,
  type Inventory,
  isMovable,
  type JournalPiece,
  type MovableStoreFactory,
  type MoveState,
  type Moving,
  type Parcel,
  type PurgedJournal,
  type StoreCounts,
  type StreamEnd,
  type StreamPiece,
} from './moving.js'
export { PageSize } from './page-size.js'
export type { RunStatus } from './run-status.js'
export {
  epochLeap,
  isSuspect,
  type Poison,
  parkedMessage,
  poisonMessage,
  rolledBackCode,
  stuckBefore,
} from './set-aside.js'
export { misused, requireStatement } from './statement-text.js'
export type {
  Append,
  Appended,
  Claim,
  ClaimAnswer,
  ClaimedFlow,
  ClaimRequest,
  Created,
  CreateRun,
  Decide,
  Decision,
  Facts,
  HeldClaim,
  News,
  OutboxQuery,
  OutboxRef,
  Page,
  Parking,
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
export { assertRecordable, newsCountMax, type Recorded, type RecordRequest } from './streams.js'
export {
  type DatabaseKind,
  isPromise,
  type PostgresTransaction,
  type SqliteStatement,
  type SqliteTransaction,
  type SqliteValue,
  type Transactions,
  type Within,
  type WithinResult,
} from './transaction.js'
export type { Contradiction, WitnessedHead, WitnessState } from './witness-state.js'
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
