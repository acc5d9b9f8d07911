export {
  type Authority,
  approvedMeaning,
  authorityOf,
  type Decider,
  deadlineOf,
  judgeVote,
  type Now,
  type PendingApproval,
  resolutionWith,
  rolesAskedAt,
  type Vote,
  type VoteOutcome,
  type VoteRefusal,
} from './approval.js'
export {
  type AskedApproval,
  askedAfter,
  askedApproval,
  type CastVote,
  pendingOf,
  type ToldEvent,
} from './asked.js'
export {
  administrator,
  type ContractNamed,
  type ErasedRange,
  type GovernanceBodies,
  type GovernanceEvent,
  type GovernanceKind,
} from './bodies.js'
export { canonicalText, type Json } from './canonical.js'
export {
  contractFormat,
  type DeclaredAction,
  type DeclaredApproval,
  type DeclaredContract,
  type DeclaredEffect,
  type DeclaredFlow,
  type DeclaredLimits,
  type DeclaredRule,
  type DeclaredStep,
  type DeclaredTemplate,
} from './contract.js'
export type { Delegation } from './delegations.js'
export { ErasedPlaces } from './erased-places.js'
export {
  type AllowedFacts,
  askGate,
  type BoundRun,
  type GateAnswer,
  type GateRequest,
  type SchemaDigestOf,
} from './gate.js'
export type { Grant } from './grants.js'
export {
  type ActivatedContract,
  isGovernanceKind,
  Law,
  type LawEntry,
  type ProposedContract,
  type Support,
} from './law.js'
export { countedLimits, type Intent, limitPassed, type UsedUp, usedWith } from './limits.js'
export { type Question, questionOf, shownPreimage, shownSaltText, shownTextOf } from './question.js'
export { isDeferredAfterApproval, judgeResume, type ResumeVerdict, type ResumingRun } from './resume.js'
export { type AboutOp, type ApprovalOutcome, notDispatchedCode, type RunBodies } from './run-bodies.js'
export { judgeStatement, rolesThatState, type StatementVerdict, type Stater } from './statement.js'
export { type Actor, type Approved, type DenialCode, type Proposal, type Verdict, verdictOf } from './verdict.js'
