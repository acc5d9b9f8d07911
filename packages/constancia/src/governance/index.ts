export type { Decision, SaidVote } from './approval-op.js'
export type { ApprovalOptions, GovernedBranch, GovernedContext } from './context.js'
export {
  type Action,
  type ActionDeclaration,
  type AnyAction,
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
  type ModelPolicy,
  type ResumePolicy,
} from './contract/contract.js'
export { type EffectProtocol, idempotent, once, transactional, verify } from './contract/effect.js'
export { type ApprovalPolicy, allow, type Rule } from './contract/rule.js'
export type { GovernanceErrorCode } from './errors.js'
export { flow, type GovernedDeclaration, type GovernedFlow } from './flow.js'
export { NotDispatched } from './not-dispatched.js'
export { type OpenOptions, open } from './open.js'
