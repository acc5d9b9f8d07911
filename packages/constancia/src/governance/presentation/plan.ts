import type { DeclaredApproval, DeclaredContract, DeclaredStep } from '@constancia/verify/governance'
import { spanInWords } from './spans.js'
import { choice, type Words } from './words.js'

/** A step of a declared flow in words. */
export interface PlanStep {
  readonly kind: DeclaredStep['kind']
  readonly title: Words
  readonly details: Words
  /** Those that a condition guards. */
  readonly steps: readonly PlanStep[]
}

/** The steps of a declared flow, for people. */
export function planOf(steps: readonly DeclaredStep[], contract: DeclaredContract): readonly PlanStep[] {
  return steps.map((step) => planStep(step, contract))
}

function planStep(step: DeclaredStep, contract: DeclaredContract): PlanStep {
  const say = (title: Words, details: Words, steps: readonly PlanStep[] = []): PlanStep => ({
    kind: step.kind,
    title,
    details,
    steps,
  })
  switch (step.kind) {
    case 'act':
      return say([titleOf(step.action, contract)], [{ name: step.action }, ...askedFor(step.action, contract)])
    case 'model':
      return say(['A model is asked'], [{ name: step.id }])
    case 'approve':
      return say(approvalTitle(step.approval), approvalDetails(step.action, step.approval))
    case 'say':
      return say(['The user is told'], [{ name: step.template }, ...textOf(step.template, contract)])
    case 'wait':
      return say([step.for === 'time' ? 'It waits for a moment in time' : 'It waits for a signal'], [{ name: step.id }])
    case 'when':
      return say(['Only where this holds:'], [{ name: step.id }], planOf(step.steps, contract))
    case 'stop':
      return say(['It ends here'], [{ name: step.id }])
  }
}

function titleOf(action: string, { actions }: DeclaredContract): string {
  return actions.find(({ name }) => name === action)?.title || action
}

function askedFor(action: string, { rules }: DeclaredContract): Words {
  const own = rules.filter((rule) => rule.action === action)
  if (own.every(({ approval }) => approval === null)) return []
  return [own.some(({ approval }) => approval === null) ? ', which may need an approval' : ', which needs an approval']
}

function approvalTitle({ roles, quorum }: DeclaredApproval): Words {
  return [quorum === 1 ? 'Approval by ' : `Approval by ${quorum} people who are `, ...choice(roles)]
}

function approvalDetails(action: string | null, { notBy, withinMs, amendable }: DeclaredApproval): Words {
  const about: Words = action === null ? ['a question'] : ['of ', { name: action }]
  const notes = [
    notBy === 'actor' ? 'not by the one who asks' : '',
    withinMs === null ? '' : `waits ${spanInWords(withinMs)} at most`,
    amendable ? 'may be changed' : '',
  ].filter(Boolean)
  return [...about, ...notes.map((note) => `; ${note}`)]
}

function textOf(template: string, { templates }: DeclaredContract): Words {
  const [text] = Object.values(templates.find(({ name }) => name === template)?.texts ?? {})
  return text === undefined ? [] : [`: “${text}”`]
}
