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
  administrator,
  type ContractNamed,
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
export type { Grant } from './grants.js'
export { type ActivatedContract, Law, type ProposedContract, type Support } from './law.js'
export { isDeferredAfterApproval, judgeResume, type ResumeVerdict, type ResumingRun } from './resume.js'
export { type Actor, type Approved, type DenialCode, type Proposal, type Verdict, verdictOf } from './verdict.js'
