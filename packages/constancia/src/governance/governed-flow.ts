import type { Flow } from '../engine/index.js'
import type { ContractFlow, ModelPolicy, ResumePolicy } from './contract/contract.js'

/** A flow that a contract governs. */
export interface GovernedFlow<Input = unknown, Output = unknown> extends Flow<Input, Output>, ContractFlow {
  readonly resume: ResumePolicy
  readonly models: ModelPolicy
}

/** Whether a contract has to govern a flow. */
export function isGoverned(flow: object): flow is GovernedFlow {
  return 'resume' in flow
}
