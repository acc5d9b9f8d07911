export {
  type ApprovalChange,
  type ApprovalFold,
  type ApprovalOutcome,
  approvalChangeOf,
  foldApproval,
  withRoles,
} from './approval-fold.js'
export { chainDrafts, emptyHead, headOf, type Provenance, verifyChain } from './chain.js'
export {
  assert,
  ConstanciaError,
  type ErrorOptions,
  InvariantError,
  type JournalErrorCode,
  journalError,
} from './errors.js'
export { type Draft, type Head, nothingSeen, type StoredEvent, seenOf, seenWith } from './event.js'
export { assertExactTexts, isExactText } from './exact-text.js'
export { exportLine } from './export.js'
export { sha256 } from './hash.js'
export {
  type ClaimId,
  checkId,
  childRunId,
  nextRunId,
  type OpId,
  parseRunId,
  type RunId,
  rootRunId,
  runStream,
  type StreamId,
} from './ids.js'
export {
  type Bodies,
  bodyOf,
  draftOf,
  endOf,
  type Kind,
  type NoRetryReason,
  type Restricts,
  type Tells,
  type TimerSpec,
} from './kinds.js'
export { defaultLimits, type Limits } from './limits.js'
export { isDispatched, noticeId, type OutboxEntry, type OutboxTarget, outboxEntryOf } from './outbox.js'
export { isPermanent, PermanentError } from './permanent.js'
export { type Projection, projectionOf } from './projection.js'
export { Restriction } from './restriction.js'
export { deliveryOf, endDelivery, foldRun, type RunFold } from './run-fold.js'
export { decodeValue, type EncodeOptions, encodeError, encodeValue } from './values.js'
