import {
  type Continuation,
  type EngineContext,
  type Flow,
  type FlowContext,
  type FlowDeclaration,
  flow as plainFlow,
} from '../engine/index.js'
import { type GovernedContext, governed } from './context.js'
import type { ModelPolicy, ResumePolicy } from './contract/contract.js'
import type { GovernedFlow } from './governed-flow.js'
import { type Pure, planned, type Step } from './steps.js'

/** What {@link flow} takes for a flow that a contract governs. */
export interface GovernedDeclaration<Input, Output> extends Omit<FlowDeclaration<Input, Output>, 'run'> {
  /** Who may go on with a run after it has waited: its actor, while they hold one of these roles; or, spelled out, `'anyone'`. */
  readonly resume: ResumePolicy
  /** Whether what comes after an approval may call a model; `'deferred'` unless set. */
  readonly models?: ModelPolicy
  /** The plan. */
  readonly run: (ctx: GovernedContext, input: Input) => Promise<Output>
}

/** What {@link flow} takes for a flow that is declared as steps: its rest is known without executing it. */
export interface PlannedDeclaration<Input, Output> extends Omit<GovernedDeclaration<Input, Output>, 'run' | 'models'> {
  /** At least one; made by `act`, `approve`, `say`, `wait`, `when` and `stop`. Their ids differ. */
  readonly steps: readonly Step<Input>[]
  /** What the run returns; what the steps came to, by their ids, unless set. */
  readonly output?: Pure<Input, Output>
}

/**
 * Declares a flow. With `resume` it is governed: it acts as somebody, its context has `do`, `approval` and `say`, and it runs
 * only under a contract. Throws `invalid_option` for a name, a version or a retry policy that makes no sense.
 */
export function flow<Input = unknown, Output = Readonly<Record<string, unknown>>>(
  declaration: PlannedDeclaration<Input, Output>,
): GovernedFlow<Input, Output>
export function flow<Input = unknown, Output = unknown>(
  declaration: GovernedDeclaration<Input, Output>,
): GovernedFlow<Input, Exclude<Output, Continuation>>
export function flow<Input = unknown, Output = unknown>(
  declaration: FlowDeclaration<Input, Output> & { readonly resume?: undefined },
): Flow<Input, Exclude<Output, Continuation>>
export function flow<Input, Output>(
  declaration: AnyDeclaration<Input, Output>,
): Flow<Input, Exclude<Output, Continuation>> {
  if (isPlanned(declaration)) return plannedFlow(declaration) as GovernedFlow<Input, Exclude<Output, Continuation>>
  if (!isGovernedDeclaration(declaration)) return plainFlow(declaration)
  const { resume, models = 'deferred', run, ...rest } = declaration
  const plan = (ctx: FlowContext, input: Input): Promise<Output> => run(governed(ctx as EngineContext), input)
  return { ...plainFlow({ ...rest, run: plan }), resume, models } as GovernedFlow<Input, Exclude<Output, Continuation>>
}

type AnyDeclaration<Input, Output> =
  | FlowDeclaration<Input, Output>
  | GovernedDeclaration<Input, Output>
  | PlannedDeclaration<Input, Output>

function isPlanned<Input, Output>(
  declaration: AnyDeclaration<Input, Output>,
): declaration is PlannedDeclaration<Input, Output> {
  return 'steps' in declaration
}

function isGovernedDeclaration<Input, Output>(
  declaration: AnyDeclaration<Input, Output>,
): declaration is GovernedDeclaration<Input, Output> {
  return 'resume' in declaration && declaration.resume !== undefined
}

// No step of a plan calls a model, so its rest goes on by itself after an approval.
function plannedFlow<Input, Output>({
  steps,
  output,
  ...rest
}: PlannedDeclaration<Input, Output>): Flow<Input, Output> {
  const declared: GovernedDeclaration<Input, Output> = { ...rest, models: 'none', run: planned(steps, output) }
  return { ...flow(declared), plan: steps.map((step) => step.declared) } as Flow<Input, Output>
}
