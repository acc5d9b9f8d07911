export { rolesThatState } from '@constancia/verify/governance'
export type { ActivationOutcome, ActivationRequest } from './activation/activate.js'
export type { ContractChange } from './activation/history.js'
export type { Decision, SaidVote } from './approval-op.js'
export { type AskedApproval, askedApproval, type CastVote, eventsAbout, pendingOf } from './approvals/pending.js'
export { type Question, questionOf, shownDigestOf } from './approvals/shown.js'
export type { Statement, StatementTaken } from './approvals/statement.js'
export type { VoteRequest, VoteTaken } from './approvals/vote.js'
export type { VoteWithdrawn, Withdrawal } from './approvals/withdraw.js'
export { type Config, defineConfig } from './config.js'
export type { ApprovalOptions, GovernedBranch, GovernedContext } from './context.js'
export {
  type Action,
  type ActionDeclaration,
  type AnyAction,
  type AttemptOf,
  action,
  type DescribedSchema,
  type Proposed,
  type Search,
  type StillValid,
} from './contract/action.js'
export {
  type Contract,
  type ContractDeclaration,
  type ContractFlow,
  contract,
  InvalidContract,
  type ModelPolicy,
  type ResumePolicy,
} from './contract/contract.js'
export {
  type EffectProtocol,
  idempotent,
  once,
  type SentEffect,
  type Transactional,
  transactional,
  verify,
} from './contract/effect.js'
export type { Problem } from './contract/problem.js'
export { type ReadContract, readContract } from './contract/reading.js'
export { type ApprovalPolicy, allow, type Rule } from './contract/rule.js'
export { requireTypes, typeProblems } from './contract/typed.js'
export type { ChangeBy, Directory, DirectoryChanged, HeldRole, RolesOf } from './directory/directory.js'
export type { DirectoryChange } from './directory/history.js'
export type { ImportDifference, ImportedGrant, RoleImport } from './directory/import.js'
export { type RoleFile, type RoleFileFormat, readRoleFile } from './directory/role-file.js'
export type { RoleFileMistake } from './directory/rows.js'
export type { Erasure, ErasurePreview, ErasureRequest, ErasureSubject } from './erasing/erase.js'
export { readErasures, type ToldErasure } from './erasing/history.js'
export { type GovernanceErrorCode, governanceError } from './errors.js'
export { flow, type GovernedDeclaration, type PlannedDeclaration } from './flow.js'
export { Governance, type GovernanceParts } from './governance.js'
export { type GovernedFlow, isGoverned } from './governed-flow.js'
export { bodyOf, type RunBodies, type RunKind } from './kinds.js'
export { governanceStream, LawBook } from './law-book.js'
export { NotDispatched } from './not-dispatched.js'
export { type GovernedRuntime, type OpenOptions, open } from './open.js'
export { type OpenedGovernance, openGovernance } from './opened.js'
export type { Proceeded } from './proceed.js'
export { type RefusalBodies, type RefusalKind, readRefusals, refusalsStream, type ToldRefusal } from './refusals.js'
export {
  type ApproveOptions,
  act,
  approve,
  type PlanScope,
  type Pure,
  type Step,
  say,
  stop,
  wait,
  when,
} from './steps.js'
