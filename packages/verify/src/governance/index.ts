export {
  type Authority,
  authorityOf,
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
export { type ActivatedContract, type GovernanceBodies, type GovernanceEvent, type GovernanceKind, Law } from './law.js'
export { type Actor, type Approved, type DenialCode, type Proposal, type Verdict, verdictOf } from './verdict.js'
