import type { DeclaredStep } from '@constancia/verify/governance'
import type { Decision } from './approval-op.js'
import type { GovernedContext } from './context.js'
import type { AnyAction, AnyProposed } from './contract/action.js'
import { type ApprovalPolicy, declaredApproval } from './contract/rule.js'
import { governanceError } from './errors.js'

/** What the functions of a plan are given: the run's input, and what the steps before came to, by their ids. */
export interface PlanScope<Input> {
  readonly input: Input
  // biome-ignore lint/suspicious/noExplicitAny: what a step came to depends on the step that the id names.
  readonly results: Readonly<Record<string, any>>
}

/** A function of a plan: computes from what is known, and does nothing else. */
export type Pure<Input, T> = (scope: PlanScope<Input>) => T

/** One step of a plan: what a contract says of it, and how it is done. Made by `act`, `approve`, `say`, `wait`, `when` and `stop`. */
export interface Step<Input> {
  readonly declared: DeclaredStep
  /** Resolves to what it came to, or to `stopped`. */
  readonly perform: (ctx: GovernedContext, scope: PlanScope<Input>) => Promise<unknown>
}

/** What ends a plan. */
const stopped: unique symbol = Symbol('stopped')

/**
 * Has an action done: with an input that is computed, or, with `approvedAt`, exactly what was approved at that step or its approved
 * amendment. Its result is the action's output.
 */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript does not look at the flow's input before it looks at its steps; to have it checked, say what it is: `({ input }: PlanScope<Order>) => …`.
export function act<Input = any>(
  id: string,
  action: AnyAction,
  given: Pure<Input, unknown> | { readonly approvedAt: string },
): Step<Input> {
  const declared = { kind: 'act', id, action: action.name } as const
  if (typeof given === 'function') return { declared, perform: (ctx, scope) => ctx.do(action, given(scope)) }
  const { approvedAt } = given
  return { declared, perform: async (ctx, { results }) => ctx.do(approvedAction(id, approvedAt, results[approvedAt])) }
}

function approvedAction(id: string, approvedAt: string, decision: Decision<AnyProposed> | undefined): AnyProposed {
  if (decision?.outcome === 'approved') return decision.action
  throw governanceError(
    'action_denied',
    `Step ${id} does what was approved at ${approvedAt}, and nothing was. Nothing was executed; put it into when(…) after that approval.`,
  )
}

/** What an approval of a plan is about. */
export interface ApproveOptions<Input> extends ApprovalPolicy {
  /** What is to be done if they approve; without it nothing is authorised. */
  readonly action?: AnyAction
  /** The input of the action; needed with one. */
  readonly input?: Pure<Input, unknown>
  readonly question?: Pure<Input, string>
}

/** Asks people. Its result is what they said: `outcome`, `votes`, and `action` where they approved one. */
export function approve<Input>(id: string, options: ApproveOptions<Input>): Step<Input> {
  const { action, input, question, ...policy } = options
  const declared = { kind: 'approve', id, action: action?.name ?? null, approval: declaredApproval(policy) } as const
  return {
    declared,
    perform: (ctx, scope) =>
      ctx.approval(id, {
        ...policy,
        ...(action === undefined ? {} : { for: action.with(input?.(scope)) }),
        ...(question === undefined ? {} : { question: question(scope) }),
      }),
  }
}

/** Tells the user something, in words of a template. `values` names those that the template needs. */
export function say<Input>(
  id: string,
  template: string,
  values: Readonly<Record<string, Pure<Input, unknown>>> = {},
): Step<Input> {
  return {
    declared: { kind: 'say', id, template, values: Object.keys(values) },
    perform: (ctx, scope) =>
      ctx.say(template, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value(scope)]))),
  }
}

/** Waits: so many milliseconds, or for a signal, whose payload is its result. */
export function wait<Input>(id: string, until: number | { readonly signal: string }): Step<Input> {
  if (typeof until === 'number') {
    return { declared: { kind: 'wait', id, for: 'time' }, perform: (ctx) => ctx.sleep(until) }
  }
  return { declared: { kind: 'wait', id, for: 'signal' }, perform: (ctx) => ctx.signal(until.signal) }
}

/** Steps that are done only where this holds. */
export function when<Input>(id: string, holds: Pure<Input, boolean>, steps: readonly Step<Input>[]): Step<Input> {
  return {
    declared: { kind: 'when', id, steps: steps.map(({ declared }) => declared) },
    perform: async (ctx, scope) => (holds(scope) ? perform(steps, ctx, scope) : undefined),
  }
}

/** Ends the plan here. */
export function stop<Input>(id: string): Step<Input> {
  return { declared: { kind: 'stop', id }, perform: async () => stopped }
}

/** A plan as a function of a flow: one step after the other. Its output is what the steps came to, unless it says otherwise. */
export function planned<Input, Output>(
  steps: readonly Step<Input>[],
  output: Pure<Input, Output> | undefined,
): (ctx: GovernedContext, input: Input) => Promise<Output> {
  return async (ctx, input) => {
    const results: Record<string, unknown> = {}
    const scope = { input, results }
    await perform(steps, ctx, scope)
    return output === undefined ? (plainResults(results) as Output) : output(scope)
  }
}

// What people said holds the action that they approved, which is code.
function plainResults(results: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const plain = Object.entries(results).map(([id, result]) => {
    const { outcome, votes } = Object(result) as Partial<Decision>
    return [id, outcome !== undefined && votes !== undefined ? { outcome, votes } : result]
  })
  return Object.fromEntries(plain)
}

async function perform<Input>(
  steps: readonly Step<Input>[],
  ctx: GovernedContext,
  scope: PlanScope<Input>,
): Promise<unknown> {
  const results = scope.results as Record<string, unknown>
  for (const { declared, perform: one } of steps) {
    const result = await one(ctx, scope)
    if (result === stopped) return stopped
    if (declared.kind === 'act' || declared.kind === 'approve' || declared.kind === 'wait')
      results[declared.id] = result
  }
  return undefined
}
