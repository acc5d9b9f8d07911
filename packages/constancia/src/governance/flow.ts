import {
  type AnyFlow,
  type Continuation,
  type EngineContext,
  type Flow,
  type FlowContext,
  type FlowDeclaration,
  flow as plainFlow,
} from '../engine/index.js'
import { type GovernedContext, governed } from './context.js'
import type { ContractFlow, ModelPolicy, ResumePolicy } from './contract/contract.js'

/** A flow that a contract governs. */
export interface GovernedFlow<Input = unknown, Output = unknown> extends Flow<Input, Output>, ContractFlow {
  readonly resume: ResumePolicy
  readonly models: ModelPolicy
}

/** What {@link flow} takes for a flow that a contract governs. */
export interface GovernedDeclaration<Input, Output> extends Omit<FlowDeclaration<Input, Output>, 'run'> {
  /** Who may go on with a run after it has waited: its actor, while they hold one of these roles; or, spelled out, `'anyone'`. */
  readonly resume: ResumePolicy
  /** Whether what comes after an approval may call a model; `'deferred'` unless set. */
  readonly models?: ModelPolicy
  /** The plan. */
  readonly run: (ctx: GovernedContext, input: Input) => Promise<Output>
}

/**
 * Declares a flow. With `resume` it is governed: it acts as somebody, its context has `do`, `approval` and `say`, and it runs
 * only under a contract. Throws `invalid_option` for a name, a version or a retry policy that makes no sense.
 */
export function flow<Input = unknown, Output = unknown>(
  declaration: GovernedDeclaration<Input, Output>,
): GovernedFlow<Input, Exclude<Output, Continuation>>
export function flow<Input = unknown, Output = unknown>(
  declaration: FlowDeclaration<Input, Output> & { readonly resume?: undefined },
): Flow<Input, Exclude<Output, Continuation>>
export function flow<Input, Output>(
  declaration: FlowDeclaration<Input, Output> | GovernedDeclaration<Input, Output>,
): Flow<Input, Exclude<Output, Continuation>> {
  if (!isGovernedDeclaration(declaration)) return plainFlow(declaration)
  const { resume, models = 'deferred', run, ...rest } = declaration
  const plan = (ctx: FlowContext, input: Input): Promise<Output> => run(governed(ctx as EngineContext), input)
  return { ...plainFlow({ ...rest, run: plan }), resume, models } as GovernedFlow<Input, Exclude<Output, Continuation>>
}

/** Whether a contract has to govern a flow. */
export function isGoverned(flow: AnyFlow): flow is GovernedFlow {
  return 'resume' in flow
}

function isGovernedDeclaration<Input, Output>(
  declaration: FlowDeclaration<Input, Output> | GovernedDeclaration<Input, Output>,
): declaration is GovernedDeclaration<Input, Output> {
  return 'resume' in declaration && declaration.resume !== undefined
}
