import type { DeclaredContract, DeclaredStep } from '@constancia/verify/governance'
import type { Problem } from './problem.js'
import { approvalProblems } from './rule-problems.js'

/** What makes no sense in the plan of a flow that is declared as steps. */
export function planProblems(place: string, plan: readonly DeclaredStep[], contract: DeclaredContract): Problem[] {
  const ids = allOf(plan).map(({ id }) => id)
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
  return [
    ...(plan.length === 0 ? [{ place, reason: 'It has no step; give it one, or a run function' }] : []),
    ...twice.map((id) => ({ place, reason: `Two steps have the id ${id}; rename one` })),
    ...unreachable(place, plan),
    ...allOf(plan).flatMap((step) => stepProblems(`${place}, step ${step.id}`, step, contract)),
  ]
}

function allOf(plan: readonly DeclaredStep[]): readonly DeclaredStep[] {
  return plan.flatMap((step) => (step.kind === 'when' ? [step, ...allOf(step.steps)] : [step]))
}

function unreachable(place: string, plan: readonly DeclaredStep[]): Problem[] {
  const end = plan.findIndex(({ kind }) => kind === 'stop')
  const after = end === -1 ? undefined : plan[end + 1]
  const nested = plan.flatMap((step) => (step.kind === 'when' ? unreachable(place, step.steps) : []))
  if (after === undefined) return nested
  const reason = `It is never reached, because ${plan[end]?.id} before it ends the plan; move it, or drop one of the two`
  return [{ place: `${place}, step ${after.id}`, reason }, ...nested]
}

function stepProblems(place: string, step: DeclaredStep, contract: DeclaredContract): Problem[] {
  switch (step.kind) {
    case 'act':
      return actionProblems(place, step.action, contract)
    case 'approve': {
      const about = step.action === null ? [] : actionProblems(place, step.action, contract)
      return [...about, ...approvalProblems(place, step.approval, contract)]
    }
    case 'say':
      return messageProblems(place, step, contract)
    default:
      return []
  }
}

function actionProblems(place: string, action: string, { actions }: DeclaredContract): Problem[] {
  if (actions.some(({ name }) => name === action)) return []
  return [{ place, reason: `No rule allows action ${action} to anybody; add allow(…).to(…) for it` }]
}

function messageProblems(
  place: string,
  { template, values }: DeclaredStep & { readonly kind: 'say' },
  { templates }: DeclaredContract,
): Problem[] {
  const found = templates.find(({ name }) => name === template)
  if (found === undefined) return [{ place, reason: `There is no template ${template}` }]
  const missing = found.values.filter((value) => !values.includes(value))
  return missing.map((value) => ({ place, reason: `Template ${template} needs the value ${value}; give it` }))
}
