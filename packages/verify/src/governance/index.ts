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
export { type Actor, type Approved, type DenialCode, type Proposal, type Verdict, verdictOf } from './verdict.js'
